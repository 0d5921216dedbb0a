package fronttest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
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
	deaf      bool // every decision comes too late
	messages  []engine.Message
	inbox     *inbox.Inbox
	audit     []engine.Audit
	recorded  engine.Reader
	watchers  map[int]watcher
	last      int
	begun     int
	backup    func(ctx context.Context, w io.Writer) error
}

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

// lock locks the front; unlock also wakes those that await a change.
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
	if len(r.Images)+len(r.Context) > 0 {
		known.Body = "a hash"
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
	refusal := f.refusal
	if errors.As(refusal, new(*engine.UnfitError)) { // of a change
		refusal = nil
	}
	return []comm.Schedule{{ID: "s1", Text: "water the plants", EverySeconds: 60, Next: 60_000}}, refusal
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

// Typing implements [comm.Front].
func (f *Front) Typing(_ context.Context, session string, from fsm.Origin) (bool, error) {
	session, _ = fsm.Belongs(session, from)
	return f.tell(fsm.Input{Fact: fsm.Typing{Session: session}})
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

// Deafen makes every decision of a person come too late.
func (f *Front) Deafen() {
	defer f.lock()()
	f.deaf = true
}

// Record sets the front's journal; without one it is empty.
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

// Stand sets the standings of the unfinished handles.
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

// KeepBackup sets what Backup does; without it nothing is written.
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

// Status implements [comm.Front].
func (f *Front) Status(context.Context) comm.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}
