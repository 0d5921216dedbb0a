package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// The number of tries after a connection has broken, and the pauses before them: each is twice
// as long as the one before, up to the longest. Together about 14 s, enough to start a
// daemon again.
const (
	TriesMax   = 8
	pauseFirst = 100 * time.Millisecond
	pauseMax   = 4 * time.Second
)

// AskRequest is what to ask.
type AskRequest struct {
	ID      string   `json:"id"` // "": a new one
	Session string   `json:"session,omitempty"`
	Text    string   `json:"text"`
	Channel string   `json:"channel,omitempty"` // "": "http"
	Chat    string   `json:"chat,omitempty"`
	Images  [][]byte `json:"images,omitempty"`
}

// Typing says that a person has begun to write a request, which will be like the one given, and
// reports whether anything is read ahead for it (HND-72).
func (c *Client) Typing(ctx context.Context, r AskRequest) (reads bool, err error) {
	return c.tell(ctx, "/v1/typing", map[string]string{"session": r.Session, "channel": r.Channel, "chat": r.Chat})
}

// Reply is the answer to a request. IsError: there is none, and Text says why.
type Reply struct {
	ID      string      `json:"id"`
	Text    string      `json:"text"`
	IsError bool        `json:"is_error"`
	Outcome fsm.Outcome `json:"outcome,omitempty"`
}

// NewID returns an id of at least 128 random bits, which nobody has used.
func NewID() string { return rand.Text() }

// Ask sends a request, calls each with its events, and returns its reply. If
// the connection breaks it attaches again by id, and each gets exactly the rest, even from
// a restarted daemon (COM-90). Reply.ID is set on errors too.
//
// Errors to tell apart: ErrNotRunning, ErrSilent, ErrUnauthorized, ErrTooLarge,
// ErrDeferred, ErrInterrupted, engine.ErrBusy, engine.ErrConflict, engine.ErrStopping,
// engine.ErrNoSpace. An [Error] has the daemon's whole answer.
func (c *Client) Ask(ctx context.Context, r AskRequest, each func(comm.Event)) (Reply, error) {
	if r.ID == "" {
		r.ID = NewID()
	}
	a := asking{client: c, request: r, each: each, reply: Reply{ID: r.ID}}
	return a.run(ctx)
}

// Attach is Ask for a request that was accepted already; channel "" is that of Ask. If there is
// no such request the error is ErrNotFound.
func (c *Client) Attach(ctx context.Context, id, channel string, each func(comm.Event)) (Reply, error) {
	return c.AttachTo(ctx, About{ID: id, Channel: channel}, each)
}

// AttachTo is Attach to a request that may be another client's.
func (c *Client) AttachTo(ctx context.Context, about About, each func(comm.Event)) (Reply, error) {
	a := asking{client: c, request: AskRequest{ID: about.ID, Channel: about.Channel}, of: about.Client, each: each, accepted: true, reply: Reply{ID: about.ID}}
	return a.run(ctx)
}

// run attaches as often as needed, until the reply.
func (a *asking) run(ctx context.Context) (Reply, error) {
	for try := 0; ; try++ {
		heard := a.at
		err := a.attach(ctx)
		if a.at != heard {
			try = 0
		}
		if err == nil {
			return a.reply, nil
		}
		if ctx.Err() != nil {
			return a.reply, ctx.Err()
		}
		if !a.again(err) {
			return a.reply, err
		}
		if try == a.client.o.Tries {
			return a.reply, a.gaveUp(err)
		}
		a.client.o.Again()
		if err := a.client.o.Pause(ctx, pauseBefore(try)); err != nil {
			return a.reply, err
		}
	}
}

// pauseBefore is the pause before a further try, counted from 0.
func pauseBefore(try int) time.Duration { return min(pauseFirst<<min(try, 10), pauseMax) }

// asking is one Ask under way.
type asking struct {
	client  *Client
	request AskRequest
	of      string // the client whose request it is; "": the token's
	each    func(comm.Event)

	at       string // position of the last event received (COM-90)
	reached  bool   // there was a connection to the daemon
	accepted bool
	deferred bool
	reply    Reply
}

// attach follows the request up to its reply. Until the request is known to be accepted it
// is sent again: the daemon recognizes a repeated one by its id.
func (a *asking) attach(ctx context.Context) error {
	q, body := url.Values{}, []byte(nil)
	if a.at == "" && a.client.o.Beginning {
		q.Set("after", position.Position{}.String())
	} else if a.at != "" {
		q.Set("after", a.at)
	}
	method, path := http.MethodPost, "/v1/requests?"
	if a.accepted {
		method, path = http.MethodGet, About{ID: a.request.ID, Channel: a.request.Channel, Client: a.of}.with("/events", q)
	} else {
		q.Set("stream", "1")
		path += q.Encode()
		var err error
		if body, err = json.Marshal(a.request); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := a.client.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	a.reached = true
	defer func() { _ = response.Body.Close() }()
	silence := time.AfterFunc(a.client.o.SilenceMax, cancel)
	defer silence.Stop()
	replied := false
	err = readEvents(response.Body, func() { silence.Reset(a.client.o.SilenceMax) }, func(id string, e comm.Event) bool {
		a.at = cmp.Or(id, a.at)
		replied = a.take(e)
		return !replied
	})
	if replied {
		return nil
	}
	return err
}

// take handles one event and reports whether it is the reply.
func (a *asking) take(e comm.Event) bool {
	switch e.Type {
	case comm.EventAccepted:
		a.accepted = true
	case comm.EventDeferred:
		a.deferred = true
	case comm.EventReply:
		a.reply.Text, a.reply.IsError, a.reply.Outcome = e.Text, e.IsError, e.Outcome
	}
	if a.each != nil {
		a.each(e)
	}
	return e.Type == comm.EventReply
}

// again reports whether another try may help: not if the daemon refused
// the request, or was not there in the first place.
func (a *asking) again(err error) bool {
	refused := (*Error)(nil)
	switch {
	case errors.Is(err, ErrBroken):
		a.reached = true
		return true
	case errors.Is(err, ErrNotRunning), errors.Is(err, ErrSilent):
		return a.reached || a.accepted
	case errors.As(err, &refused) && refused.Code == comm.CodeUnknownOutcome:
		a.reached = true
		return true
	case refused != nil:
		return a.accepted && (errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrStopping))
	default:
		return false
	}
}

func (a *asking) gaveUp(err error) error {
	why := ErrInterrupted
	if a.deferred {
		why = ErrDeferred
	}
	return fmt.Errorf("request %s: %w (%w)", a.request.ID, why, err)
}
