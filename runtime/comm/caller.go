package comm

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm/position"
)

// ChannelClient is the channel of the chats of clients that may not use everything. The names
// of a client's own chats begin with the client's name (COM-87).
const ChannelClient = "client"

// directChat is the chat of a client's requests that name neither session nor chat.
const directChat = "direct"

// Caller is who asks (COM-86): the principal of its requests, and what it may do.
type Caller struct {
	Name   string
	Rights access.Rights
	paged  bool // by a page's token (COM-72)

	counters *Counters // of the listener that it asks; nil: nobody counts
}

// Local is the holder of the daemon's own token.
func Local() Caller { return Caller{Name: Principal, Rights: access.Rights{access.All}} }

// May reports whether the caller has a right.
func (c Caller) May(r access.Right) bool { return c.Rights.Has(r) }

// Lacks is the problem of a caller that does not have a right.
func (c Caller) Lacks(r access.Right) *Problem {
	if c.Name == "" {
		return errNobody
	}
	return &Problem{CodeForbidden, fmt.Sprintf("the token of %s does not give the right %s", c.Name, r), "make a token that does with: shelly token add NAME --can " + string(r)}
}

// Everything reports whether the caller sees what is not its own.
func (c Caller) Everything() bool { return c.May(access.All) }

type callerKey struct{}

// WithCaller returns a context in which a caller asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a context. Without one it is a caller that may do nothing.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// prefix begins the names of the caller's own chats, and, after "client:", of its sessions.
func (c Caller) prefix() string { return c.Name + "/" }

// session is the session that the caller means. A caller that may not use every session gets
// one of its own, whatever it names (COM-87).
func (c Caller) session(id string) string {
	if c.Everything() || id == "" {
		return id
	}
	return ChannelClient + ":" + c.prefix() + id
}

// chat is the chat that the caller means, likewise.
func (c Caller) chat(o fsm.Origin) fsm.Origin {
	if c.Everything() {
		return o
	}
	name := cmp.Or(o.Chat, directChat)
	if o.Channel != "" && o.Channel != ChannelHTTP {
		name = o.Channel + ":" + name
	}
	return fsm.Origin{Channel: ChannelClient, Chat: c.prefix() + name}
}

// own makes a request the caller's.
func (c Caller) own(r Request) Request {
	r.Key.Principal = c.Name
	r.Session, r.Origin = c.session(r.Session), c.chat(r.Origin)
	return r
}

// shows returns a record as the caller may see it: the names of its own without the prefix.
func (c Caller) shows(r Record) Record {
	if !c.Everything() {
		r.Session, r.InSession, r.Chat, r.Client = c.Short(r.Session), c.Short(r.InSession), strings.TrimPrefix(r.Chat, c.prefix()), ""
	}
	return r
}

// Short is the name of a session as the caller has it.
func (c Caller) Short(session string) string {
	if c.Everything() {
		return session
	}
	return strings.TrimPrefix(session, ChannelClient+":"+c.prefix())
}

// owns reports whether a session is one that the caller sees.
func (c Caller) owns(session string) bool {
	return c.Everything() || strings.HasPrefix(session, ChannelClient+":"+c.prefix())
}

// receives reports whether a chat is one that the caller sees.
func (c Caller) receives(to fsm.Origin) bool {
	return c.Everything() || to.Channel == ChannelClient && strings.HasPrefix(to.Chat, c.prefix())
}

// receive returns a message as the caller may see it, likewise.
func (c Caller) receive(m Message) Message {
	if !c.Everything() {
		m.Session, m.To.Chat = c.Short(m.Session), strings.TrimPrefix(m.To.Chat, c.prefix())
	}
	return m
}

// by is the name under which the caller decides. A caller that may not do everything can only
// speak for itself.
func (c Caller) by(said string) string {
	if said != "" && c.Everything() {
		return said
	}
	return c.Name
}

// KeyOf returns the key of the request that a route names, by its id, its channel
// (?channel=), and, for a caller that sees everything, whose it is (?client=).
func KeyOf(r *http.Request) (fsm.RequestKey, error) {
	caller, q := CallerOf(r.Context()), r.URL.Query()
	key := fsm.RequestKey{Principal: caller.Name, Channel: ChannelHTTP, ID: r.PathValue("id")}
	if q.Has("channel") {
		key.Channel = q.Get("channel")
	}
	if q.Has("client") {
		if key.Principal = q.Get("client"); key.Principal != caller.Name && !caller.Everything() {
			return fsm.RequestKey{}, &Problem{CodeForbidden, "the request would be another client's", "leave client out; this token's own requests need none"}
		}
		if err := checkChannel(key.Principal); err != nil {
			return fsm.RequestKey{}, badRequest(fmt.Sprintf("query parameter client is %q", key.Principal), "name a client, or local")
		}
	}
	if err := checkName("id", key.ID, 1, IDBytesMax); err != nil {
		return fsm.RequestKey{}, err
	}
	return key, checkChannel(key.Channel)
}

// Owned returns a front that keeps callers apart (COM-86, COM-87): a caller reaches only what is
// its own, however the call came in. A context without a caller reaches nothing.
func Owned(front Front) Front {
	if _, is := front.(owned); is {
		return front
	}
	return owned{front}
}

type owned struct{ Front }

// errNobody is a defect of the calling code: a context that names no caller.
var errNobody = &Problem{CodeForbidden, "the caller is unknown", "show a token"}

// foreign reports whether a request is not the caller's to see.
func (c Caller) foreign(key fsm.RequestKey) bool {
	return c.Name == "" || key.Principal != c.Name && !c.Everything()
}

// Accept implements [Front]: the request is the caller's, whatever it says.
func (o owned) Accept(ctx context.Context, r Request) (engine.Acceptance, error) {
	caller := CallerOf(ctx)
	if !caller.May(access.Ask) {
		return engine.Acceptance{}, caller.Lacks(access.Ask)
	}
	r = caller.own(r)
	if err := checkRequest(r); err != nil { // the prefix may have made a name too long
		return engine.Acceptance{}, err
	}
	a, err := o.Front.Accept(ctx, r)
	if caller.counters != nil {
		caller.counters.accept(a, err)
	}
	return a, err
}

// Typing implements [Front]: the session is the caller's, whatever it says.
func (o owned) Typing(ctx context.Context, session string, from fsm.Origin) (bool, error) {
	caller := CallerOf(ctx)
	if !caller.May(access.Ask) {
		return false, caller.Lacks(access.Ask)
	}
	session = caller.session(session)
	if err := checkName("session", session, 0, SessionBytesMax); err != nil { // the prefix may have made it too long
		return false, err
	}
	return o.Front.Typing(ctx, session, caller.chat(from))
}

// Request implements [Front].
func (o owned) Request(ctx context.Context, key fsm.RequestKey) (engine.Request, bool, error) {
	if CallerOf(ctx).foreign(key) {
		return engine.Request{}, false, nil
	}
	return o.Front.Request(ctx, key)
}

// Watch implements [Front].
func (o owned) Watch(ctx context.Context, key fsm.RequestKey) (<-chan Event, error) {
	if CallerOf(ctx).foreign(key) {
		return nil, errNobody
	}
	return o.Front.Watch(ctx, key)
}

// Replied implements [Front].
func (o owned) Replied(ctx context.Context, r engine.Request) (engine.Request, error) {
	if CallerOf(ctx).foreign(r.Key) {
		return r, errNobody
	}
	return o.Front.Replied(ctx, r)
}

// WatchFrom implements [Front].
func (o owned) WatchFrom(ctx context.Context, key fsm.RequestKey, after position.Position) (<-chan Event, error) {
	if CallerOf(ctx).foreign(key) {
		return nil, errNobody
	}
	return o.Front.WatchFrom(ctx, key, after)
}

// Cancel implements [Front].
func (o owned) Cancel(ctx context.Context, key fsm.RequestKey) (bool, error) {
	if CallerOf(ctx).foreign(key) {
		return false, errNobody
	}
	return o.Front.Cancel(ctx, key)
}

// Messages implements [Mailbox]. For a caller that sees only its own chats, every chat means
// every chat of its own.
func (o owned) Messages(ctx context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	caller := CallerOf(ctx)
	if caller.Everything() || to.Chat != "" {
		return o.Front.Messages(ctx, caller.chat(to), after, limit)
	}
	var own []engine.Message
	for len(own) < limit {
		found, err := o.Front.Messages(ctx, fsm.Origin{Channel: ChannelClient}, after, engine.ReadMax)
		if err != nil || len(found) == 0 {
			return own, err
		}
		for _, m := range found {
			if caller.receives(m.To) {
				own = append(own, m)
			}
		}
		after = found[len(found)-1].Position
	}
	return own[:limit], nil
}

// Listen implements [Mailbox].
func (o owned) Listen(ctx context.Context, to fsm.Origin) <-chan struct{} {
	switch caller := CallerOf(ctx); {
	case caller.Everything():
	case to.Chat == "":
		to = fsm.Origin{Channel: ChannelClient}
	default:
		to = caller.chat(to)
	}
	return o.Front.Listen(ctx, to)
}

// Decide implements [Front]. A client cannot approve what holds for everyone's requests.
func (o owned) Decide(ctx context.Context, d fsm.Decided) (bool, error) {
	caller := CallerOf(ctx)
	if d.Grant == fsm.GrantAlways && !caller.Everything() {
		return false, &Problem{CodeForbidden, "an approval for always would also hold for the requests of others", "approve it once or for the session"}
	}
	if err := o.answers(ctx, d.Handle); err != nil {
		return false, err
	}
	d.By = caller.by(d.By)
	return o.Front.Decide(ctx, d)
}

// Resolve implements [Front].
func (o owned) Resolve(ctx context.Context, r fsm.Resolved) (bool, error) {
	if err := o.answers(ctx, r.Handle); err != nil {
		return false, err
	}
	return o.Front.Resolve(ctx, r)
}

// answers returns a problem if the caller may not answer a question about a handle.
func (o owned) answers(ctx context.Context, id fsm.HandleID) error {
	caller := CallerOf(ctx)
	if !caller.May(access.Decide) {
		return caller.Lacks(access.Decide)
	}
	if caller.Everything() {
		return nil
	}
	all, err := o.Standings(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Handle == id && caller.foreign(s.Request) {
			return &Problem{CodeForbidden, "the question is not about a request of this token's", "answer those of its own requests"}
		}
	}
	return nil // a handle that has ended waits for nobody
}
