package lockstep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/store"
	"shelly/sim"
	"shelly/sim/script"
)

// bubble is one case in the daemon's loop, in the virtual time of a bubble. The simulated run
// is the world: its external inputs are given at their times, and each call ends as it did
// there. Timers, schedules, stops and exits are the daemon's own.
type bubble struct {
	ctx   context.Context
	plan  *sim.Plan
	steps []sim.Step
	began time.Time
	loads atomic.Bool   // the model is not loaded when the daemon asks
	jumps []sim.Moment  // jumps of the wall clock that are still to come
	gone  chan struct{} // closed when the process has ended, with what it started

	store  *store.Store
	daemon *daemon.Daemon
	end    context.CancelFunc
	ended  chan error // of Run

	mu       sync.Mutex
	wrong    []string
	skew     fsm.Millis
	outcomes map[fsm.CallID]fsm.Fact      // of the simulated run
	caused   map[fsm.CallID]fsm.Effect    // the effect that made each call in it
	due      map[fsm.CallID]chan struct{} // closed when the outcome comes
	started  map[fsm.CallID]bool
	clients  map[fsm.RequestKey]<-chan comm.Event
	heard    map[fsm.RequestKey][]comm.Event // by each client in this step
	chunks   map[fsm.CallID][]sim.Chunk      // of the simulated run
	offers   map[fsm.CallID][]fsm.ToolDecl
	armed    map[fsm.TimerID]time.Duration // when each was armed, since the bubble began
	streams  map[fsm.CallID]func(daemon.Piece)
	whole    map[fsm.CallID]string // results of tools; the facts may have only a part of them
}

func newBubble(p *sim.Plan, r *sim.Result) *bubble {
	b := &bubble{
		plan: p, steps: r.Steps, began: time.Now(), gone: make(chan struct{}),
		outcomes: map[fsm.CallID]fsm.Fact{}, caused: map[fsm.CallID]fsm.Effect{}, due: map[fsm.CallID]chan struct{}{},
		started: map[fsm.CallID]bool{}, offers: map[fsm.CallID][]fsm.ToolDecl{}, clients: map[fsm.RequestKey]<-chan comm.Event{},
		heard: map[fsm.RequestKey][]comm.Event{}, chunks: map[fsm.CallID][]sim.Chunk{}, armed: map[fsm.TimerID]time.Duration{}, streams: map[fsm.CallID]func(daemon.Piece){},
		whole: map[fsm.CallID]string{},
	}
	for _, m := range p.Timeline {
		if m.Jump != 0 {
			b.jumps = append(b.jumps, m)
		}
	}
	slices.SortStableFunc(b.jumps, func(x, y sim.Moment) int { return cmp.Compare(x.At, y.At) })
	for _, c := range r.Chunks {
		b.chunks[c.Call] = append(b.chunks[c.Call], c)
	}
	for _, ran := range r.Ran {
		if ran.Act != script.Nothing {
			b.whole[ran.Run.Call] = p.Stubs[ran.Act.Script].Acts[ran.Act.Index].Returns
		}
	}
	for _, a := range r.Asked {
		b.offers[a.Ask.Call] = a.Config.Shown(&a.Ask)
	}
	for _, s := range r.Steps {
		if call := fsm.Answers(s.Input); call != 0 {
			b.outcomes[call] = s.Input.Fact
		}
		for _, e := range s.Effects {
			if call := fsm.CallOf(e); call != 0 {
				b.caused[call], b.due[call] = e, make(chan struct{})
			}
		}
	}
	return b
}

// play makes each step happen and compares it, and returns what differs.
func (b *bubble) play(ctx context.Context) []string {
	var err error
	b.ctx = ctx
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 2 * reserveBytes, TotalBytes: 4 * reserveBytes})
	if b.store, err = store.Open(storeFolder, store.Options{FS: fs, ReserveBytes: reserveBytes}); err != nil {
		return []string{err.Error()}
	}
	b.all()
	b.stop()
	if err := b.store.Close(); err != nil {
		b.fail("close the store: %v", err)
	}
	return b.wrong
}

// all makes each step happen until one differs, and then checks what is left.
func (b *bubble) all() {
	for i := range b.steps {
		if !b.step(i) {
			return
		}
	}
	time.Sleep(time.Millisecond)
	synctest.Wait()
	if kept, err := b.store.Kept(); err != nil || kept.Last != uint64(len(b.steps)) {
		b.fail("the daemon took %d steps, the simulator %d; %v", kept.Last, len(b.steps), err)
	}
	for call, e := range b.caused {
		_, embeds := e.(fsm.Embed)
		_, reads := e.(fsm.ReadText) // the daemon reads these from its own journal
		if !b.started[call] && !reads && !(embeds && b.plan.NoVectors) {
			b.fail("call %d was never made: %s", call, kinds([]fsm.Effect{e}))
		}
	}
}

// stop shuts the process down.
func (b *bubble) stop() {
	if b.daemon != nil {
		b.end()
		b.exit()
		<-b.ended
	}
}

func (b *bubble) fail(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// exit ends whatever the process has started.
func (b *bubble) exit() {
	select {
	case <-b.gone:
	default:
		close(b.gone)
	}
}

// step makes a step of the simulated run happen and reports whether the daemon took it.
func (b *bubble) step(i int) bool {
	s := &b.steps[i]
	b.until(i)
	if err := b.bring(s); err != nil {
		b.fail("step %d: %s: %v", i+1, fsm.InputKind(s.Input), err)
		return false
	}
	synctest.Wait()
	for _, e := range s.Effects {
		switch e := e.(type) {
		case fsm.SetTimer:
			b.armed[e.Timer] = time.Since(b.began)
		case fsm.Exit:
			b.exit()
		}
	}
	b.listen()
	b.hears(i)
	return b.compare(i + 1)
}

// until waits for the time of a step. Steps of one millisecond come one after the other within
// it; a step caused by a timer comes in the order in which the timer was armed.
func (b *bubble) until(i int) {
	s := &b.steps[i]
	at := time.Duration(s.At-b.plan.Start) * time.Millisecond
	switch in := s.Input.Fact.(type) {
	case fsm.TimerFired:
		at += b.armed[in.Timer] % time.Millisecond
	case fsm.ScheduleDue:
		at += time.Millisecond - 1
	default:
		at += time.Duration(i+1) * 100
	}
	for ; len(b.jumps) > 0 && b.jumps[0].At <= s.At-b.plan.Start; b.jumps = b.jumps[1:] {
		time.Sleep(time.Duration(b.jumps[0].At)*time.Millisecond - time.Since(b.began))
		b.mu.Lock()
		b.skew += b.jumps[0].Jump
		b.mu.Unlock()
	}
	time.Sleep(at - time.Since(b.began))
}

// bring gives the daemon the input of a step of the simulated run.
func (b *bubble) bring(s *sim.Step) (err error) {
	switch in := s.Input.Fact.(type) {
	case fsm.Boot:
		return b.boot(in.Config)
	case fsm.Requested:
		_, err = b.daemon.Accept(b.ctx, comm.Request{
			Key: in.Request, Session: in.Session, Origin: in.Origin, Text: in.Text, Images: in.Images, Context: in.Context,
		})
		if err == nil {
			b.clients[in.Request], err = b.daemon.Watch(b.ctx, in.Request)
		}
	case fsm.EventRaised:
		err = b.daemon.Raise(b.ctx, in)
	case fsm.Signalled:
		b.daemon.Signal(in.Name)
	case fsm.CancelRequested:
		if in.Handle != 0 {
			_, err = b.daemon.CancelHandle(b.ctx, in.Handle)
		} else {
			_, err = b.daemon.Cancel(b.ctx, in.Request)
		}
	case fsm.Decided:
		_, err = b.daemon.Decide(b.ctx, in)
	case fsm.Resolved:
		_, err = b.daemon.Resolve(b.ctx, in)
	case fsm.Revoked:
		_, err = b.daemon.Revoke(b.ctx, in)
	case fsm.Typing:
		b.loads.Store(in.Unloaded)
		_, err = b.daemon.Typing(b.ctx, in.Session, fsm.Origin{})
	case fsm.ScheduleChanged:
		_, _, err = b.daemon.Schedule(b.ctx, in)
	case fsm.Configured:
		err = b.daemon.Configure(b.ctx, in.Config)
	case fsm.BrainProgress:
		b.mu.Lock()
		stream := b.streams[in.Call]
		b.mu.Unlock()
		stream(daemon.Piece{Stage: in.Stage})
	case fsm.TimerFired, fsm.ScheduleDue: // the daemon brings them itself
	default:
		call := fsm.Answers(s.Input)
		b.speak(call)
		close(b.due[call])
	}
	return err
}

// boot starts a process.
func (b *bubble) boot(config fsm.Config) (err error) {
	if b.daemon != nil {
		select {
		case err = <-b.ended:
		case <-time.After(time.Hour):
			err = errors.New("not ended within an hour")
		}
		if err != nil {
			return fmt.Errorf("the previous process: %w", err)
		}
	}
	b.mu.Lock()
	b.gone = make(chan struct{})
	b.mu.Unlock()
	clear(b.clients)
	o := daemon.Options{
		Config: config, Journal: b.store, Brain: b, Memory: b, Tools: b, Sessions: sessions{b}, Skills: skills{b},
		Log:    slog.New(slog.NewTextHandler(complaint{b}, &slog.HandlerOptions{Level: slog.LevelError})),
		Loaded: func(context.Context) (bool, error) { return !b.loads.Load(), nil },
		Now:    b.now, About: daemon.About{Brain: func() string { return "" }},
	}
	if !b.plan.NoVectors {
		o.Embedder = b
	}
	if b.daemon, err = daemon.Open(o); err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	ended, d := make(chan error, 1), b.daemon
	b.end, b.ended = end, ended
	go func() {
		_, err := d.Run(ctx)
		ended <- err
	}()
	return nil
}

func (b *bubble) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.UnixMilli(int64(b.plan.Start + b.skew)).Add(time.Since(b.began))
}

// compare compares the last step of the first n with what is in the journal.
func (b *bubble) compare(n int) bool {
	var took engine.Record
	first := func(r engine.Record) error { took = r; return errFirst }
	if err := b.store.Replay(uint64(n-1), first); err != nil && !errors.Is(err, errFirst) {
		b.fail("read the journal: %v", err)
		return false
	}
	s := &b.steps[n-1]
	want, _ := fsm.MarshalInput(s.Input)
	got, _ := fsm.MarshalInput(took.Input)
	switch {
	case took.Index == 0:
		b.fail("step %d: the daemon did not take it\n  - simulated %s", n, want)
	case string(want) != string(got):
		b.fail("step %d: input\n  - simulated %s\n  + daemon    %s", n, want, got)
	case took.Effects != fsm.HashEffects(s.Effects):
		b.fail("step %d: other effects than\n  - simulated %s", n, kinds(s.Effects))
	default:
		return true
	}
	return false
}

var errFirst = errors.New("the first is enough")

// complaint is a log whose every line fails the case.
type complaint struct{ b *bubble }

func (f complaint) Write(line []byte) (int, error) {
	f.b.fail("the daemon says: %s", line)
	return len(line), nil
}

// outcome waits for the outcome of a call, which must be the simulated one.
func outcome[F fsm.Fact](ctx context.Context, b *bubble, e fsm.Effect) (fact F, err error) {
	call := fsm.CallOf(e)
	b.mu.Lock()
	again := b.started[call]
	b.started[call] = true
	gone := b.gone
	b.mu.Unlock()
	want := "nothing"
	if caused, ok := b.caused[call]; ok {
		want = kinds([]fsm.Effect{caused})
	}
	if got := kinds([]fsm.Effect{e}); again || want != got { // a restored conversation has no hashes yet, so not by value
		b.fail("call %d, made again: %t\n  - simulated %s\n  + daemon    %s", call, again, want, got)
		return fact, errors.New("another call")
	}
	known, answered := b.outcomes[call]
	if _, stops := known.(fsm.ToolStopped); stops {
		<-ctx.Done() // the call is given up
		<-b.due[call]
		return fact, ctx.Err()
	}
	over := ctx.Done()
	if _, tool := e.(fsm.RunTool); tool && !answered { // this tool ignores its cancellation
		over = gone
	}
	select {
	case <-b.due[call]:
	case <-over:
		return fact, errors.New("given up")
	}
	fact, ok := known.(F)
	if !ok {
		if failed, ok := known.(fsm.BrainFailed); ok {
			return fact, &refusal{failed}
		}
		return fact, fmt.Errorf("%T", known)
	}
	return fact, nil
}

// refusal is the failure of a model call.
type refusal struct{ fsm.BrainFailed }

func (r *refusal) Error() string              { return r.Reason }
func (r *refusal) BrainClass() fsm.BrainClass { return r.Class }

func failure(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// Chat implements [daemon.Brain].
func (b *bubble) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	b.mu.Lock()
	b.streams[ask.Call] = stream
	b.mu.Unlock()
	if want := b.offers[ask.Call]; len(want)+len(tools) > 0 && !reflect.DeepEqual(want, tools) {
		b.fail("call %d: the model is offered\n  - simulated %v\n  + daemon    %v", ask.Call, want, tools)
	}
	return outcome[fsm.BrainAnswered](ctx, b, ask)
}

// Run implements [daemon.Tools].
func (b *bubble) Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered {
	f, _ := outcome[fsm.ToolAnswered](ctx, b, run)
	if f.Kept.Ref != "" { // the daemon cuts and keeps it itself (TXT-2)
		f.Text, f.Kept = b.whole[run.Call], fsm.Kept{}
	}
	return f
}

// Probe implements [daemon.Prober].
func (b *bubble) Probe(ctx context.Context, call fsm.RunProbe) fsm.Probed {
	f, _ := outcome[fsm.Probed](ctx, b, call)
	return f
}

// Recall implements [daemon.Memory].
func (b *bubble) Recall(ctx context.Context, e fsm.Recall) ([]fsm.Memory, error) {
	f, err := outcome[fsm.Recalled](ctx, b, e)
	return f.Entries, cmp.Or(err, failure(f.Error))
}

// Store implements [daemon.Memory].
func (b *bubble) Store(ctx context.Context, entry fsm.Entry) error {
	f, err := outcome[fsm.Stored](ctx, b, next(b, func(e fsm.Store) bool { return reflect.DeepEqual(e.Entry, entry) }))
	return cmp.Or(err, failure(f.Error))
}

// Embed implements [daemon.Embedder].
func (b *bubble) Embed(ctx context.Context, text string) ([]byte, string, error) {
	f, err := outcome[fsm.Embedded](ctx, b, next(b, func(e fsm.Embed) bool { return e.Text == text }))
	return f.Vector, f.Model, cmp.Or(err, failure(f.Error))
}

// sessions is the bubble as [daemon.Sessions].
type sessions struct{ *bubble }

// Load implements [daemon.Sessions].
func (b sessions) Load(ctx context.Context, session string) (fsm.Session, error) {
	f, err := outcome[fsm.SessionLoaded](ctx, b.bubble, next(b.bubble, func(e fsm.LoadSession) bool { return e.Session == session }))
	return f.Session, cmp.Or(err, failure(f.Error))
}

// Save implements [daemon.Sessions].
func (b sessions) Save(ctx context.Context, e fsm.SaveSession) (fsm.Session, bool, error) {
	f, err := outcome[fsm.SessionSaved](ctx, b.bubble, e)
	return f.Session, f.Conflict, cmp.Or(err, failure(f.Error))
}

// Forget implements [daemon.Sessions]. No session is old.
func (b sessions) Forget(context.Context, fsm.Millis, fsm.Millis) (int, error) { return 0, nil }

// skills is the bubble as [daemon.Skills].
type skills struct{ *bubble }

// Load implements [daemon.Skills].
func (b skills) Load(ctx context.Context, skill, reference string) (string, error) {
	f, err := outcome[fsm.SkillLoaded](ctx, b.bubble, next(b.bubble, func(e fsm.LoadSkill) bool { return e.Skill == skill && e.Reference == reference }))
	return f.Text, cmp.Or(err, failure(f.Error))
}

// next returns the first call of a kind that was not made yet and whose effect matches. Adapters
// do not learn the ids of their calls.
func next[E fsm.Effect](b *bubble, like func(E) bool) fsm.Effect {
	b.mu.Lock()
	defer b.mu.Unlock()
	var none E
	for _, call := range slices.Sorted(maps.Keys(b.caused)) {
		if e, ok := b.caused[call].(E); ok && !b.started[call] && like(e) {
			return e
		}
	}
	return none
}
