package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
)

// Unanswered is the error for a request to a server at an address to which there was no answer of the
// protocol. The library would pass it on as an error that the server has answered with.
type Unanswered struct {
	Err    error
	Undone bool // the server has not acted on it
	Busy   bool // it would have at another time
	Gone   bool // the server, or the session, is not there any more
}

func (u *Unanswered) Error() string { return u.Err.Error() }

// Unwrap returns the reason.
func (u *Unanswered) Unwrap() error { return u.Err }

// Sender sends the HTTP requests of a session with a server at an address.
type Sender struct {
	Next   http.RoundTripper
	Least  time.Duration // the least time until a stream that was cut is opened again
	opened atomic.Bool   // a stream was
}

// Send sends a request; a message with its standard name and the headers that repeat its content. If
// the message is a request and there is no answer of the protocol, the error is a [Unanswered].
func (s *Sender) Send(req *http.Request) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet:
		return s.listen(req)
	case req.Method != http.MethodPost || req.Body == nil:
		return s.Next.RoundTrip(req)
	}
	e, err := standard(req)
	if err != nil {
		return nil, err
	}
	var reached atomic.Bool
	traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached.Store(true) }})
	resp, err := s.Next.RoundTrip(req.WithContext(traced))
	switch {
	case e.Method == "" || e.ID == nil: // nobody waits for an answer, and the library would end the session for a refusal
		if err == nil && resp.StatusCode >= 300 && !ended(req, resp) {
			_ = resp.Body.Close()
			resp.StatusCode, resp.Status, resp.Body = http.StatusAccepted, "", http.NoBody
		}
		return resp, err
	case err != nil:
		return nil, &Unanswered{Err: err, Undone: !reached.Load(), Gone: true}
	case resp.StatusCode >= 300:
		return refused(req, resp)
	case kind(resp) != streamed:
		return message(resp, e.ID)
	}
	of := cmp.Or(awaiting(req.Context()), &awaited{})
	of.id = e.ID
	resp.Body = newEvents(resp.Body, of, s.Least)
	return resp, nil
}

// messageBytesMax bounds an answer that comes in one piece.
const messageBytesMax = 64 << 20

// streamed is the type of a stream of events.
const streamed = "text/event-stream"

// kind returns the type of an answer, or "".
func kind(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

// message returns an answer with a status of success if it is the message that answers the request
// with an id. The library would end the session for anything else, and with it other calls, or wait.
func message(resp *http.Response, id json.RawMessage) (*http.Response, error) {
	defer func() { _ = resp.Body.Close() }()
	if kind := kind(resp); kind != "application/json" {
		return nil, &Unanswered{Err: fmt.Errorf("it answers HTTP %d with %s, not with a message of the protocol", resp.StatusCode, cmp.Or(kind, "no type"))}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, messageBytesMax+1))
	switch {
	case err != nil:
		return nil, &Unanswered{Err: fmt.Errorf("its answer cannot be read: %w", err)}
	case len(body) > messageBytesMax:
		return nil, &Unanswered{Err: fmt.Errorf("its answer is longer than %d bytes", messageBytesMax)}
	}
	switch m, err := jsonrpc.DecodeMessage(body); {
	case err != nil:
		return nil, &Unanswered{Err: unreadable(body, id)}
	case !answers(m, id):
		return nil, &Unanswered{Err: errors.New("its answer has another id than the request")}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// bodyBytesMax is how much of an error's body is read.
const bodyBytesMax = 64 << 10

// refused returns the error for an answer with another status than success, or the answer if it is
// one of the protocol.
func refused(req *http.Request, resp *http.Response) (*http.Response, error) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, bodyBytesMax))
	_ = resp.Body.Close()
	var w struct {
		ID    any
		Error struct{ Message string }
	}
	of := json.Unmarshal(body, &w) == nil && w.Error.Message != ""
	client := resp.StatusCode >= 400 && resp.StatusCode < 500
	gone := ended(req, resp) || resp.StatusCode == http.StatusBadRequest && w.ID == nil && req.Header.Get(sessionHeader) != "" // as some servers answer
	if of && w.ID != nil && client && !gone && resp.StatusCode != http.StatusTooManyRequests {                                 // the library passes it on
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
	said := w.Error.Message
	if !of && kind(resp) != "text/html" {
		said = string(body)
	}
	if said = excerpt(said, saidBytesMax); said != "" {
		said = ": " + said
	}
	return nil, &Unanswered{
		Err:    fmt.Errorf("it answers HTTP %d %s%s%s%s%s", resp.StatusCode, http.StatusText(resp.StatusCode), said, wait(resp), wants(resp), leads(req, resp)),
		Undone: client, Busy: resp.StatusCode == http.StatusTooManyRequests, Gone: gone,
	}
}

// wait says how long a server asks to be left alone, or nothing. Who calls decides itself how long it
// waits.
func wait(resp *http.Response) string {
	text := resp.Header.Get("Retry-After")
	if text == "" {
		return ""
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += " s"
	}
	return "; it asks to wait: " + excerpt(text, wording.ShownMax)
}

// wants says how a server wants to be asked, or nothing. Often only this says what is wrong with a token.
func wants(resp *http.Response) string {
	text := strings.Join(resp.Header.Values("WWW-Authenticate"), ", ")
	if text == "" {
		return ""
	}
	return "; it asks for: " + excerpt(text, saidBytesMax)
}

// leads says where a redirect leads, or nothing: the path of an address may be a secret, so only what
// differs from the address that was asked is shown.
func leads(req *http.Request, resp *http.Response) string {
	from, to := req.URL, resp.Header.Get("Location")
	at, err := from.Parse(to)
	if to == "" || err != nil || resp.StatusCode >= 400 {
		return ""
	}
	where := "another path of the same host"
	switch {
	case at.Hostname() != from.Hostname():
		where = excerpt(wording.Address(at.String()), saidBytesMax)
	case at.Scheme != from.Scheme:
		where = "the same host with " + at.Scheme
	case at.Port() != from.Port():
		where = "the same host at port " + at.Port()
	case at.Path == from.Path+"/":
		where = "the same address with a / at its end"
	case at.Path+"/" == from.Path:
		where = "the same address without the / at its end"
	}
	return "; no redirect is followed, and this one leads to " + where
}

// saidBytesMax is how much is shown of what an error's body or header says.
const saidBytesMax = 300

// excerpt returns what a server says as a line of at most most bytes.
func excerpt(text string, most int) string {
	return wording.OneLine(wording.Clip(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), most))
}

const sessionHeader = "Mcp-Session-Id"

// ended reports whether an answer says, as the protocol has it, that the session has ended.
func ended(req *http.Request, resp *http.Response) bool {
	return req.Header.Get(sessionHeader) != "" && resp.StatusCode == http.StatusNotFound
}

// plain returns a method's error as it is to be shown: a [Unanswered] alone, and others with the
// standard names of methods.
func plain(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		a := &awaited{}
		res, err := next(context.WithValue(ctx, awaitedKey{}, a), method, req)
		var un *Unanswered
		var refused *jsonrpc.Error
		switch {
		case err == nil:
			return res, nil
		case ctx.Err() == nil && a.err.Load() != nil:
			return nil, a.err.Load()
		case errors.As(err, &un):
			return nil, un
		case errors.As(err, &refused) && refused.Message == errNested.Error(): // in place of it
			return nil, &Unanswered{Err: errNested}
		case errors.As(err, &refused) && refused.Message == errBroken.Error():
			return nil, &Unanswered{Err: errBroken}
		}
		return nil, renamed{err}
	}
}

// Named returns an error of the library with the standard names of methods.
func Named(err error) error { return renamed{err} }

// renamed is an error that names the standard methods.
type renamed struct{ error }

func (r renamed) Error() string {
	text := r.error.Error()
	for own, name := range named { // order-free: none is part of another
		text = strings.ReplaceAll(text, `"`+own+`"`, `"`+name+`"`)
	}
	return text
}

// Unwrap returns the error.
func (r renamed) Unwrap() error { return r.error }
