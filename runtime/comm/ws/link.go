package ws

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/coder/websocket"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/failpoint"
)

// link is one connection.
type link struct {
	*server
	conn    *websocket.Conn
	life    context.Context // of the connection: a read or a write that it cuts off ends it without a close frame
	running sync.WaitGroup
	told    sync.WaitGroup // the requests that are followed

	mu      sync.Mutex
	follows map[fsm.RequestKey]*following
	parting bool // nothing more is followed
}

// following is a request that is followed.
type following struct{ end context.CancelFunc }

// frame is what a client sends.
type frame struct {
	Type, ID, Text, Session, Channel, Chat, After, Key, Grant, Reason string
}

// Event is an event of a request on the wire.
type Event struct {
	comm.Event
	Channel string `json:"channel,omitempty"`
	At      string `json:"at,omitempty"` // the position after this event
}

// Taken is the result of cancel, approve or deny.
type Taken struct {
	Type  string `json:"type"` // taken
	Of    string `json:"of"`   // cancel, approve or deny
	ID    string `json:"id"`
	Taken bool   `json:"taken"`
}

// Refusal is the answer to a refused frame.
type Refusal struct {
	Type  string       `json:"type"` // error
	Of    string       `json:"of,omitempty"`
	ID    string       `json:"id,omitempty"`
	Error comm.Problem `json:"error"`
}

// read answers frames until the connection ends, but none once ctx has.
func (l *link) read(ctx context.Context) error {
	for {
		kind, data, err := l.conn.Read(l.life)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			continue
		}
		var f frame
		if kind != websocket.MessageText {
			err = &comm.Problem{Code: comm.CodeBadRequest, Message: "the frame is not text", Hint: "send JSON as text"}
		} else {
			err = comm.DecodeTexts(data, map[string]*string{
				"type": &f.Type, "id": &f.ID, "text": &f.Text, "session": &f.Session, "channel": &f.Channel, "chat": &f.Chat,
				"after": &f.After, "key": &f.Key, "grant": &f.Grant, "reason": &f.Reason,
			})
		}
		if err == nil {
			err = l.heed(ctx, f)
		}
		if err != nil {
			p := comm.ProblemOf(err)
			comm.Misread(ctx, p)
			if err := l.send(Refusal{"error", f.Type, f.ID, *p}); err != nil {
				return err
			}
		}
	}
}

// heed carries out a frame.
func (l *link) heed(ctx context.Context, f frame) error {
	key := fsm.RequestKey{Principal: comm.CallerOf(ctx).Name, Channel: cmp.Or(f.Channel, comm.ChannelHTTP), ID: f.ID}
	switch f.Type {
	case "ask":
		after, err := f.heard()
		if err != nil {
			return err
		}
		return l.ask(ctx, key, f, after)
	case "follow":
		after, err := f.heard()
		if err := cmp.Or(comm.CheckID(f.ID), err); err != nil {
			return err
		}
		if _, err := l.find(ctx, key); err != nil {
			return err
		}
		if err := l.place(key); err != nil {
			return err
		}
		l.follow(ctx, key, after)
		return nil
	case "leave":
		l.leave(key)
		return comm.CheckID(f.ID)
	case "cancel", "approve", "deny":
		taken, err := l.say(ctx, key, f)
		if err != nil {
			return err
		}
		return l.send(Taken{"taken", f.Type, f.ID, taken})
	default:
		return &comm.Problem{Code: comm.CodeBadRequest, Message: fmt.Sprintf("frame type %s is unknown", wording.Quote(f.Type)), Hint: "the types are ask, follow, leave, cancel, approve and deny"}
	}
}

// heard reads how far a client has followed a request (COM-90); nil: it does not say.
func (f frame) heard() (*position.Position, error) {
	if f.After == "" {
		return nil, nil
	}
	p, err := position.Parse(f.After)
	if err != nil {
		return nil, &comm.Problem{Code: comm.CodeBadRequest, Message: err.Error(), Hint: "send the at of the last event that was received"}
	}
	return &p, nil
}

// ask passes a request to the daemon and follows it. It looks for a place for following first,
// because "busy" means that nothing has happened. If the request is refused, one with the same
// id is still followed.
func (l *link) ask(ctx context.Context, key fsm.RequestKey, f frame, after *position.Position) error {
	if err := l.place(key); err != nil {
		return err
	}
	origin := fsm.Origin{Channel: f.Channel, Chat: f.Chat}
	if origin.Chat != "" {
		origin.Channel = key.Channel
	}
	accepted, err := l.front.Accept(ctx, comm.Request{Key: key, Session: f.Session, Origin: origin, Text: f.Text})
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.HTTPAccepted)
	var at position.Position
	if after != nil {
		at = *after
	}
	l.leave(key)
	if err := l.send(Event{comm.Event{Type: comm.EventAccepted, ID: key.ID}, key.Channel, at.String()}); err != nil {
		return err
	}
	l.follow(ctx, key, comm.From(accepted, after))
	return nil
}

// find returns the handle of one of the caller's requests.
func (l *link) find(ctx context.Context, key fsm.RequestKey) (fsm.HandleID, error) {
	r, ok, err := l.front.Request(ctx, key)
	if err == nil && !ok {
		err = &comm.Problem{Code: comm.CodeNotFound, Message: fmt.Sprintf("there is no request %s in channel %s", wording.Quote(key.ID), wording.Quote(key.Channel)), Hint: "name its channel if it came another way"}
	}
	return r.Handle, err
}

// say passes on a person's decision about a request.
func (l *link) say(ctx context.Context, key fsm.RequestKey, f frame) (taken bool, err error) {
	if err = comm.CheckID(f.ID); err == nil && f.Type != "cancel" {
		err = comm.CheckKey(f.Key)
	}
	if err != nil {
		return false, err
	}
	handle, err := l.find(ctx, key)
	switch {
	case err != nil:
		return false, err
	case f.Type == "cancel":
		return l.front.Cancel(ctx, key)
	case !comm.CallerOf(ctx).May(access.Decide):
		return false, comm.CallerOf(ctx).Lacks(access.Decide)
	}
	d := fsm.Decided{Handle: handle, Key: f.Key, Approve: f.Type == "approve", Reason: f.Reason}
	if d.Grant, err = comm.Scope(f.Grant, d.Approve); err == nil {
		d, err = comm.Reasoned(d)
	}
	if err != nil {
		return false, err
	}
	return l.front.Decide(ctx, d)
}

// place returns a problem if the connection cannot follow a request besides the others. Frames
// are read one at a time, so a free place is not taken before the next frame.
func (l *link) place(key fsm.RequestKey) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.follows[key] == nil && len(l.follows) >= FollowsMax {
		return &comm.Problem{Code: comm.CodeBusy, Message: "too many requests are followed already", Hint: "leave others, or open another connection"}
	}
	return nil
}

// follow sends a request's events up to its reply. If the connection follows the request
// already, following starts over from the position.
func (l *link) follow(ctx context.Context, key fsm.RequestKey, after *position.Position) {
	l.leave(key)
	followed, cancel := context.WithCancel(ctx)
	f := &following{cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parting {
		cancel()
		return
	}
	l.follows[key] = f
	l.told.Go(func() {
		defer l.left(key, f)
		err := comm.Follow(followed, l.front, key, after, func(e comm.Event) error {
			if followed.Err() != nil && ctx.Err() == nil { // left
				return followed.Err()
			}
			if e.Type == comm.EventReply {
				failpoint.Hit(failpoint.HTTPReplyBefore)
				defer failpoint.Hit(failpoint.HTTPReplyAfter)
			}
			return l.send(Event{e, key.Channel, e.At.String()})
		})
		if err != nil && followed.Err() == nil {
			l.o.Log.Debug("no longer following a request", "error", err)
		}
	})
}

// leave stops following a request.
func (l *link) leave(key fsm.RequestKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, is := l.follows[key]; is {
		f.end()
		delete(l.follows, key)
	}
}

// left removes a request that was followed, unless it is being followed again.
func (l *link) left(key fsm.RequestKey, f *following) {
	f.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.follows[key] == f {
		delete(l.follows, key)
	}
}
