package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/daemon"
)

// guard ends a test that hangs; nothing is expected to take that long.
const guard = time.Minute

// script is a model that the test controls: each call waits until the test answers.
type script struct{ asked chan asked }

type asked struct {
	fsm.AskBrain
	tools  []fsm.ToolDecl
	stream func(daemon.Piece)
	answer chan<- fsm.BrainAnswered
	ctx    context.Context
}

func (s *script) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	answer := make(chan fsm.BrainAnswered, 1)
	select {
	case s.asked <- asked{ask, tools, stream, answer, ctx}:
	case <-ctx.Done():
		return fsm.BrainAnswered{}, ctx.Err()
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return fsm.BrainAnswered{}, ctx.Err()
	}
}

type shelf struct {
	mu      sync.Mutex
	entries []fsm.Entry
}

func (s *shelf) Store(_ context.Context, e fsm.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, e)
	return nil
}

func (s *shelf) Recall(context.Context, fsm.Recall) ([]fsm.Memory, error) { return nil, nil }

// tools has one tool, which runs until its context ends if it is to hang.
type tools struct{ hangs bool }

func (s tools) Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered {
	if s.hangs {
		<-ctx.Done()
		return fsm.ToolAnswered{Failed: true}
	}
	return fsm.ToolAnswered{Text: run.Name + " " + run.Args}
}

// broken is a journal whose writes fail from the n-th on.
type broken struct {
	*engine.MemoryJournal
	left int
}

func (j *broken) Append(b engine.Batch, sync bool) error {
	if j.left--; j.left < 0 {
		return engine.ErrNoSpace
	}
	return j.MemoryJournal.Append(b, sync)
}

// logged is what a daemon has logged, which a test reads while more is.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// fixture is a daemon over fakes, running.
type fixture struct {
	*daemon.Daemon
	t       *testing.T
	brain   *script
	shelf   *shelf
	log     *logged
	ctx     context.Context
	stopped chan struct{}
	kill    func() // ends the loop as a crash does
	code    fsm.ExitCode
	err     error
}

func start(t *testing.T, journal engine.Journal, runs daemon.Tools, settings ...func(*fsm.Config)) *fixture {
	t.Helper()
	return startWith(t, func(o *daemon.Options) {
		o.Journal, o.Tools = journal, runs
		for _, set := range settings {
			set(&o.Config)
		}
	})
}

// startWith starts a daemon whose options the test may change.
func startWith(t *testing.T, change func(*daemon.Options)) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	f := &fixture{
		t: t, brain: &script{make(chan asked)}, shelf: &shelf{}, log: &logged{}, ctx: ctx, stopped: make(chan struct{}),
	}
	config := profile.Shelly()
	config.Init = fsm.InitOff
	config.Tools = []fsm.ToolDecl{{Name: "look", Effects: fsm.EffectsNone}}
	o := daemon.Options{
		Config: config, Journal: engine.NewMemoryJournal(), Brain: f.brain, Memory: f.shelf, Tools: tools{},
		Log: slog.New(slog.NewTextHandler(f.log, nil)), Now: time.Now,
		About: daemon.About{Version: "test", Brain: func() string { return "a script" }, Asks: func() (model, server string) { return "m", "http://there" }},
	}
	change(&o)
	d, err := daemon.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	f.Daemon = d
	go func() {
		defer close(f.stopped)
		f.code, f.err = d.Run(ctx)
	}()
	f.kill = func() {
		cancel()
		<-f.stopped
	}
	t.Cleanup(f.kill)
	return f
}

// active returns what a status says about active handles, without their times.
func (f *fixture) active() []comm.Active {
	f.t.Helper()
	list := f.Status(f.ctx).Active
	for i := range list {
		if list[i].Since == 0 && list[i].State != state.Approving {
			f.t.Errorf("it is not said since when %s runs", list[i].Handle.Entry())
		}
		list[i].Since = 0
	}
	return list
}

func (f *fixture) accept(id, text string) engine.Acceptance {
	f.t.Helper()
	a, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Text: text})
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// next returns the next model call.
func (f *fixture) next() asked {
	f.t.Helper()
	select {
	case a := <-f.brain.asked:
		return a
	case <-f.ctx.Done():
		f.t.Fatal("the model was not asked")
		return asked{}
	}
}

func (a asked) says(text string) {
	a.answer <- fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: text}
}

func (a asked) calls(name string) {
	a.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: name, Args: "{}"}}}
}

func (f *fixture) watch(id string) <-chan comm.Event {
	f.t.Helper()
	events, err := f.Watch(f.ctx, fsm.RequestKey{ID: id})
	if err != nil {
		f.t.Fatal(err)
	}
	return events
}

func all(events <-chan comm.Event) (list []comm.Event) {
	for e := range events {
		list = append(list, e)
	}
	return list
}

// A watcher gets the states, the tool with its result, the streamed text and in
// the end the reply (COM-4, BRN-9), even if it comes late.
func TestAWatcherSeesWhatHappens(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "look")
	f.next().calls("look")
	second := f.next()
	events := f.watch("a") // the tool has run already
	second.stream(daemon.Piece{Text: "It is "})
	second.says("It is here.")
	f.next().says("A summary.")
	list := all(events)
	for what, want := range map[string]func(comm.Event) bool{
		"state cognition": func(e comm.Event) bool { return e.State == state.Cognition },
		"the tool":        func(e comm.Event) bool { return e.Type == comm.EventTool && e.Tool == "look" },
		"its result":      func(e comm.Event) bool { return e.Type == comm.EventToolResult && e.Text == "look {}" },
		"streamed text":   func(e comm.Event) bool { return e.Type == comm.EventChunk && e.Text == "It is " },
	} {
		if !slices.ContainsFunc(list, want) {
			t.Errorf("no event tells of %s: %+v", what, list)
		}
	}
	if last := list[len(list)-1]; last.Type != comm.EventReply || last.Text != "It is here." {
		t.Errorf("the last event is %+v", last)
	}
	if len(f.shelf.entries) != 1 || f.shelf.entries[0].Summary != "A summary." {
		t.Errorf("memory %+v", f.shelf.entries)
	}
}

// One word may be the beginning of a call written as text. It is told all the same once it has turned
// out to be none, before the calls that come with it, and a watcher that comes later is told the same.
func TestBRN40AWordBesideCallsIsTold(t *testing.T) {
	f := start(t, &shared{MemoryJournal: engine.NewMemoryJournal()}, tools{}, func(c *fsm.Config) { c.Switches.Reading = fsm.ReadingCareful })
	f.accept("a", "look")
	events := f.from(position.Position{})
	first := f.next()
	first.stream(daemon.Piece{Text: "Looking"})
	first.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Text: "Looking", Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}}
	f.next().says("It is here.")
	f.next().says("A summary.")
	live := all(events)
	is := func(t comm.EventType) func(comm.Event) bool { return func(e comm.Event) bool { return e.Type == t } }
	said, called := slices.IndexFunc(live, is(comm.EventChunk)), slices.IndexFunc(live, is(comm.EventTool))
	if said < 0 || live[said].Text != "Looking" || called < said {
		t.Errorf("it is told as event %d, and its call as event %d: %+v", said, called, live)
	}
	if diff := cmp.Diff([]string{"Looking"}, hear(live).Texts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(hear(live), hear(all(f.from(position.Position{})))); diff != "" {
		t.Errorf("a later watcher (-want +got)\n%s", diff)
	}
}

// A watcher that comes when all is over still gets what happened: a quick model can be
// done before its client watches.
func TestAWatcherThatComesAfterTheReply(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "look")
	first := f.watch("a")
	f.next().calls("look")
	f.next().says("It is here.")
	f.next().says("A summary.")
	all(first)
	list := all(f.watch("a"))
	if !slices.ContainsFunc(list, func(e comm.Event) bool { return e.Type == comm.EventTool }) {
		t.Errorf("no event tells of the tool: %+v", list)
	}
	if last := list[len(list)-1]; last.Type != comm.EventReply || last.Text != "It is here." {
		t.Errorf("the last event is %+v", last)
	}
}

// A watcher that does not read loses chunks, and still gets the reply.
func TestASlowWatcherGetsTheReply(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "talk")
	call := f.next()
	events := f.watch("a")
	for range 10_000 {
		call.stream(daemon.Piece{Text: "word "})
	}
	call.says("done")
	f.next().says("A summary.")
	list := all(events)
	if last := list[len(list)-1]; last.Type != comm.EventReply || last.Text != "done" {
		t.Errorf("the last of %d events is %+v", len(list), last)
	}
}

// The same id with the same text is answered from the record, with another text
// it is refused (JRN-10).
func TestAnIDIsAnsweredOnce(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "hello")
	f.next().says("hi")
	f.next().says("A summary.")
	all(f.watch("a"))
	if again := f.accept("a", "hello"); again.New || again.Request.Reply != "hi" {
		t.Errorf("accepted again as %+v", again)
	}
	_, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: "a"}, Text: "other"})
	if !errors.Is(err, engine.ErrConflict) {
		t.Errorf("another text under the id: %v", err)
	}
}

// The first signal parks what waits, tells its client so, lets running work finish,
// and does the farewell (LIF-6, LIF-8, LIF-9, COM-9). The next start answers.
func TestASignalDefersWhatWaits(t *testing.T) {
	journal := engine.NewMemoryJournal()
	f := start(t, journal, tools{})
	f.accept("a", "first")
	f.accept("b", "second")
	call, waiting := f.next(), f.watch("b")
	f.Signal("TERM")
	for e := range waiting {
		if e.Type == comm.EventDeferred {
			break
		}
	}
	if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: "c"}, Text: "third"}); !errors.Is(err, engine.ErrStopping) {
		t.Errorf("a request while draining: %v", err)
	}
	call.says("one")
	f.next().says("A summary.")
	if farewell := f.next(); farewell.Purpose != fsm.PurposeFarewell {
		t.Errorf("after the drain the model is asked for %s", farewell.Purpose)
	} else {
		farewell.says("Goodbye.")
	}
	f.next().says("A summary.")
	<-f.stopped
	if f.code != fsm.ExitClean || f.err != nil {
		t.Fatalf("ended %q, %v", f.code, f.err)
	}

	again := start(t, journal, tools{})
	again.next().says("two")
	again.next().says("A summary.")
	if list := all(again.watch("b")); list[len(list)-1].Text != "two" {
		t.Errorf("after the start: %+v", list)
	}
}

// A second signal stops at once, and the aborted call's context ends (LIF-10).
func TestASecondSignalStopsAtOnce(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "first")
	call := f.next()
	f.Signal("TERM")
	f.Signal("INT")
	<-f.stopped
	if f.code != fsm.ExitForced {
		t.Errorf("ended %q, %v", f.code, f.err)
	}
	<-call.ctx.Done()
}

// An aborted tool ends with its context, and its end is reported to the machine
// (TOL-7): the farewell comes only then.
func TestAnAbortedToolIsStopped(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{hangs: true})
	f.accept("a", "first")
	f.next().calls("look")
	f.Signal("TERM")
	f.Signal("TERM")
	<-f.stopped
	if f.code != fsm.ExitForced {
		t.Errorf("ended %q, %v", f.code, f.err)
	}
}

// A write that fails ends the daemon with the reason, and nothing of the request
// was accepted (JRN-11, JRN-9).
func TestAFailedWriteEndsTheDaemon(t *testing.T) {
	f := start(t, &broken{engine.NewMemoryJournal(), 1}, tools{}) // the boot is written
	_, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: "a"}, Text: "hello"})
	if err == nil {
		t.Error("the request was accepted")
	}
	<-f.stopped
	if !errors.Is(f.err, engine.ErrNoSpace) || !errors.Is(f.err, engine.ErrDead) {
		t.Errorf("ended with %v", f.err)
	}
	if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: "b"}, Text: "hello"}); !errors.Is(err, engine.ErrStopping) {
		t.Errorf("a request after the end: %v", err)
	}
}

// An event is handled without a reply, and its outcome is in memory (HND-17).
func TestAnEventIsHandled(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	if err := f.Raise(f.ctx, fsm.EventRaised{Source: "disk", Event: "full", Subject: "/var"}); err != nil {
		t.Fatal(err)
	}
	call := f.next()
	if text := call.Conversation.Messages[0].Text; !strings.Contains(text, "System event from disk: full (/var).") {
		t.Errorf("the model was asked %q", text)
	}
	if s := f.Status(f.ctx); len(s.Active) != 1 || s.Active[0].Kind != fsm.KindEvent || s.Lifecycle != state.Serving || s.Model != "m" || s.Server != "http://there" {
		t.Errorf("status %+v, want one event at work, and model m of http://there", s)
	}
	call.says("I saw it.")
	f.next().says("The disk is full.")
}
