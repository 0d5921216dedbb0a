package daemon_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// talks is a configuration that keeps what is said, asks one question at a time, and
// offers the builtin tools.
func talks(c *fsm.Config) {
	c.Switches = fsm.Switches{
		NoCognition: true, History: fsm.HistoryAll, Remember: fsm.RememberOff, ReplyFirst: true,
		Cancel: fsm.CancelImmediate, Commands: true, AutoLoadSkills: true,
	}
	c.Tools = append(c.Tools, fsm.Builtins(fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill)...)
	c.Skills = []fsm.SkillDecl{{Name: "release", Summary: "how a release is made"}}
}

// here is where the requests of these tests come from.
var here = fsm.Origin{Channel: "test", Chat: "t"}

// ask sends a request from here.
func (f *fixture) ask(id, text string) {
	f.t.Helper()
	if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Origin: here, Text: text}); err != nil {
		f.t.Fatal(err)
	}
}

// use is an answer that calls a tool with arguments.
func (a asked) use(name, args string) {
	a.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: name, Args: args}}}
}

// replied waits for the reply to a request.
func (f *fixture) replied(id string) comm.Event {
	f.t.Helper()
	list := all(f.watch(id))
	if len(list) == 0 || list[len(list)-1].Type != comm.EventReply {
		f.t.Fatalf("request %s has no reply: %+v", id, list)
	}
	return list[len(list)-1]
}

// end stops the daemon and waits for its end.
func (f *fixture) end() {
	f.t.Helper()
	f.Signal("TERM")
	for {
		call := f.next()
		call.says("Goodbye.")
		if call.Purpose == fsm.PurposeFarewell {
			break
		}
	}
	<-f.stopped
	if f.err != nil {
		f.t.Fatal(f.err)
	}
}

// said are the texts of a conversation.
func said(a asked) (texts []string) {
	for _, m := range a.Conversation.Messages {
		texts = append(texts, string(m.Role)+": "+m.Text)
	}
	return texts
}

// house is a data folder with a store on a file system in memory.
type house struct {
	dir  string
	disk *vfs.MemFS
}

// start opens the house's store and sessions and starts a daemon over them.
func (h house) start(t *testing.T) (*fixture, *session.Sessions, func()) {
	t.Helper()
	s, err := store.Open("store", store.Options{FS: h.disk})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := session.Open(h.dir, s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	f := startWith(t, func(o *daemon.Options) {
		o.Journal, o.Sessions = s, kept
		talks(&o.Config)
	})
	return f, kept, func() {
		f.end()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A session continues after a restart, and its turns are saved once (SES-3).
func TestASessionOutlivesTheDaemon(t *testing.T) {
	h := house{t.TempDir(), vfs.NewMem()}
	f, _, end := h.start(t)
	f.ask("a", "one")
	f.next().says("1")
	f.replied("a")
	end()

	f, kept, end := h.start(t)
	f.ask("b", "two")
	call := f.next()
	if diff := cmp.Diff([]string{"user: one", "assistant: 1", "user: two"}, said(call)); diff != "" {
		t.Errorf("the model gets (-want +got):\n%s", diff)
	}
	call.says("2")
	f.replied("b")
	f.ask("c", "three") // waits until the session is saved
	f.next().says("3")
	f.replied("c")
	end()
	s, err := kept.Load(context.Background(), "test:t")
	if !errors.Is(err, store.ErrClosed) {
		t.Errorf("after the end the sessions say %+v, %v", s, err)
	}
	_, kept, end = h.start(t)
	defer end()
	if s, err := kept.Load(context.Background(), "test:t"); err != nil || s.Version != 3 || len(s.History) != 6 {
		t.Errorf("the session is %+v, %v; want three turns", s, err)
	}
	if a, err := kept.Archive("test:t", 0, 100); err != nil || len(a) != 6 {
		t.Errorf("the archive has %d messages, %v; want 6", len(a), err)
	}
}

// What cannot be done gets an answer in words, even after a panic.
func TestADaemonWithoutSessionsOrSkillsSaysSo(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{}, talks)
	f.ask("a", "one")
	if r := f.replied("a"); !r.IsError || !strings.Contains(r.Text, "keeps no sessions") || r.Outcome != fsm.OutcomeFailed {
		t.Errorf("the reply is %+v", r)
	}
	f = startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Switches.History = fsm.HistoryNone
	})
	f.ask("a", "one")
	f.next().use(fsm.ToolLoadSkill, `{"name":"release"}`)
	call := f.next()
	if told := said(call); !strings.Contains(told[len(told)-1], "this daemon has no skills") {
		t.Errorf("the model gets %v", told)
	}
	call.says("done")
	f.replied("a")
}

// defective are sessions whose code has a defect.
type defective struct{}

func (defective) Load(context.Context, string) (fsm.Session, error) { panic("out of its mind") }

func (defective) Save(context.Context, fsm.SaveSession) (fsm.Session, bool, error) {
	panic("out of its mind")
}

func (defective) Forget(context.Context, fsm.Millis, fsm.Millis) (int, error) {
	panic("out of its mind")
}

func TestAPanicOfTheSessionsIsAFailedLoad(t *testing.T) {
	f := startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Sessions = defective{}
	})
	f.ask("a", "one")
	if r := f.replied("a"); !strings.Contains(r.Text, "a defect of shelly") {
		t.Errorf("the reply is %+v", r)
	}
}

// library is a skill with one reference.
type library struct{}

func (library) Load(_ context.Context, skill, reference string) (string, error) {
	return "instructions of " + skill + reference, nil
}

func TestSKL4ASkillIsLoaded(t *testing.T) {
	f := startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Switches.History = fsm.HistoryNone
		o.Skills = library{}
	})
	f.ask("a", "one")
	f.next().use(fsm.ToolLoadSkill, `{"name":"release"}`)
	call := f.next()
	if all := call.System + strings.Join(said(call), "\n"); !strings.Contains(all, "instructions of release") {
		t.Errorf("the model gets %s", all)
	}
	call.says("done")
	f.replied("a")
}

// A message is there once, before and after a restart, and listeners are notified of
// it.
func TestAMessageIsDeliveredOnce(t *testing.T) {
	journal := engine.NewMemoryJournal()
	quiet := func(c *fsm.Config) { talks(c); c.Switches.History = fsm.HistoryNone }
	f := start(t, journal, tools{}, quiet)
	ctx, cancel := context.WithCancel(f.ctx)
	news, others := f.Listen(ctx, fsm.Origin{Channel: "test"}), f.Listen(ctx, fsm.Origin{Channel: "test", Chat: "u"})
	<-news // what was there before
	<-others
	f.ask("a", "tell them")
	f.next().use(fsm.ToolMessage, `{"content":"hello"}`)
	<-news
	read := func(f *fixture, after uint64) []engine.Message {
		t.Helper()
		m, err := f.Messages(f.ctx, fsm.Origin{Channel: "test"}, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	got := read(f, 0)
	if len(got) != 1 || got[0].Text != "hello" || got[0].To != here {
		t.Fatalf("messages %+v", got)
	}
	f.next().says("told")
	f.replied("a")
	select {
	case <-others:
		t.Error("the listener of another chat heard of it")
	default:
	}
	cancel()
	if _, open := <-news; open {
		t.Error("who has left hears of messages")
	}
	f.end()

	f = start(t, journal, tools{}, quiet)
	<-f.Listen(f.ctx, here)
	if again := read(f, got[0].Position); len(again) != 0 {
		t.Errorf("after a restart there are %+v", again)
	}
	if diff := cmp.Diff(got, read(f, 0)); diff != "" {
		t.Errorf("messages (-before +after the restart):\n%s", diff)
	}
	last := f.Listen(f.ctx, here)
	f.end()
	for _, l := range []<-chan struct{}{last, f.Listen(f.ctx, here)} {
		for range l { // it is closed, now that the daemon has ended
		}
	}
	if _, err := f.Messages(f.ctx, here, 0, 1); !errors.Is(err, engine.ErrStopping) {
		t.Errorf("Messages after the end: %v", err)
	}
}

// A question reaches the watchers, the status and the log, and is gone with its
// answer; it is asked again after a restart (APR-1, APR-2, APR-7).
func TestAPersonIsAskedUntilThereIsAnAnswer(t *testing.T) {
	journal := engine.NewMemoryJournal()
	careful := func(c *fsm.Config) {
		talks(c)
		c.Switches.History = fsm.HistoryNone
		c.Tools[0].Approve = true
	}
	f := start(t, journal, tools{}, careful)
	f.ask("a", "look")
	events := f.watch("a")
	f.next().use("look", `{"at":1}`)
	var asked comm.Event
	for e := range events {
		if e.Type == comm.EventQuestion {
			asked = e
		}
		if e.Type == comm.EventHeld {
			break
		}
	}
	if asked.Question != fsm.QuestionApprove || asked.Tool != "look" || asked.Args != `{"at":1}` || asked.Key == "" {
		t.Errorf("the watcher learns %+v", asked)
	}
	want := []comm.Active{{
		Handle: asked.Handle, Text: "look", Kind: fsm.KindUser, Session: "test:t", State: state.Approving, Inference: state.Acting, Request: "a",
		Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: asked.Handle, Key: asked.Key, Tool: "look", Args: `{"at":1}`},
	}}
	if diff := cmp.Diff(want, f.active()); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if did, err := f.Decide(f.ctx, fsm.Decided{Handle: asked.Handle, Key: "another"}); did || err != nil {
		t.Errorf("a decision about another call: %v, %v", did, err)
	}
	f.end()
	if log := f.log.String(); !strings.Contains(log, "waits for a person") {
		t.Errorf("the log is %s", log)
	}

	f = start(t, journal, tools{}, careful)
	if diff := cmp.Diff(want, f.active()); diff != "" {
		t.Errorf("status after a restart (-want +got):\n%s", diff)
	}
	ctx, leave := context.WithCancel(f.ctx)
	again, err := f.Watch(ctx, fsm.RequestKey{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for e := range again { // a watcher after the restart is asked too
		if e.Type == comm.EventQuestion {
			leave()
		}
	}
	if ctx.Err() == nil || f.ctx.Err() != nil {
		t.Error("a watcher after the restart is not asked")
	}
	leave()
	if did, err := f.Decide(f.ctx, fsm.Decided{Handle: asked.Handle, Key: asked.Key, Approve: true}); !did || err != nil {
		t.Fatalf("the decision: %v, %v", did, err)
	}
	call := f.next()
	if told := said(call); !strings.Contains(told[len(told)-1], "look {") {
		t.Errorf("the model gets %v", told)
	}
	if s := f.Status(f.ctx); len(s.Active) != 1 || s.Active[0].Asks != nil {
		t.Errorf("status %+v after the decision", s.Active)
	}
	call.says("done")
	f.replied("a")
	if did, err := f.Resolve(f.ctx, fsm.Resolved{Handle: asked.Handle}); did || err != nil {
		t.Errorf("a word on what is done: %v, %v", did, err)
	}
}

// A waiting request learns its place, and can be cancelled (HND-31, HND-37).
func TestAWaitingRequestHearsItsPlaceAndCanBeCancelled(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{}, func(c *fsm.Config) { talks(c); c.Switches.History = fsm.HistoryNone })
	f.ask("a", "one")
	first := f.next()
	f.ask("b", "two")
	f.ask("c", "three")
	waiting := f.watch("c")
	if e := <-waiting; e.Type != comm.EventQueued || e.Ahead != 2 {
		t.Errorf("the last request got %+v; want two ahead of it", e)
	}
	if did, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "b"}); !did || err != nil {
		t.Errorf("cancelling what waits: %v, %v", did, err)
	}
	if e := <-waiting; e.Type != comm.EventQueued || e.Ahead != 1 {
		t.Errorf("after the cancel the last request got %+v; want one ahead of it", e)
	}
	if e := <-f.watch("c"); e.Ahead != 1 {
		t.Errorf("a later watcher first got %+v; want the present place", e)
	}
	if r := f.replied("b"); r.Outcome != fsm.OutcomeCancelled || !r.IsError {
		t.Errorf("the reply is %+v", r)
	}
	if did, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "a"}); !did || err != nil {
		t.Errorf("cancelling what runs: %v, %v", did, err)
	}
	<-first.ctx.Done()
	f.next().says("3")
	f.replied("c")
	if did, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "c"}); did || err != nil {
		t.Errorf("cancelling what is done: %v, %v", did, err)
	}
}

// A new configuration holds from the next call on, and in a replay (CFG-10).
func TestConfigureReplacesTheConfiguration(t *testing.T) {
	journal := engine.NewMemoryJournal()
	var config fsm.Config
	f := start(t, journal, tools{}, func(c *fsm.Config) { config = *c })
	f.ask("a", "one")
	if call := f.next(); len(call.tools) != 1 || call.Options.Temperature != 0 {
		t.Errorf("offered are %v with %+v", call.tools, call.Options)
	} else {
		call.calls("look")
	}
	config.Options.Temperature = 300
	config.Tools = append(config.Tools[:1:1], fsm.ToolDecl{Name: "more"})
	call := f.next()
	if err := f.Configure(f.ctx, config); err != nil {
		t.Fatal(err)
	}
	call.calls("look")
	if call = f.next(); len(call.tools) != 2 || call.Options.Temperature != 300 {
		t.Errorf("offered are %v with %+v", call.tools, call.Options)
	}
	call.says("done")
	f.next().says("A summary.")
	f.replied("a")
	f.Signal("TERM")
	f.Signal("TERM")
	<-f.stopped
	found := false
	for _, r := range journal.Records() {
		if c, ok := r.Input.Fact.(fsm.Configured); ok {
			found = cmp.Equal(c.Config, config)
		}
	}
	if !found {
		t.Error("the journal does not hold the configuration")
	}
}

// COM-4: a call of a tool that the machine answers itself is reported like any other, and where it
// ran: before the state that followed.
func TestCOM4BuiltinToolsAreListed(t *testing.T) {
	f := startWith(t, func(o *daemon.Options) {
		o.Journal = engine.NewMemoryJournal()
		o.Config.Tools = append(o.Config.Tools, fsm.Builtins(fsm.ToolCron)...)
	})
	f.accept("a", "what is planned?")
	call := f.next()
	events := f.watch("a")
	call.calls(fsm.ToolCron)
	f.next().says("Nothing.")
	f.next().says("A summary.")
	list := all(events)
	if !slices.ContainsFunc(list, func(e comm.Event) bool { return e.Type == comm.EventTool && e.Tool == fsm.ToolCron }) ||
		!slices.ContainsFunc(list, func(e comm.Event) bool {
			return e.Type == comm.EventToolResult && e.Tool == fsm.ToolCron && e.Text != ""
		}) {
		t.Errorf("told %+v", list)
	}
	order := ""
	for _, e := range list {
		order += " " + string(e.Inference) + e.Tool
	}
	if !strings.Contains(order, " acting cron cron thinking") {
		t.Errorf("told in the order%s", order)
	}
}

// COM-14, TOL-9: the outcome of a tool call can be read as soon as it is durable.
func TestCOM14TheAuditIsReadBySession(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{}, talks, func(c *fsm.Config) { c.Switches.History = fsm.HistoryNone })
	ask := func(id, session string) {
		t.Helper()
		if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Session: session, Text: "look " + id}); err != nil {
			t.Fatal(err)
		}
		f.next().use("look", `{"at":1}`)
		f.next().says("done")
		f.replied(id)
	}
	ask("a", "one")
	ask("b", "two")
	all, err := f.Audit(f.ctx, "", 0, 10)
	if err != nil || len(all) != 2 {
		t.Fatalf("audit %+v, %v", all, err)
	}
	if a := all[0]; a.Session != "one" || a.Tool != "look" || a.Args != `{"at":1}` || a.Message != "look a" || a.Result == "" || a.Attempts != 1 {
		t.Errorf("the first record is %+v", a)
	}
	for _, c := range []struct {
		session string
		after   uint64
		want    []engine.Audit
	}{{"two", 0, all[1:]}, {"", all[0].Position, all[1:]}, {"one", all[0].Position, nil}} {
		if got, err := f.Audit(f.ctx, c.session, c.after, 10); err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("session %q after %d: %+v, %v; want %+v", c.session, c.after, got, err, c.want)
		}
	}
}
