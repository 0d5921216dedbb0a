package machine_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// driver plays the world for one machine: each method gives it one fact; a monitor checks
// every step, and that the machine can be restored.
type driver struct {
	t       testing.TB
	m       *machine.Machine
	monitor *check.Monitor
	config  fsm.Config
	at      fsm.Millis
	asked   int
	effects []fsm.Effect // of the last step
	all     []fsm.Effect
}

// begun is when a driver's first step is, nearly.
const begun = 1_000_000

// The tools of the tests: one that reads, one that may be repeated, one that must not be, and one
// that declares nothing.
func tools() []fsm.ToolDecl {
	return []fsm.ToolDecl{
		{Name: "list_dir", Effects: fsm.EffectsNone},
		{Name: "write_note", Effects: fsm.EffectsIdempotent},
		{Name: "send_mail", Effects: fsm.EffectsUnsafe},
		{Name: "mystery"},
	}
}

// newDriver returns a driver of a machine that has not been booted. Its
// configuration has the tests' tools and no initial inference.
func newDriver(t testing.TB) *driver {
	c := profile.Shelly()
	c.Init = fsm.InitOff
	c.Tools = tools()
	return &driver{t: t, m: machine.New(), monitor: check.NewMonitor(), config: c, at: begun}
}

// The skills of the tests: one that is loaded on demand, one that is always on.
func skills() []fsm.SkillDecl {
	return []fsm.SkillDecl{{Name: "flights", Summary: "books flights"}, {Name: "manners", Always: true, Text: "be kind"}}
}

// driverOf returns a driver of a machine under a profile that has not been booted. It has
// the tests' tools and skills besides the builtin ones, and no initial inference.
func driverOf(t testing.TB, name string) *driver {
	t.Helper()
	d := newDriver(t)
	c, ok := profile.Named(name)
	if !ok {
		t.Fatalf("there is no profile %q", name)
	}
	c.Init = fsm.InitOff
	c.Switches.Commands, c.Switches.EmptyAnswers, c.Switches.NoFarewell = name != "shelly", false, false // what a profile leaves out is tested too
	c.Limits.HandleTimeout, c.Limits.SubagentTimeout = 300*fsm.Second, 300*fsm.Second
	c.Tools = append(tools(), c.Tools...)
	c.Skills = skills()
	d.config = c
	return d
}

// serving returns a driver of a machine that serves and has nothing to do.
func serving(t testing.TB) *driver {
	d := newDriver(t)
	d.boot()
	return d
}

func (d *driver) step(in fsm.Input) []fsm.Effect {
	d.t.Helper()
	d.effects = d.m.Step(in)
	d.all = append(d.all, d.effects...)
	for _, v := range d.monitor.Step(d.m, in, d.effects) {
		d.t.Errorf("after %T: %s", in.Fact, v)
	}
	for _, a := range of[fsm.Audit](d.effects) {
		if a.Duration < 0 || a.Duration > d.at-begun {
			d.t.Errorf("after %T: a call of %s is said to have taken %s", in.Fact, a.Tool, a.Duration)
		}
	}
	if err := checkRestore(d.m); err != nil {
		d.t.Error(err)
	}
	return d.effects
}

// now returns a new time, one second later.
func (d *driver) now() fsm.Millis { d.at += fsm.Second; return d.at }

func (d *driver) boot() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.config}})
}

func (d *driver) signal() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Signalled{Name: "SIGTERM"}})
}

// ask sends a request with a new id and returns its key.
func (d *driver) ask(text string) fsm.RequestKey {
	d.t.Helper()
	d.asked++
	key := fsm.RequestKey{Channel: "test", ID: "r" + strconv.Itoa(d.asked)}
	d.askAs(key, text)
	return key
}

func (d *driver) askAs(key fsm.RequestKey, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: key, Session: "s", Text: text}})
}

func (d *driver) raise(event string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Subject: "/var", Event: event, Detail: "2 % left"}})
}

// call returns the call in flight, which must be of kind.
func (d *driver) call(kind fsm.CallKind) fsm.CallID {
	d.t.Helper()
	h := d.active()
	if h.Await.Kind != kind {
		d.t.Fatalf("handle %d in %s awaits %q, not %q", h.ID, h.State, h.Await.Kind, kind)
	}
	return h.Await.Call
}

// active returns the handle that holds the slot.
func (d *driver) active() *state.Handle {
	d.t.Helper()
	for i := range d.m.View().Handles {
		if h := &d.m.View().Handles[i]; !h.ParkedOrQueued() {
			return h
		}
	}
	d.t.Fatal("no handle is active")
	return nil
}

func (d *driver) answer(text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: text, Thinking: "let me see"}})
}

// calls makes the model ask for tools by name.
func (d *driver) calls(names ...string) {
	d.t.Helper()
	var calls []fsm.ToolCall
	for i, n := range names {
		calls = append(calls, fsm.ToolCall{ID: "call_" + strconv.Itoa(i), Name: n, Args: `{"n":` + strconv.Itoa(i) + `}`})
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: calls}})
}

func (d *driver) stopsAtTokens(text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: text}})
}

func (d *driver) brainFails(class fsm.BrainClass, reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainFailed{Answered: fsm.To(d.call(fsm.CallBrain)), Class: class, Reason: reason}})
}

func (d *driver) toolSays(text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: text}})
}

func (d *driver) toolFails(text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: text, Failed: true}})
}

// toolAsks answers as a tool that did nothing and wants its call approved.
func (d *driver) toolAsks(why string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: why, Failed: true, Nothing: true, Asks: why}})
}

func (d *driver) toolStops() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolStopped{Answered: fsm.To(d.call(fsm.CallStop))}})
}

// recalls answers a recall with an entry for each summary.
func (d *driver) recalls(summaries ...string) {
	d.t.Helper()
	var found []fsm.Memory
	for i, s := range summaries {
		found = append(found, fsm.Memory{ID: "h" + strconv.Itoa(100+i), Summary: s})
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Recalled{Answered: fsm.To(d.call(fsm.CallRecall)), Entries: found}})
}

func (d *driver) recallFails(reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Recalled{Answered: fsm.To(d.call(fsm.CallRecall)), Error: reason}})
}

func (d *driver) embeds() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Embedded{Answered: fsm.To(d.call(fsm.CallEmbed)), Vector: []byte{1, 2, 3, 4}, Model: "embedder"}})
}

func (d *driver) embedFails(reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Embedded{Answered: fsm.To(d.call(fsm.CallEmbed)), Error: reason}})
}

func (d *driver) stores() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Stored{Answered: fsm.To(d.call(fsm.CallStore))}})
}

func (d *driver) storeFails(reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Stored{Answered: fsm.To(d.call(fsm.CallStore)), Error: reason}})
}

// loads answers the load of a session.
func (d *driver) loads(s fsm.Session) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad)), Session: s}})
}

func (d *driver) loadFails(reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad)), Error: reason}})
}

func (d *driver) saves() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionSaved{Answered: fsm.To(d.call(fsm.CallSave))}})
}

func (d *driver) saveFails(reason string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionSaved{Answered: fsm.To(d.call(fsm.CallSave)), Error: reason}})
}

// conflicts answers a save with a conflict and the stored session.
func (d *driver) conflicts(now fsm.Session) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SessionSaved{Answered: fsm.To(d.call(fsm.CallSave)), Conflict: true, Session: now}})
}

// skillSays answers the load of a skill.
func (d *driver) skillSays(text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.SkillLoaded{Answered: fsm.To(d.call(fsm.CallSkill)), Text: text}})
}

// asksFor makes the model make one call.
func (d *driver) asksFor(tool, args string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse,
		Calls: []fsm.ToolCall{{ID: "call_0", Name: tool, Args: args}},
	}})
}

func (d *driver) cancels(key fsm.RequestKey) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.CancelRequested{Request: key}})
}

// decides gives the machine a person's decision about the call of the active handle.
func (d *driver) decides(approve bool) {
	d.t.Helper()
	d.decidesFor(approve, fsm.GrantOnce)
}

// decidesFor gives a decision that may also cover later calls.
func (d *driver) decidesFor(approve bool, scope fsm.GrantScope) {
	d.t.Helper()
	id := d.active().ID
	d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: id, Key: state.PersonKey(d.m.View(), id), Approve: approve, By: "ada", Grant: scope}})
}

// resolves gives a person's decision about a held handle.
func (d *driver) resolves(id fsm.HandleID, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Resolved{Handle: id, Text: text}})
}

// waitUp fires the timer of a wait within the active handle's phase.
func (d *driver) waitUp() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.active().Wait}})
}

// remember completes the memory phase of a handle that has its answer.
func (d *driver) remember() {
	d.t.Helper()
	d.answer("a summary")
	d.embeds()
	d.stores()
}

// timeUp fires the timer of the active handle.
func (d *driver) timeUp() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.active().Timer}})
}

func (d *driver) graceUp() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.m.View().GraceTimer}})
}

// inLifecycle fails the test unless the machine is in state.
func (d *driver) inLifecycle(state fsm.State) {
	d.t.Helper()
	if got := d.m.View().Lifecycle; got != state {
		d.t.Fatalf("the lifecycle is in %s, not %s", got, state)
	}
}

// inStates fails the test unless the unfinished handles are in these states.
func (d *driver) inStates(states ...fsm.State) {
	d.t.Helper()
	var got []fsm.State
	for _, h := range d.m.View().Handles {
		got = append(got, h.State)
	}
	if !slices.Equal(got, states) {
		d.t.Fatalf("the unfinished handles are in %s, not %s", got, states)
	}
}

// of returns the effects of one type.
func of[E fsm.Effect](effects []fsm.Effect) []E {
	var found []E
	for _, e := range effects {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// one returns the effect of a type in the last step, which must be the only one.
func one[E fsm.Effect](d *driver) E {
	d.t.Helper()
	found := of[E](d.effects)
	if len(found) != 1 {
		var e E
		d.t.Fatalf("%d effects %T in the last step, not one: %+v", len(found), e, d.effects)
	}
	return found[0]
}

// no fails the test if the last step had an effect of a type.
func no[E fsm.Effect](d *driver) {
	d.t.Helper()
	if found := of[E](d.effects); len(found) > 0 {
		d.t.Fatalf("unexpected effects in the last step: %+v", found)
	}
}

// replied fails the test unless the last step sent this reply.
func (d *driver) replied(key fsm.RequestKey, text string) {
	d.t.Helper()
	if r := one[fsm.Reply](d); r.Request != key || r.Text != text || r.IsError {
		d.t.Fatalf("reply %+v, want %q to %v", r, text, key)
	}
}

// refused fails the test unless the last step sent this reply as an error.
func (d *driver) refused(key fsm.RequestKey, text string) {
	d.t.Helper()
	if r := one[fsm.Reply](d); r.Request != key || r.Text != text || !r.IsError {
		d.t.Fatalf("reply %+v, want the error %q to %v", r, text, key)
	}
}

// conversation returns the messages of the model call in the last step.
func (d *driver) conversation() []fsm.Message {
	d.t.Helper()
	return one[fsm.AskBrain](d).Messages()
}

// lastMessage returns the last message of the model call in the last step.
func (d *driver) lastMessage() fsm.Message {
	d.t.Helper()
	c := d.conversation()
	return c[len(c)-1]
}

func same(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
