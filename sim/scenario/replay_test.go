package scenario

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/sim"
	"shelly/sim/explore"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/judge"
)

func written(t *testing.T, c *Found) string {
	t.Helper()
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// crashedReplay is a request whose tool has started when the process dies, with the
// tail that was not synced lost.
func crashedReplay() []explore.Told {
	config, _ := profile.Named("shelly")
	config.Init = fsm.InitOff
	boot := fsm.Input{Fact: fsm.Boot{Config: config}}
	return []explore.Told{
		{Input: boot, Words: "boot"},
		{Input: fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Text: `How "full" is ${disk}?`}}, Words: "request r1"},
		{Input: fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(2), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "c", Name: "nothing", Args: `{"a":1}`}}}}, Lost: true, Words: "model calls"},
		{Input: boot, Words: "crash"},
		{Input: fsm.Input{Fact: fsm.Signalled{Name: "TERM"}}, Unseen: true, Words: "signal"},
		{Input: boot, Words: "crash"},
	}
}

// A counterexample is read back to the letter (SIM-14, SCN-45).
func TestSIM14ACounterexampleIsAReplay(t *testing.T) {
	told := crashedReplay()
	text := written(t, &Found{Counterexample: &explore.Counterexample{
		Violation: check.Violation{Invariant: "INV-1", Text: "it is\nso"}, Path: []string{"boot", "request r1"}, Told: told,
	}, World: "the ${small} one", Command: "shelly explore"})
	f, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got := compile.Told(f.File)
	for i := range told {
		told[i].At, told[i].Words = fsm.Millis(f.Start()), ""
	}
	if diff := cmp.Diff(told, got); diff != "" {
		t.Errorf("-told +read:\n%s", diff)
	}
	if want := "INV-1 in the world the ${small} one: it is so"; f.Name != want {
		t.Errorf("%q, want %q", f.Name, want)
	}
	if o := f.Run(sim.Options{}); !o.OK() {
		t.Errorf("got %v, %v; want no failure", o.Err, o.Failures)
	}
}

// Every kind of input can be told (SCN-45), and comes back as it was.
func TestSCN45EveryKindOfInputIsReadBack(t *testing.T) {
	session := fsm.Session{Version: 2, History: []fsm.Message{{Role: fsm.RoleUser, Text: "?", Images: [][]byte{{1, 2}}}}, Memory: "m"}
	for _, in := range []fsm.Input{
		{Fact: fsm.Configured{Config: profile.Shelly()}},
		{Fact: fsm.Requested{Request: fsm.RequestKey{Principal: "p", Channel: "c", ID: "r"}, Origin: fsm.Origin{Channel: "c", Chat: "d"}, Text: "?", Images: [][]byte{{255}}}},
		{Fact: fsm.EventRaised{Source: "disk", Subject: "/var", Event: "full"}},
		{Fact: fsm.CancelRequested{Request: fsm.RequestKey{ID: "r"}}},
		{Fact: fsm.Decided{Handle: 1, Key: "k", Approve: true}},
		{Fact: fsm.Resolved{Handle: 1, Text: "done"}},
		{Fact: fsm.ScheduleDue{Schedule: "s", Slot: 1767603600000}},
		{Fact: fsm.TimerFired{Timer: 9}},
		{Fact: fsm.Signalled{Name: "INT"}},
		{Fact: fsm.BrainAnswered{Answered: fsm.To(3), Stop: fsm.StopEndTurn, Text: "\u0085 line\nline", Thinking: "…", Tokens: fsm.Tokens{Prompt: 5}}},
		{Fact: fsm.BrainFailed{Answered: fsm.To(3), Class: fsm.BrainBusy, Reason: "busy"}},
		{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "no", Failed: true}},
		{Fact: fsm.ToolStopped{Answered: fsm.To(3)}},
		{Fact: fsm.Recalled{Answered: fsm.To(3), Entries: []fsm.Memory{{ID: "m", Summary: "s"}}}},
		{Fact: fsm.Embedded{Answered: fsm.To(3), Vector: []byte{0, 0, 128, 63}, Model: "e"}},
		{Fact: fsm.Stored{Answered: fsm.To(3), Error: "full"}},
		{Fact: fsm.SessionLoaded{Answered: fsm.To(3), Session: session}},
		{Fact: fsm.SessionSaved{Answered: fsm.To(3), Conflict: true, Session: session}},
		{Fact: fsm.SkillLoaded{Answered: fsm.To(3), Text: "how to"}},
		{Fact: fsm.Boot{Config: profile.Shelly(), Doubts: []fsm.Doubt{{Handle: 1, Text: "?"}}}},
	} {
		wire, err := wireForm(in)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse("f", []byte("scenario: 1\nname: x\nreplay:\n  - input: {kind: boot}\n  - input: "+wire+"\n"))
		if err != nil {
			t.Errorf("%T: %v", in.Fact, err)
			continue
		}
		if diff := cmp.Diff(in, f.Replay[1].Input.Input); diff != "" {
			t.Errorf("-written +read:\n%s", diff)
		}
	}
}

// A record that is durable by the rule of today is not lost (SCN-53).
func TestSCN45WhatIsDurableIsNotLost(t *testing.T) {
	const head = "scenario: 1\nname: x\nreplay:\n  - input: &b {kind: boot, config: {init: 'off'}}\n  - input: {kind: requested, request: {id: r}, text: hi}\n"
	f := readCase(t, head+"  - {input: {kind: cancel_requested, request: {id: r}}, lost: true}\n  - {at: 1s, input: *b}\nexpect: {handles: [{id: r, path: [queued, cognition]}], lifecycle: {path: [down, serving]}}\n")
	if o := f.Run(sim.Options{}); o.Steps != 4 {
		t.Errorf("%d steps; a cancel is a barrier (JRN-4), so its record is not lost", o.Steps)
	}
}

// The hash and the rest that a replay expects (SCN-45).
func TestSCN45HashAndRest(t *testing.T) {
	const head = "scenario: 1\nname: x\nreplay:\n  - input: {kind: boot, config: {init: 'off'}}\n  - input: {kind: requested, request: {id: r}, text: hi}\n"
	f := readCase(t, head+"hash: 0123456789abcdef\nexpect: {rests: true, replies: []}\n")
	if o := f.Run(sim.Options{}); len(o.Failures) != 1 || o.Failures[0].Path != "hash" || o.Failures[0].Want != "0123456789abcdef" {
		t.Errorf("got %v; want 1 of them, [0].Path %q, [0].Want %q", o.Failures, "hash", "0123456789abcdef")
	}
}

func readCase(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// What is wrong with a replay is reported at its place (SCN-45, SCN-2).
func TestSCN45BrokenReplays(t *testing.T) {
	const boot = "  - input: {kind: boot}\n"
	for _, test := range []struct{ name, rest, want string }{
		{"nothing", "replay: []\n", "replay: is empty; it begins with an input of the kind boot"},
		{"no boot", "replay:\n  - input: {kind: timer_fired, timer: 1}\n", "replay[0]: a replay begins with an input of the kind boot, or from a state"},
		{"no kind", "replay:\n" + boot + "  - input: {timer: 1}\n", "replay[1].input: the key kind is missing"},
		{"a kind that there is not", "replay:\n" + boot + "  - input: {kind: timer_fire, timer: 1}\n", `did you mean timer_fired?`},
		{"a key that there is not", "replay:\n" + boot + "  - input: {kind: requested, request: {ID: r}}\n", `replay[1].input.request.ID: unknown key ID`},
		{"a wrong type", "replay:\n" + boot + "  - input: {kind: timer_fired, timer: soon}\n", `replay[1].input.timer: wants a whole number, not "soon"`},
		{"its own time", "replay:\n" + boot + "  - input: {kind: timer_fired, at: 5}\n", "replay[1].input.at: belongs to the entry"},
		{"lost without a crash", "replay:\n  - {input: {kind: boot}, lost: true}\n", "replay[0].lost: wants a boot"},
		{"unseen without a crash", "replay:\n  - {input: {kind: boot}, unseen: true}\n", "replay[0].unseen: wants a boot next"},
		{"lost before what is kept", "replay:\n  - {input: {kind: boot}, lost: true}\n  - input: {kind: signalled, name: TERM}\n", "replay[0].lost: wants a boot"},
		{"unseen before what is no boot", "replay:\n  - {input: {kind: boot}, unseen: true}\n  - input: {kind: signalled, name: TERM}\n", "replay[0].unseen: wants a boot next"},
		{"a world beside it", "tools: {exec: []}\nreplay:\n" + boot, "tools: has no place beside replay"},
		{"a server beside it", "server: laptop\nreplay:\n" + boot, "server: has no place beside replay"},
		{"latencies beside it", "latencies: {brain: 3s}\nreplay:\n" + boot, "latencies: has no place beside replay"},
		{"servers of tools beside it", "tool_servers: {count: 2, tools: 2}\nreplay:\n" + boot, "tool_servers: has no place beside replay"},
		{"calls as text beside it", "calls_as_text: true\nreplay:\n" + boot, "calls_as_text: has no place beside replay"},
		{"tokens of no server", "replay:\n" + boot + "expect: {tokens: {read: 0}}\n", "expect.tokens: has no place beside replay"},
		{"a hash that is none", "replay:\n" + boot + "hash: abc\n", "hash: wants a trace's hash: 16 hexadecimal digits"},
		{"a state of no lifecycle", "from: {lifecycle: up}\nreplay:\n" + boot, `from.lifecycle: unknown state up`},
		{"a state with a key that there is not", "from: {lifecycle: down, handle: []}\nreplay:\n" + boot, "from.handle: unknown key handle; did you mean handles?"},
		{"a state whose tool is none of the calls", "from: {lifecycle: serving, handles: [{id: 1, kind: user, state: execution, inf: {state: acting}}]}\nreplay:\n" + boot, "from.handles[0].inf.next: is none of the calls"},
		{"a state alone", "from: {lifecycle: down}\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\nexpect: {replies: [hi]}\n", "from: belongs to replay"},
		{"rest that is not expected", "replay: [{input: {kind: boot}}]\nexpect: {rests: false}\n", "expect.rests: wants true; what is not expected is left out"},
		{"a hash alone", "brain: [{says: hi}]\ntimeline: [{user: hi}]\nhash: 0123456789abcdef\nexpect: {replies: [hi]}\n", "hash: belongs to replay"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f", []byte("scenario: 1\nname: x\n"+test.rest))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v\nwant %s", err, test.want)
			}
		})
	}
}

// A walk checks what one step and the state decide (SIM-18).
func TestSIM8AWalkChecksAlwaysAndNever(t *testing.T) {
	f := readCase(t, `
scenario: 1
name: x
brain: [{says: hi}]
timeline: [{user: hi}]
always: ["active <= 1", "replies <= requests"]
never: [{tool: exec}, {that: {state: cognition}, when: "all(handles, .session != '$${x}')"}, {that: "len(handles) > 3", when: "now > 5"}]
`)
	watched := judge.Watch(f.File)
	if want := []string{"always[1]", "never[2]"}; !slices.Equal(watched.Others, want) {
		t.Errorf("cannot check %v, want %v", watched.Others, want)
	}
	plan := f.Plan()
	world := explore.CaseWorld("x", &plan)
	world.Case.Check = watched.Check
	x := explore.Run(world)
	if x.Found == nil || x.Found.Invariant != "never[1]" {
		t.Fatalf("found %+v", x.Found)
	}
	again := readCase(t, written(t, &Found{Counterexample: x.Found, World: "x", Command: "c", Case: f}))
	if o := again.Run(sim.Options{}); len(o.Failures) != 1 || o.Failures[0].Path != "never[0]" {
		t.Errorf("got %v; want 1 of them, [0].Path %q", o.Failures, "never[0]")
	}
}

// SIM-18: a walk names the claims by which it has judged nothing, unless they may be.
func TestSIM18AWalkNamesWhatJudgedNothing(t *testing.T) {
	f := readCase(t, `
scenario: 1
name: x
brain: [{says: hi}]
timeline: [{user: hi}]
always: ["active <= 1", {tool: exec}, {that: "active <= 1", when: "len(handles) > 3"}, {ask: {$any: true}}, {that: "active <= 1", when: {tool: exec}, optional: true}]
never: [{tool: exec}, {that: "active > 1", when: {tool: exec}}, {that: {tool: exec}, when: "len(handles) > 0"}]
`)
	plan := f.Plan()
	world, watched := explore.CaseWorld("x", &plan), judge.Watch(f.File)
	world.Case.Check = watched.Check
	if x := explore.Run(world); x.Found != nil || !x.Complete {
		t.Fatalf("found %+v", x.Found)
	}
	if got, want := watched.Idle(), []string{"always[1]", "always[2]", "never[1]"}; !slices.Equal(got, want) {
		t.Errorf("nothing is judged by %v, want %v", got, want)
	}
}

// SIM-36: the workers of a walk check the same claims at the same time, and none takes the
// result of another. Only the race detector sees each time that one does.
func TestSIM36WorkersCheckTheSameClaims(t *testing.T) {
	f := readCase(t, `
scenario: 1
name: x
brain: [{says: hi}]
timeline: [{user: hi}, {user: ho}]
always: [{that: "all(handles, .age >= 0)", when: "len(handles) > 0"}, {ask: {$any: true}}]
never: [{that: {tool: exec}, when: "active > 1"}, "any(handles, .rounds > 1000)"]
`)
	plan := f.Plan()
	world := explore.CaseWorld("x", &plan)
	world.Case.Check = judge.Watch(f.File).Check
	world.StatesMax, world.Workers = 3000, 3
	world.Together = func(n int, do func(int)) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { do(i) })
		}
		all.Wait()
	}
	if x := explore.Run(world); x.Found != nil || x.Unique < 100 {
		t.Errorf("%d states, found %+v", x.Unique, x.Found)
	}
}

// A replay goes on from the state that it is given, with the handles in it (SCN-45).
func TestSCN45AReplayContinuesFromItsState(t *testing.T) {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	m := machine.New()
	m.Step(fsm.Input{Fact: fsm.Boot{Config: config}})
	m.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Text: "first ${x}"}})
	m.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r2"}, Text: "second"}})
	from, call := m.Snapshot(), m.View().Handles[0].Await.Call
	r := Recorded{
		Name: "from a state", Start: 1767603600123, From: &from,
		Told: []explore.Told{
			{At: 1767603601123, Input: fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "It is ${y}."}}, Words: "an answer"},
			{At: 1767603600123, Input: fsm.Input{Fact: fsm.CancelRequested{Request: fsm.RequestKey{ID: "r2"}}}, Words: "the clock has gone back"},
		},
	}
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	f := readCase(t, b.String()+"expect: {handles: [{id: r1, path: [cognition, summarizing]}]}\nalways: ['queued == 1', 'crashes == 0']\n")
	if diff := cmp.Diff(from, f.From.Snapshot); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	if got := compile.Told(f.File); got[0].At != 1767603601123 || got[1].At != 1767603600123 {
		t.Errorf("at %d and %d", got[0].At, got[1].At)
	}
	if o := f.Run(sim.Options{}); !o.OK() || o.Steps != 2 {
		t.Errorf("%d steps, %v %v", o.Steps, o.Err, o.Failures)
	}
}
