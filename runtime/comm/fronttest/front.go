// Package fronttest has a daemon's front that a test drives by hand.
package fronttest

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/inbox"
)

// Front implements [comm.Front]. Nothing happens to an accepted request until
// the test says so.
type Front struct {
	mu        sync.Mutex
	changed   chan struct{} // closed at the next change
	refusal   error
	status    comm.Status
	held      chan struct{} // not nil: Accept waits until it is closed
	records   map[fsm.RequestKey]engine.Request
	standings []comm.Standing
	order     []string // ids as they were accepted
	asked     int      // calls of Accept
	waiting   int      // of them held now
	raised    []fsm.EventRaised
	requests  []comm.Request
	told      []fsm.Input
	deaf      bool // what a person says comes too late
	messages  []engine.Message
	inbox     *inbox.Inbox
	audit     []engine.Audit
	recorded  engine.Reader
	watchers  map[int]watcher
	last      int
	begun     int
	backup    func(ctx context.Context, w io.Writer) error
}

type watcher struct {
	key    fsm.RequestKey
	events chan comm.Event
	end    context.CancelFunc
}

// watcherBuffer is more than any test says without somebody listening.
const watcherBuffer = 256

// New returns a front that serves.
func New() *Front {
	return &Front{
		changed:  make(chan struct{}),
		inbox:    inbox.New(),
		status:   comm.Status{Version: "test", Lifecycle: state.Serving, Epoch: 1, Active: []comm.Active{}},
		records:  map[fsm.RequestKey]engine.Request{},
		watchers: map[int]watcher{},
	}
}

// lock returns the unlock that also tells whoever awaits a change.
func (f *Front) lock() (unlock func()) {
	f.mu.Lock()
	return func() {
		close(f.changed)
		f.changed = make(chan struct{})
		f.mu.Unlock()
	}
}

// Refuse makes Accept and Raise fail for what is new; nil ends it.
func (f *Front) Refuse(err error) {
	defer f.lock()()
	f.refusal = err
}

// SetLifecycle changes the status.
func (f *Front) SetLifecycle(s fsm.State) {
	defer f.lock()()
	f.status.Lifecycle = s
}

// SetNoSpace makes the status say why there is too little space; empty: there is enough.
func (f *Front) SetNoSpace(why string) {
	defer f.lock()()
	f.status.NoSpace = why
}

// Hold makes Accept wait until the returned function is called.
func (f *Front) Hold() (release func()) {
	defer f.lock()()
	held := make(chan struct{})
	f.held = held
	return sync.OnceFunc(func() {
		defer f.lock()()
		f.held = nil
		close(held)
	})
}

// Accept implements [comm.Front].
func (f *Front) Accept(ctx context.Context, r comm.Request) (engine.Acceptance, error) {
	if err := f.wait(ctx); err != nil {
		return engine.Acceptance{}, err
	}
	defer f.lock()()
	f.asked++
	known, ok := f.records[r.Key]
	switch {
	case ok && (known.Text != r.Text || known.Session != r.Session || known.Origin != r.Origin):
		return engine.Acceptance{}, engine.ErrConflict
	case ok:
		return engine.Acceptance{Request: known}, nil
	case f.refusal != nil:
		return engine.Acceptance{}, f.refusal
	}
	f.order = append(f.order, r.Key.ID)
	f.requests = append(f.requests, r)
	known = engine.Request{
		Key: r.Key, Handle: fsm.HandleID(len(f.order)), Session: r.Session, Origin: r.Origin, Text: r.Text, Accepted: 1,
	}
	f.records[r.Key] = known
	return engine.Acceptance{Request: known, New: true}, nil
}

// wait waits while Accept is held.
func (f *Front) wait(ctx context.Context) error {
	unlock := f.lock()
	held := f.held
	if held == nil {
		unlock()
		return nil
	}
	f.waiting++
	unlock()
	defer func() { defer f.lock()(); f.waiting-- }()
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Raise implements [comm.Front].
func (f *Front) Raise(_ context.Context, e fsm.EventRaised) error {
	defer f.lock()()
	if f.refusal != nil {
		return f.refusal
	}
	f.raised = append(f.raised, e)
	return nil
}

// Cancel implements [comm.Front].
func (f *Front) Cancel(_ context.Context, key fsm.RequestKey) (bool, error) {
	return f.tell(fsm.Input{Fact: fsm.CancelRequested{Request: key}})
}

// CancelHandle implements [comm.Front].
func (f *Front) CancelHandle(_ context.Context, id fsm.HandleID) (bool, error) {
	return f.tell(fsm.Input{Fact: fsm.CancelRequested{Handle: id}})
}

// Schedules implements [comm.Scheduler].
func (f *Front) Schedules(context.Context) ([]comm.Schedule, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []comm.Schedule{{ID: "s1", Text: "water the plants", EverySeconds: 60, Next: 60_000}}, f.refusal
}

// Schedule implements [comm.Scheduler].
func (f *Front) Schedule(_ context.Context, in fsm.ScheduleChanged) (string, bool, error) {
	taken, err := f.tell(fsm.Input{Fact: in})
	return cmp.Or(in.Schedule, "s2"), taken, err
}

// Decide implements [comm.Front].
func (f *Front) Decide(_ context.Context, d fsm.Decided) (bool, error) {
	return f.tell(fsm.Input{Fact: d})
}

// Resolve implements [comm.Front].
func (f *Front) Resolve(_ context.Context, r fsm.Resolved) (bool, error) {
	return f.tell(fsm.Input{Fact: r})
}

// Approvals implements [comm.Approver].
func (f *Front) Approvals(context.Context) ([]comm.Approval, error) {
	defer f.lock()()
	return []comm.Approval{{ID: "g1", Session: "s", Tool: "exec", Match: map[string]string{"command": "make"}}}, f.refusal
}

// Revoke implements [comm.Approver].
func (f *Front) Revoke(_ context.Context, r fsm.Revoked) (bool, error) {
	return f.tell(fsm.Input{Fact: r})
}

func (f *Front) tell(in fsm.Input) (bool, error) {
	defer f.lock()()
	if f.refusal != nil {
		return false, f.refusal
	}
	f.told = append(f.told, in)
	return !f.deaf, nil
}

// Deafen makes what a person says come too late.
func (f *Front) Deafen() {
	defer f.lock()()
	f.deaf = true
}

// Send puts messages into the front's chats; Messages returns them by channel, chat,
// position and limit.
func (f *Front) Send(messages ...engine.Message) {
	defer f.lock()()
	f.messages = append(f.messages, messages...)
}

// Unsend takes messages from a position on out again.
func (f *Front) Unsend(from uint64) {
	defer f.lock()()
	f.messages = slices.DeleteFunc(f.messages, func(m engine.Message) bool { return m.Position >= from })
}

// Messages implements [comm.Mailbox].
func (f *Front) Messages(_ context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	var found []engine.Message
	for _, m := range f.messages {
		if m.IsTo(to) && m.Position > after && len(found) < limit {
			found = append(found, m)
		}
	}
	return found, nil
}

// Listen implements [comm.Mailbox].
func (f *Front) Listen(ctx context.Context, to fsm.Origin) <-chan struct{} {
	news := make(chan struct{}, 1)
	go func() {
		defer close(news)
		for n := -1; ; {
			f.mu.Lock()
			has, changed := len(f.messages), f.changed
			f.mu.Unlock()
			if has != n {
				n = has
				select {
				case news <- struct{}{}:
				default:
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return news
}

// Inbox implements [comm.Mailbox].
func (f *Front) Inbox() *inbox.Inbox { return f.inbox }

// Read implements [comm.Mailbox].
func (f *Front) Read(_ context.Context, marks []inbox.Mark) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return f.refusal
	}
	return f.inbox.Read(^uint64(0), marks...)
}

// Unread implements [comm.Mailbox].
func (f *Front) Unread(ctx context.Context) (comm.Unread, error) {
	return comm.Count(f.inbox, func(after uint64) ([]engine.Message, error) {
		return f.Messages(ctx, fsm.Origin{}, after, engine.ReadMax)
	})
}

// Used puts records of ended tool calls into the front; Audit returns them by session,
// position and limit.
func (f *Front) Used(audit ...engine.Audit) {
	defer f.lock()()
	f.audit = append(f.audit, audit...)
}

// Audit implements [comm.Front].
func (f *Front) Audit(_ context.Context, session string, after uint64, limit int) ([]engine.Audit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	var found []engine.Audit
	for _, a := range f.audit {
		if (session == "" || a.Session == session) && a.Position > after && len(found) < limit {
			found = append(found, a)
		}
	}
	return found, nil
}

// Record makes the front's journal; without one it is empty.
func (f *Front) Record(j engine.Reader) {
	defer f.lock()()
	f.recorded = j
}

// Recorded implements [comm.Front].
func (f *Front) Recorded(context.Context) (engine.Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	if f.recorded == nil {
		return engine.NewMemoryJournal(), nil
	}
	return f.recorded, nil
}

// Stand makes the unfinished handles stand so.
func (f *Front) Stand(all ...comm.Standing) {
	defer f.lock()()
	f.standings = all
}

// Standings implements [comm.Front].
func (f *Front) Standings(context.Context) ([]comm.Standing, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.standings, nil
}

// KeepBackup makes what Backup does; without it nothing is written.
func (f *Front) KeepBackup(write func(ctx context.Context, w io.Writer) error) {
	defer f.lock()()
	f.backup = write
}

// Backup implements [comm.Front].
func (f *Front) Backup(ctx context.Context, w io.Writer) error {
	f.mu.Lock()
	write := f.backup
	f.mu.Unlock()
	if write == nil {
		return nil
	}
	return write(ctx, w)
}

// Request implements [comm.Front].
func (f *Front) Request(_ context.Context, key fsm.RequestKey) (engine.Request, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.records[key]
	return r, ok, nil
}

// Watch implements [comm.Front].
func (f *Front) Watch(ctx context.Context, key fsm.RequestKey) (<-chan comm.Event, error) {
	defer f.lock()()
	events := make(chan comm.Event, watcherBuffer)
	if r := f.records[key]; r.Done {
		events <- comm.Event{Type: comm.EventReply, Text: r.Reply, IsError: r.IsError}
		close(events)
		return events, nil
	}
	events <- comm.Event{Type: comm.EventState, State: state.Queued}
	ctx, cancel := context.WithCancel(ctx)
	f.last++
	n := f.last
	f.watchers[n] = watcher{key, events, cancel}
	context.AfterFunc(ctx, func() { f.leave(n) })
	return events, nil
}

// Replied implements [comm.Front].
func (f *Front) Replied(ctx context.Context, r engine.Request) (engine.Request, error) {
	events, err := f.Watch(ctx, r.Key)
	if err != nil {
		return r, err
	}
	for e := range events {
		if e.Type == comm.EventReply {
			break
		}
	}
	if now, ok, _ := f.Request(ctx, r.Key); ok {
		r = now
	}
	return r, ctx.Err()
}

// WatchFrom implements [comm.Front]. It tells by an event of its own what it was asked, but
// for the beginning, which is counted.
func (f *Front) WatchFrom(ctx context.Context, key fsm.RequestKey, after position.Position) (<-chan comm.Event, error) {
	if after == (position.Position{}) {
		f.begin() // before the watch, so that who sees the watch sees the count
		return f.Watch(ctx, key)
	}
	events, err := f.Watch(ctx, key)
	f.Say(key, comm.Event{Type: comm.EventWaiting, Text: "after " + after.String(), At: after})
	return events, err
}

func (f *Front) begin() {
	defer f.lock()()
	f.begun++
}

func (f *Front) leave(n int) {
	defer f.lock()()
	if w, ok := f.watchers[n]; ok {
		delete(f.watchers, n)
		close(w.events)
		w.end()
	}
}

// Say tells the watchers of a request something.
func (f *Front) Say(key fsm.RequestKey, events ...comm.Event) {
	defer f.lock()()
	f.say(key, events...)
}

func (f *Front) say(key fsm.RequestKey, events ...comm.Event) {
	for _, w := range f.watchers { // order-free: each hears the same
		for _, e := range events {
			if w.key == key {
				w.events <- e
			}
		}
	}
}

// Reply ends a request.
func (f *Front) Reply(key fsm.RequestKey, text string, isError bool) {
	defer f.lock()()
	r := f.records[key]
	r.Done, r.Reply, r.IsError, r.Replied = true, text, isError, 2
	f.records[key] = r
	f.say(key, comm.Event{Type: comm.EventReply, Text: text, IsError: isError})
}

// Cut ends every watch without a reply, as a stopping daemon does.
func (f *Front) Cut() {
	f.mu.Lock()
	open := slices.Sorted(maps.Keys(f.watchers))
	f.mu.Unlock()
	for _, n := range open {
		f.leave(n)
	}
}

// Status implements [comm.Front].
func (f *Front) Status(context.Context) comm.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// Seen is what the front has been asked for.
type Seen struct {
	Accepted []string // ids, in order
	Asked    int      // calls of Accept
	Raised   []fsm.EventRaised
	Requests []comm.Request // as they were accepted
	Told     []fsm.Input    // what a person said
	Held     int            // calls of Accept that wait now
	Watching int            // watches open now
	Begun    int            // watches from the beginning of a request
}

// Seen returns what has been asked for so far.
func (f *Front) Seen() Seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen()
}

func (f *Front) seen() Seen {
	return Seen{
		Accepted: slices.Clone(f.order), Asked: f.asked, Raised: slices.Clone(f.raised),
		Requests: slices.Clone(f.requests), Told: slices.Clone(f.told), Held: f.waiting, Watching: len(f.watchers), Begun: f.begun,
	}
}

// Await returns once what has been asked for is as wanted, or when ctx ends.
func (f *Front) Await(ctx context.Context, wanted func(Seen) bool) error {
	for {
		f.mu.Lock()
		seen, changed := f.seen(), f.changed
		f.mu.Unlock()
		if wanted(seen) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
