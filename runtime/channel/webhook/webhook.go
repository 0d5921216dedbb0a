package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"shelly/fsm/wording"
	"shelly/runtime/channel"
	"shelly/runtime/comm"
	"shelly/runtime/egress"
	"shelly/runtime/front/wire"
)

// Options are the options of a webhook.
type Options struct {
	Name string
	// Keys returns the keys: incoming messages may be signed with any of them, outgoing ones are
	// signed with the first. It is called for each message, so that keys can be replaced at any
	// time.
	Keys func() ([]Key, error)
	URL  string // the target of outgoing messages; empty: nothing is sent
	// Guard decides which addresses the URL may lead to.
	Guard   egress.Guard
	TextMax int // bytes of an incoming message
	Log     *slog.Logger
	Now     func() time.Time
}

// Webhook is the channel.
type Webhook struct {
	o      Options
	client *http.Client

	mu sync.Mutex
	in channel.Inbound // nil: it is not running
}

// connectMax bounds the time for opening a connection to the URL.
const connectMax = 10 * time.Second

// New returns a webhook.
func New(o Options) *Webhook { return &Webhook{o: o, client: o.Guard.Client(connectMax)} }

// Name implements [channel.Channel].
func (h *Webhook) Name() string { return h.o.Name }

// Run implements [channel.Channel].
func (h *Webhook) Run(ctx context.Context, in channel.Inbound) error {
	keys, err := h.keys()
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.in = in
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.in = nil
	}()
	in.Up(wording.Count(len(keys), "key"))
	<-ctx.Done()
	return nil
}

func (h *Webhook) keys() ([]Key, error) {
	keys, err := h.o.Keys()
	if err == nil && len(keys) == 0 {
		err = errors.New("there is no key")
	}
	return keys, err
}

// bodyBytesMax is the longest body with a text of at most textMax bytes: JSON may write each byte
// of it as six (RFC 8259, 7), and many libraries write all but ASCII so. There are 4 KiB for the rest.
func bodyBytesMax(textMax int) int64 { return int64(6*textMax) + 4<<10 }

// Accepted is the answer to an incoming message.
type Accepted struct {
	ID    string `json:"id,omitempty"` // of the request
	State string `json:"state"`        // accepted, done, decided, or closed
}

// Handle takes an incoming message (CHN-20, CHN-21). Its errors are those of a [comm.Route].
func (h *Webhook) Handle(w http.ResponseWriter, r *http.Request) error {
	h.mu.Lock()
	in := h.in
	h.mu.Unlock()
	if in == nil {
		return &comm.Problem{Code: comm.CodeStopping, Message: "the channel does not work now", Hint: "nothing has happened; shelly channel list says why"}
	}
	m, err := h.read(w, r)
	if err != nil {
		return err
	}
	taken, err := in.Take(r.Context(), m)
	if err != nil {
		return err
	}
	if p := h.problem(taken.Refused, w.Header()); p != nil {
		return p
	}
	answer, status := Accepted{ID: taken.ID, State: "accepted"}, http.StatusAccepted
	switch {
	case taken.Refused == channel.Spoken:
		answer.State, status = "decided", http.StatusOK
	case taken.Refused == channel.Closed:
		answer.State, status = "closed", http.StatusOK
	case !taken.New:
		status = http.StatusOK
	}
	if taken.Done {
		answer.State = "done"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(answer)
}

// problem returns the answer to a refused message; nil: it was not refused.
func (h *Webhook) problem(why channel.Refusal, header http.Header) error {
	switch why {
	case channel.NotAllowed:
		return &comm.Problem{Code: comm.CodeForbidden, Message: "this sender may not talk", Hint: "add it to the channel's allow"}
	case channel.TooMany:
		header.Set("Retry-After", "60")
		return &comm.Problem{Code: comm.CodeTooManyTries, Message: "this sender sends too many messages a minute", Hint: "nothing has happened; send it again later"}
	case channel.TooLong:
		return &comm.Problem{Code: comm.CodeTooLarge, Message: fmt.Sprintf("the text is longer than %d bytes, or the name of the chat than %d", h.o.TextMax, comm.ChatBytesMax), Hint: "shorten it"}
	case channel.Conflict:
		return &comm.Problem{Code: comm.CodeConflict, Message: "another message came with this webhook-id", Hint: "give each message its own id"}
	}
	return nil
}

// senderBytesMax is the longest name of a sender. The names of 1,024 are kept (CHN-4), and each is logged once.
const senderBytesMax = 256

// read reads a message and checks its signature.
func (h *Webhook) read(w http.ResponseWriter, r *http.Request) (m channel.Message, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax(h.o.TextMax)))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return m, &comm.Problem{Code: comm.CodeTooLarge, Message: "the message is too long", Hint: fmt.Sprintf("its text has at most %d bytes", h.o.TextMax)}
	case err != nil:
		return m, comm.Broken(err, "the message", "nothing has happened; send it again")
	}
	keys, err := h.keys()
	if err != nil {
		h.o.Log.Error("cannot read the keys of a channel", "channel", h.o.Name, "error", err)
		return m, &comm.Problem{Code: comm.CodeStopping, Message: "the channel does not work now", Hint: "nothing has happened; shelly channel list says why"}
	}
	if m.ID, err = Verify(r.Header, keys, h.o.Now(), body); err != nil {
		h.o.Log.Debug("a message has no valid signature", "channel", h.o.Name, "error", err)
		return m, &comm.Problem{Code: comm.CodeUnauthorized, Message: err.Error(), Hint: "sign it as standardwebhooks.com says; its libraries need a key that begins with whsec_, here too"}
	}
	v, err := wire.Parse(body)
	if err == nil {
		err = v.Object(wire.Text("text", &m.Text), wire.Text("chat", &m.Chat), wire.Text("sender", &m.Sender))
	}
	switch {
	case err != nil:
	case strings.TrimSpace(m.Text) == "":
		err = errors.New(`"text" is missing or empty`)
	case strings.ContainsFunc(m.Chat, unicode.IsControl):
		err = errors.New(`"chat" holds a control character`)
	case v.Member("chat").Faithful() != nil:
		err = v.Member("chat").Faithful()
	case len(m.Sender) > senderBytesMax:
		err = fmt.Errorf(`"sender" is longer than %d bytes`, senderBytesMax)
	}
	if err != nil {
		return m, &comm.Problem{Code: comm.CodeBadRequest, Message: err.Error(), Hint: `send {"text": "…"}, and chat and sender if there are several`}
	}
	m.Sender = cmp.Or(m.Sender, h.o.Name)
	m.Chat = cmp.Or(m.Chat, "direct")
	return m, nil
}

// Body is the body of an outgoing message.
type Body struct {
	Type   channel.Kind `json:"type"` // answer, message, question or notice
	ID     string       `json:"id"`   // as webhook-id
	Chat   string       `json:"chat"`
	Re     string       `json:"re,omitempty"` // the webhook-id of the message that this answers
	Text   string       `json:"text"`
	Failed bool         `json:"failed,omitempty"` // the answer is an error
	More   bool         `json:"more,omitempty"`   // another part of it follows
	From   comm.Sender  `json:"from,omitempty"`   // of a message: what sent it
}

// Send implements [channel.Channel] (CHN-22).
func (h *Webhook) Send(ctx context.Context, m channel.Outbound) error {
	if h.o.URL == "" {
		return nil
	}
	keys, err := h.keys()
	if err != nil {
		return err
	}
	body, err := json.Marshal(Body{m.Kind, m.ID, m.Chat, m.Re, m.Text, m.Failed, m.More, m.From})
	if err != nil {
		return err
	}
	var got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(wrote httptrace.WroteRequestInfo) { got.Store(wrote.Err == nil) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.o.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "shelly")
	Sign(r.Header, keys[0], m.ID, h.o.Now(), body)
	answer, err := h.client.Do(r)
	err = egress.Bare(err)
	switch {
	case err != nil && got.Load():
		return &channel.OfChat{Err: err} // the receiver has it, and may answer to others
	case err != nil:
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.CopyN(io.Discard, answer.Body, answerBytesMax) // read the answer, so that the other side can finish writing it
	switch {
	case answer.StatusCode/100 == 2:
		return nil
	case answer.StatusCode/100 == 3:
		return fmt.Errorf("the answer is %s; redirects are not followed", answer.Status)
	case answer.StatusCode == http.StatusRequestEntityTooLarge, answer.StatusCode == http.StatusUnprocessableEntity:
		return &channel.Refused{Why: "the answer is " + answer.Status}
	}
	err = fmt.Errorf("the answer is %s", answer.Status)
	if after := h.retryAfter(answer.Header.Get("Retry-After")); after > 0 {
		err = &channel.Later{After: after, Err: err}
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return err // about the receiver, whatever the chat
	}
	return &channel.OfChat{Err: err}
}

// retryAfter reads when to send a message again: in seconds, or as a date (RFC 9110, 10.2.3). 0: it
// does not say.
func (h *Webhook) retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(h.o.Now())
	}
	return 0
}

// answerBytesMax is the most bytes of an answer that are read.
const answerBytesMax = 4 << 10
