package export

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
	"shelly/sim/scenario/layout"
)

// scenarioOf plays the first case of a file, with a crash at a point or none at 0, and returns a
// request of it as a scenario.
func scenarioOf(t *testing.T, path string, request, crash int, change func(*sim.Result)) string {
	t.Helper()
	cases, err := scenario.Load(os.DirFS("../../../scenarios"), path)
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(cases[0].Plan(), sim.Options{CrashAt: crash})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(result)
	}
	r, err := Read(lived(t, result), result.Requests[request].Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Redact(redact.New(), false); err != nil {
		t.Fatal(err)
	}
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	return string(file.Source)
}

// A stop has something to stop in the scenario too.
func TestSCN47AStopIsExported(t *testing.T) {
	text := scenarioOf(t, "default/stop-a-session.scenario.yaml", 3, 0, nil)
	if !strings.Contains(text, `user: "/stop"`) && !strings.Contains(text, `user: /stop`) || !strings.Contains(text, "^Stopped: ") {
		t.Errorf("got\n%s; want the user's /stop and %q", text, "^Stopped: ")
	}
}

// What the machine has said in a session stays its own, so that no turn begins with it.
func TestSCN47AnExportHasWhatTheMachineHasSaid(t *testing.T) {
	if text := scenarioOf(t, "server/what-was-sent-stays.scenario.yaml", 1, 0, nil); !strings.Contains(text, "aside: true") {
		t.Errorf("got %s; want one with %q", text, "aside: true")
	}
}

// A crash while the request waited in the queue is no part of it.
func TestSCN47ACrashBeforeTheRequestsTurnIsNotExported(t *testing.T) {
	for _, path := range []string{"faults/crash-while-queued.scenario.yaml", "model/stream-crash.scenario.yaml"} {
		if text := scenarioOf(t, path, 1, 0, nil); strings.Contains(text, "crash:") {
			t.Errorf("%s: in it is a crash\n%s", path, text)
		}
	}
}

// A call that was made again, after a start or a time limit, is one call: with one entry, which
// takes the time of the last, and a fault for each time.
func TestSCN47ACallThatWasMadeAgainIsExportedOnce(t *testing.T) {
	for path, has := range map[string]string{ // order-free: each has its own world
		"shelly/shutdown-grace-over.scenario.yaml":        `{says: Done., takes: "1m40s"}`,
		"shelly/forced-stop-in-every-phase.scenario.yaml": `{nth: 2, takes: "10s", optional: true}`,
		"default/parked-sessions-in-order.scenario.yaml":  "brain:\n  - {says: \"1\", takes: \"30s\"}\ntimeline",
		"default/a-hung-model.scenario.yaml":              "brain:\n  - {hangs: true}\ntimeline",
		"probe/second-crash.scenario.yaml":                `probe: {answers: done, returns: written, takes: "20s"}`,
		"probe/working.scenario.yaml":                     `{approve: true, returns: deployed, takes: "1m", probe: {answers: working}}`,
	} {
		if text := scenarioOf(t, path, 0, 0, nil); !strings.Contains(text, has) {
			t.Errorf("%s: no %q in\n%s", path, has, text)
		}
	}
}

// A crash while the model writes is at the same point in the scenario, whose model shows fewer of
// the stages of its calls.
func TestSCN47ACrashWhileTheModelWritesIsExported(t *testing.T) {
	for _, crash := range []int{34, 38, 43} {
		if text := scenarioOf(t, "cost/chat.scenario.yaml", 0, crash, nil); !strings.Contains(text, "crash:") {
			t.Errorf("a crash at point %d: there is none in\n%s", crash, text)
		}
	}
}

// A model that writes for long is not given up in the scenario either.
func TestSCN47AnAnswerThatTookLongIsExported(t *testing.T) {
	text := scenarioOf(t, "countbot/turn-of-an-hour.scenario.yaml", 0, 0, func(r *sim.Result) {
		for i := range r.Steps {
			if at := &r.Steps[i].Input.At; *at > r.Steps[4].Input.At {
				*at -= 1680 * fsm.Second // it wrote for nine minutes
			}
		}
	})
	if !strings.Contains(text, `takes: "1m", stream: {chunks: 20, every: "28.4s"}`) {
		t.Errorf("got %s; want one with %q", text, `takes: "1m", stream: {chunks: 20, every: "28.4s"}`)
	}
}

// A clock that jumped, as that of a computer that slept does, has spent no time of the request.
func TestSCN47AJumpOfTheClockIsExported(t *testing.T) {
	for path, jump := range map[string]string{ // order-free: each has its own world
		"faults/clock-jump-moves-no-timer.scenario.yaml":    `clock_jump: "1h2m"`,
		"faults/clock-jump-spends-no-time.scenario.yaml":    `clock_jump: "1h0m18s"`,
		"default/approval-clock-stands-still.scenario.yaml": "",
	} {
		text := scenarioOf(t, path, 0, 0, nil)
		if jump == "" && strings.Contains(text, "clock_jump") || !strings.Contains(text, jump) {
			t.Errorf("%s: want %q in\n%s", path, jump, text)
		}
	}
	back := scenarioOf(t, "faults/clock-jump-moves-no-timer.scenario.yaml", 0, 0, func(r *sim.Result) {
		for i := range r.Steps {
			if at := &r.Steps[i].Input.At; *at > r.Steps[1].Input.At {
				*at -= 3 * 3600 * fsm.Second
			}
		}
	})
	if !strings.Contains(back, `clock_jump: "-1h58m"`) {
		t.Errorf("got %s; want one with %q", back, `clock_jump: "-1h58m"`)
	}
}

// An export is laid out, so that format has nothing to change.
func TestSCN47AnExportIsLaidOut(t *testing.T) {
	text := scenarioOf(t, "default/subagent-works-beside.scenario.yaml", 0, 0, nil)
	if laid, err := layout.Text([]byte(text)); err != nil || string(laid) != text {
		t.Errorf("got %v and\n%s; want\n%s", err, text, laid)
	}
}

// What looks like a matcher, or could be none, is expected as it stands.
func TestSCN47WhatLooksLikeAMatcherIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
tools: {look: [{returns: a}, {returns: b}, {returns: c}]}
brain:
  - calls:
      - {tool: look, args: {a: null}}
      - {tool: look, args: {a: [{b: {}}]}}
      - {tool: look, args: {a: [{b: $any, $c: 1}]}}
  - {says: $any}
timeline: [{user: "hi", id: $len}]
expect: {replies: {$any: true}}
`)
	for name, render := range map[string]func() (*File, error){"replay": r.Replay, "scenario": r.Scenario} { // order-free: each has its own file
		if _, err := render(); err != nil {
			t.Errorf("%s: got %v; want no error", name, err)
		}
	}
}

// An answer that was cut before its first word, as one that thinks too long is, has no text
// and is not empty of its own.
func TestSCN47AnAnswerThatIsCutWithoutATextIsExported(t *testing.T) {
	if text := scenarioOf(t, "size/thinks-too-long.scenario.yaml", 0, 0, nil); !strings.Contains(text, "stops: length") {
		t.Errorf("got %.5000s; want one with %q", text, "stops: length")
	}
}

// A tag that was left in a text would be heard as one if a model said it again.
func TestSCN47ATagInATextIsExported(t *testing.T) {
	if text := scenarioOf(t, "model/tags-in-the-text.scenario.yaml", 0, 0, nil); !strings.Contains(text, `<think></think>The disk is 92% full`) {
		t.Errorf("got %.5000s; want one whose tag is no end of thinking", text)
	}
}

// The machine's own tool_help needs no declaration.
// Whether a model with native calls is asked before its calls as text are taken depends on whether it
// has written some before (INF-29).
func TestSCN47ACallAsTextInTheHistoryIsExported(t *testing.T) {
	text := scenarioOf(t, "default/call-as-text-of-a-model-with-calls.scenario.yaml", 4, 0, nil)
	if !strings.Contains(text, "as_text: true") {
		t.Errorf("its history has no call as text:\n%s", text)
	}
}

func TestSCN47ACallOfToolHelpIsExported(t *testing.T) {
	if text := scenarioOf(t, "offer/servers.scenario.yaml", 0, 0, nil); strings.Contains(text, "undeclared") {
		t.Errorf("got %.5000s; want one without %q", text, "undeclared")
	}
}

// Who decides about a tool's calls, and what its probe says, is part of the tool.
func TestSCN47AToolIsExportedWithItsRulesAndItsProbe(t *testing.T) {
	for _, tt := range []struct {
		path    string
		request int
		has     []string
	}{
		{"default/approval-by-arguments.scenario.yaml", 0, []string{"approve_if:", "approve_unless:"}},
		{"default/approval-the-tool-asks.scenario.yaml", 0, []string{"asks: it publishes", "approve: {grant: session}"}},
		{"default/approval-always.scenario.yaml", 1, []string{"grants:"}},
		{"default/approval-for-the-session.scenario.yaml", 1, []string{"grants:"}},
		{"probe/done.scenario.yaml", 0, []string{"hangs: true", "answers: done"}},
		{"probe/never.scenario.yaml", 0, []string{"hangs: true", "answers: never"}},
	} {
		text := scenarioOf(t, tt.path, tt.request, 0, nil)
		for _, has := range tt.has {
			if !strings.Contains(text, has) {
				t.Errorf("%s: no %q in\n%s", tt.path, has, text)
			}
		}
	}
}

// Rules keep their order: in an entry that which asks comes first.
func TestSCN47RulesKeepTheirOrder(t *testing.T) {
	var rules []fsm.ApproveRule
	for i, asks := range []bool{true, false, false, true, true} {
		rules = append(rules, fsm.ApproveRule{Ask: asks, Match: []fsm.ArgMatch{{Argument: "a", Like: fmt.Sprint(i)}}})
	}
	got, want := "", `{"approve_if":{"a":"0"},"approve_unless":{"a":"1"}} {"approve_unless":{"a":"2"}} {"approve_if":{"a":"3"}} {"approve_if":{"a":"4"}} `
	for _, o := range declarations(fsm.ToolDecl{Effects: fsm.EffectsUnsafe, Rules: rules}) {
		got += rendered(t, o) + " "
	}
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A request that a cancel or a stop met in the queue is kept there by another one.
func TestSCN47ARequestThatWaitedInTheQueueIsExported(t *testing.T) {
	for path, left := range map[string]string{ // order-free: each has its own world
		"default/cancel-while-queued.scenario.yaml": "path: [queued, cancelled]",
		"default/stop-a-session.scenario.yaml":      "path: [queued, cancelled]",
		"shelly/shutdown-while-busy.scenario.yaml":  "path: [queued, parked, queued,",
	} {
		request := 1
		if strings.Contains(path, "stop-a") {
			request = 2
		}
		text := scenarioOf(t, path, request, 0, nil)
		if !strings.Contains(text, left) || !strings.Contains(text, "id: r0") {
			t.Errorf("%s: got %s; want with %q and %q", path, text, left, "id: r0")
		}
	}
}

// The heartbeat that beats while a request waits for a person is no part of the request.
func TestSCN47ARequestBesideTheHeartbeatIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
config: {heartbeat: {every: 10m, do: Look around.}}
tools: {exec: [{returns: done, approve: true}]}
brain:
  - {calls: [{tool: exec}]}
  - {says: "Done."}
  - {session: heartbeat, says: "Nothing.", times: 9, optional: true}
timeline: [{user: "Do it."}, {at: 25m, approve: true}]
expect: {handles: [{kind: schedule, path: {$any: true}}]}
`)
	if _, err := r.Scenario(); err != nil {
		t.Error(err)
	}
}

// A tool of the daemon that refuses a call says of it both that nothing happened and that
// another attempt is pointless.
func TestSCN47ARefusedCallIsExported(t *testing.T) {
	text := scenarioOf(t, "countbot/unsafe-tool-retried.scenario.yaml", 0, 0, func(r *sim.Result) {
		for i := range r.Steps {
			if in, ok := r.Steps[i].Input.Fact.(fsm.ToolAnswered); ok && in.Invalid {
				in.Nothing = true
				r.Steps[i].Input.Fact = in
			}
		}
	})
	if !strings.Contains(text, "nothing: true") || !strings.Contains(text, "invalid: true") {
		t.Errorf("got %s; want with %q and %q", text, "nothing: true", "invalid: true")
	}
}

// A start in the midst of a request changes nothing that a scenario tells, though each
// draws its own jitter.
func TestSCN47ARequestOverARestartIsExported(t *testing.T) {
	text := scenarioOf(t, "size/read-more.scenario.yaml", 0, 40, func(r *sim.Result) {
		boots := 0
		for i := range r.Steps {
			if boot, ok := r.Steps[i].Input.Fact.(fsm.Boot); ok {
				boots++
				boot.Config.Jitter = 7 * boots
				r.Steps[i].Input.Fact = boot
			}
		}
		if boots != 2 {
			t.Fatalf("there are %d starts, want 2", boots)
		}
	})
	if !strings.Contains(text, "restart_after") {
		t.Errorf("got %.3000s; want one with %q", text, "restart_after")
	}
}

// What others did to the session, to MEMORY.md, to the grants and to a subagent while the request
// ran stands where it happened, and a decision names the call that it was about.
func TestSCN47WhatOthersDidMeanwhileIsExported(t *testing.T) {
	for path, has := range map[string]string{ // order-free: each has its own world
		"countbot/memory-file-edited.scenario.yaml":         `edit_memory: Ann likes coffee.`,
		"default/poison-resolved.scenario.yaml":             `edit_session: session: a history:`,
		"default/approval-of-another-call.scenario.yaml":    `deny: {tool: copy`,
		"default/approval-stays-asked.scenario.yaml":        `edit_grants: - {tool: exec, any: true}`,
		"default/cancel-a-subagent-by-itself.scenario.yaml": `cancel: h2`,
		"default/stop-a-subagent.scenario.yaml":             `user: "/stop", session: cli:direct`,
		"default/stopping-parked.scenario.yaml":             `deaf: true`,
	} {
		if text := scenarioOf(t, path, 0, 0, nil); !strings.Contains(strings.Join(strings.Fields(text), " "), has) {
			t.Errorf("%s: no %q in\n%s", path, has, text)
		}
	}
	if text := scenarioOf(t, "default/cancel-while-draining.scenario.yaml", 1, 0, nil); !strings.Contains(text, "path: [queued, parked, cancelled]") {
		t.Errorf("got %s; want one with %q", text, "path: [queued, parked, cancelled]")
	}
}

// A /status is exported whatever else its session had unfinished: it does not tell of a summary that
// waits, and another request may stand anywhere.
func TestSCN47AStatusBesideOtherWorkIsExported(t *testing.T) {
	for _, tt := range []struct {
		session, entry, says string
		other                bool // another request comes before it
	}{
		{"a", `{returns: done, takes: 1m}`, "1 active, 1 waiting; session a: idle", false}, // its summary waits
		{"b", `{returns: done, takes: 1m}`, "session b: cognition", true},
		{"b", `{returns: done, approve: true}`, "session b: waiting_approval", true},
	} {
		r := recorded(t, `
scenario: 1
name: x
tools: {exec: [`+tt.entry+`]}
brain: [{says: "Hello."}, {calls: [{tool: exec}]}, {says: "Done."}]
timeline: [{user: "hi", session: a}, {user: "Do it.", session: b}, {at: 10s, user: /status, session: `+tt.session+`}, {at: 20s, approve: true}]
expect: {replies: {$any: true}}
`)
		if !strings.HasSuffix(r.Request.Reply, tt.says) {
			t.Fatalf("the status is %q, want %q at its end", r.Request.Reply, tt.says)
		}
		file, err := r.Scenario()
		if err != nil {
			t.Errorf("%s: %v", tt.says, err)
			continue
		}
		doubtless(t, tt.says, file)
		if got := strings.Contains(string(file.Source), "id: r0"); got != tt.other {
			t.Errorf("%s: another request: %v, want %v\n%s", tt.says, got, tt.other, file.Source)
		}
	}
}

// What a person was asked is expected, and that a call that was refused did not run: with another
// call, or with approval in place of the refusal, the case fails.
func TestSCN47ARefusedCallIsExpectedNotToRun(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
tools: {exec: [{returns: done, approve: true, optional: true}]}
brain: [{calls: [{tool: exec, args: {command: rm a}}]}, {says: "It was not done."}]
timeline: [{user: "hi"}, {at: 10s, deny: true}]
expect: {replies: {$any: true}}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	doubtless(t, "a refused call", file)
	text := string(file.Source)
	for path, change := range map[string][2]string{ // order-free: each is a case of its own
		"questions": {"brain:\n  - calls:\n      - {tool: exec, args: {command: rm a}}", "brain:\n  - calls:\n      - {tool: exec, args: {command: rm b}}"},
		"audit":     {"deny: ", "approve: "},
	} {
		if n := strings.Count(text, change[0]); n != 1 {
			t.Fatalf("%d times %q in\n%s", n, change[0], text)
		}
		if _, err := played([]byte(strings.Replace(text, change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), "expect."+path) {
			t.Errorf("%s: got %v; want an error at expect.%s\n%s", path, err, path, text)
		}
	}
}

// What the model counts for a prompt decides what is sent again after it was too long, without
// compression too.
func TestSCN47APromptThatWasTooLongIsExportedWithItsCounts(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
profile: nanobot
config: {context_tokens: 8000}
tools: {exec: [{returns: "`+strings.Repeat("all as expected. ", 600)+`", times: 2}]}
brain:
  - {calls: [{tool: exec}], tokens: {prompt: 2000}}
  - {calls: [{tool: exec, args: {a: 1}}], tokens: {prompt: 5000}}
  - {fails: context_truncated}
timeline: [{user: "hi"}]
expect: {replies: {$any: true}}
`)
	if _, err := r.Scenario(); err != nil {
		t.Error(err)
	}
}

// A stop and a start within a second, over which the request waited, are in the scenario, too: what
// keeps it in the queue is done by the start.
func TestSCN47AQuickRestartOverTheQueueIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
brain: [{says: "One.", takes: 2s}, {says: "Two."}]
timeline: [{user: "one"}, {at: 100ms, user: "two"}, {at: 1.9s, shutdown: true}, {at: 2.3s, start: true}]
expect: {replies: {$any: true}}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	doubtless(t, "a quick restart", file)
	if text := string(file.Source); !strings.Contains(text, "path: [queued, parked, queued,") || !strings.Contains(text, "start: true") {
		t.Errorf("got\n%s; want %q and %q", text, "path: [queued, parked, queued,", "start: true")
	}
}

// What came one after another is no matter of a seed, which orders what comes at one time (SIM-2).
func TestSCN47AScenarioHoldsUnderEverySeed(t *testing.T) {
	for name, timeline := range map[string]string{ // order-free: each is a request of its own
		"a stop":         `[{user: "one"}, {at: 1s, user: "/stop"}]`,
		"a status":       `[{user: "one"}, {at: 1s, user: "/status"}]`,
		"another before": `[{user: "one"}, {at: 100ms, user: "two"}, {at: 1.9s, shutdown: true}, {at: 2.3s, start: true}]`,
		"at once":        `[{user: "one", id: a}, {at: 3ms, cancel: a}]`,
	} {
		file, err := recorded(t, `
scenario: 1
name: x
brain: [{says: "One.", takes: 2s}, {says: "Two.", optional: true}]
timeline: `+timeline+`
expect: {replies: {$any: true}}
`).Scenario()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		holdsUnderSeeds(t, file)
	}
}

// A crash while the request waits behind another changes nothing of it, and is not told; one after that
// comes at the same step as in the record, whatever the other has done by then.
func TestSCN47ACrashAfterTheQueueIsExported(t *testing.T) {
	for _, test := range []struct {
		crash, path string
		told        bool
	}{
		{"{at: step.4, restart_after: 300ms}", "[queued parked queued loading cognition saving done]", false},
		{"{at: effect.after, effect: ask_brain, nth: 2, restart_after: 300ms}", "[queued parked queued loading parked queued loading cognition saving done]", true},
	} {
		file, err := recorded(t, `
scenario: 1
name: x
brain: [{says: "One.", takes: 1s}, {says: "Two.", takes: 2s}]
timeline: [{user: "one"}, {at: 100ms, user: "two"}, {at: 800ms, shutdown: true}, {at: 1.7s, start: true}]
faults: {crash: [`+test.crash+`]}
expect: {replies: {$any: true}}
`).Scenario()
		if err != nil {
			t.Fatalf("%s: %v", test.crash, err)
		}
		doubtless(t, test.crash, file)
		holdsUnderSeeds(t, file)
		if text := string(file.Source); strings.Contains(text, "crash:") != test.told || !strings.Contains(text, "start: true") {
			t.Errorf("%s: got\n%s", test.crash, text)
		}
		if got := fmt.Sprint(file.result.Path(state.HandleTable.Name, 2)); got != test.path {
			t.Errorf("%s: %s, want %s", test.crash, got, test.path)
		}
	}
}

// What brings the request its turn is no step of its own, which would be counted in the scenario, where it
// need not wait; a crash that found it parked, at a start that is not over, is not told.
func TestSCN47ACrashAfterATurnIsExported(t *testing.T) {
	for _, test := range []struct{ rest, want, not string }{
		{`
brain: [{says: "One.", takes: 1s}, {says: "Two.", takes: 2s}]
timeline: [{user: "one"}, {at: 100ms, user: "two"}]
faults: {crash: [{at: effect.after, effect: embed, nth: 2, restart_after: 300ms, synced: true}]}
`, "path: [queued, loading, cognition, summarizing, embedding, parked, queued, embedding, storing, done]", "id: r0"},
		{`
config: {shutdown_timeout: 1s, grace: 1s, init: every_start}
brain: [{says: "One.", takes: 20s}]
brain_for: {init: [{says: "Here."}, {says: "Here.", takes: 30s, optional: true}, {says: "Here.", takes: 30s, optional: true}]}
timeline: [{at: 1s, user: "one"}, {at: 2s, shutdown: true}, {at: 30s, start: true}]
faults: {crash: [{at: effect.after, effect: ask_brain, nth: 5, restart_after: 300ms, synced: true}]}
`, "start: true", "crash:"},
		{`
config: {init: every_start}
tools: {look: [{returns: one, effects: none}]}
brain: [{calls: [{tool: look}]}, {says: "Done.", takes: 9s}]
brain_for: {init: [{says: "Here."}, {says: "Here.", takes: 3s}, {says: "Here.", takes: 3s}]}
timeline: [{at: 1s, user: "one"}]
faults: {crash: [{at: effect.after, effect: run_tool, restart_after: 300ms, synced: true}, {at: effect.after, effect: ask_brain, nth: 4, restart_after: 300ms, synced: true}]}
`, "path: [queued, loading, cognition, parked, queued, cognition, parked, queued, cognition, summarizing,", "id: r0"},
	} {
		file, err := recorded(t, "scenario: 1\nname: x\nprofile: shelly\nexpect: {replies: {$any: true}}\n"+test.rest).Scenario()
		if err != nil {
			t.Errorf("%s: %v", test.rest, err)
			continue
		}
		text := strings.ReplaceAll(strings.Join(strings.Fields(string(file.Source)), " "), " - ", ", ")
		text = strings.ReplaceAll(text, "path:, ", "path: [")
		if !strings.Contains(text, test.want) || strings.Contains(text, test.not) {
			t.Errorf("got\n%s; want %q and no %q", file.Source, test.want, test.not)
		}
	}
}

// A crash that found the request waiting for its turn again, after a person's approval, is not told either.
func TestSCN47ACrashBetweenTwoTurnsIsNotExported(t *testing.T) {
	for _, path := range []string{"default/approval-given-before-a-crash.scenario.yaml", "default/poison-resolved.scenario.yaml"} {
		request := 0
		if strings.Contains(path, "poison") {
			request = 1
		}
		if text := scenarioOf(t, path, request, 0, nil); strings.Contains(text, "crash:") {
			t.Errorf("%s: in it is a crash\n%s", path, text)
		}
	}
}

// A write that a crash interrupted is the same after it, and meets the same fault.
func TestSCN47AFaultThatACrashInterruptedIsExportedOnce(t *testing.T) {
	file, err := recorded(t, `
scenario: 1
name: x
brain: [{says: "One."}]
timeline: [{user: "one"}]
faults:
  sessions: [{only: save, nth: 1, fails: disk, takes: 1s}, {only: save, nth: 2, fails: disk}]
  crash: [{at: effect.after, effect: save_session, synced: true, restart_after: 300ms}]
expect: {replies: {$any: true}}
`).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(file.Source), "fails: disk"); n != 2 {
		t.Errorf("%d faults in\n%s", n, file.Source)
	}
}

// A decision about a call that is decided already names it, so that it decides no other where a crash has
// moved the times.
func TestSCN47ADecisionThatCameTooLateNamesItsCall(t *testing.T) {
	text := scenarioOf(t, "default/approval-of-another-call.scenario.yaml", 0, 0, nil)
	if n := strings.Count(text, "deny: {tool: copy}"); n != 2 {
		t.Errorf("%d decisions name their call in\n%s", n, text)
	}
	f, err := scenario.Parse("a.scenario.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f.CrashEverywhere()
	if out := f.Run(sim.Options{}); out.Err != nil || len(out.Failures) > 0 {
		t.Errorf("with a crash at every point: %v, %v", out.Err, out.Failures)
	}
}

func holdsUnderSeeds(t *testing.T, file *File) {
	t.Helper()
	f, err := scenario.Parse("a.scenario.yaml", file.Source)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(30) {
		if out := f.Run(sim.Options{Choose: sim.NewSeeded(seed + 1)}); len(out.Failures) > 0 {
			t.Errorf("seed %d: %v; it does not hold:\n%s", seed+1, out.Failures[0].Text, file.Source)
		}
	}
}

// A request that a stop interrupts keeps its summary after that of the farewell.
func TestSCN47ARequestKeepsItsSummaryAfterAFarewell(t *testing.T) {
	file, err := recorded(t, `
scenario: 1
name: x
profile: shelly
config: {shutdown_timeout: 1s, grace: 1s, backoff: [100ms]}
brain: [{says: "One.", takes: 20s}]
brain_for: {summary: [{session: farewell, says: "Bye."}, {fails: crashed}, {says: "The first."}]}
timeline: [{user: "one"}, {at: 1s, shutdown: true}, {at: 30s, start: true}]
expect: {replies: {$any: true}}
`).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file.Source); !strings.Contains(text, "code: crashed") || !strings.Contains(text, "start: true") {
		t.Errorf("got\n%s", text)
	}
}

// Of the summaries in a script, the request has its own, though a farewell and what keeps it in the queue
// have theirs before.
func TestSCN47ARequestKeepsItsSummaryAfterAnother(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
profile: shelly
config: {backoff: [100ms]}
brain: [{says: "One.", takes: 2s}, {says: "Two."}]
brain_for: {summary: [{session: farewell, says: "Bye."}, {says: "The first."}, {fails: crashed}, {says: "The second."}]}
timeline: [{user: "one"}, {at: 100ms, user: "two"}, {at: 1.9s, shutdown: true}, {at: 2.3s, start: true}]
expect: {replies: {$any: true}}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	doubtless(t, "a summary after another", file)
	if text := string(file.Source); !strings.Contains(text, "id: r0") || !strings.Contains(text, "code: crashed") || !strings.Contains(text, "The second.") {
		t.Errorf("got\n%s; want %q, %q and %q", text, "id: r0", "code: crashed", "The second.")
	}
}

// A tool that nobody called is only named, unless what is said of it, which is in each prompt, decides
// the request's way. One that was called but never ran is declared as it was.
func TestSCN47AToolThatNobodyCalledIsOnlyNamed(t *testing.T) {
	const file = `
scenario: 1
name: x
profile: default
config: %s
tools:
  look: [{returns: done, description: "Look at it.", effects: none}]
  pay: [{optional: true, description: "Pay for it.", approve: true}]
  send: [{optional: true, description: "%s", approve: true, probe: {answers: truth}}]
brain:
  - calls: [{tool: look}]
  - calls: [{tool: pay}]
  - says: "Done."
timeline: [{user: "hi"}, {at: 10s, deny: true}]
expect: {replies: {$any: true}}
`
	for _, test := range []struct{ config, words, want string }{
		{"{max_active: 1}", "Send it.", "  send: []\n"},
		{"{context_tokens: 3000, offer_tokens: 0, keep_messages: 1}", strings.Repeat("Send all of it. ", 500), "  send:\n    - description: "},
	} {
		r := recorded(t, fmt.Sprintf(file, test.config, test.words))
		exported, err := r.Scenario()
		if err != nil {
			t.Errorf("%s: %v", test.config, err)
			continue
		}
		doubtless(t, test.config, exported)
		for _, want := range []string{test.want, "Look at it.", "Pay for it.", "approve: true"} {
			if !strings.Contains(string(exported.Source), want) {
				t.Errorf("%s: got\n%s; want in it %s", test.config, exported.Source, want)
			}
		}
	}
}

// A request that was parked before its turn and is cancelled after the next start waits in the scenario, too:
// for another one that has its turn before it, or for its session.
func TestSCN47ACancelAfterParkingIsExported(t *testing.T) {
	for _, timeline := range []string{
		"{user: one}, {at: 1s, user: two, session: b}, {at: 2s, shutdown: true}, {at: 50s, cancel: r2}, {at: 1m, start: true}", // which comes after the start
		"{user: one}, {at: 1s, user: two, session: b}, {at: 1s, user: three, session: c}, {at: 9s, shutdown: true}, {at: 40s, start: true}, {at: 41s, cancel: r3}",
		"{user: one}, {at: 1s, user: two}, {at: 2s, user: three}, {at: 9s, shutdown: true}, {at: 40s, start: true}, {at: 60s, cancel: r3}",
	} {
		f, err := scenario.Parse("x.scenario.yaml", []byte(`scenario: 1
name: x
profile: default
brain: [{says: done, takes: 30s, times: 9, optional: true}]
timeline: [`+timeline+`]
expect: {ends: serving}
`))
		if err != nil {
			t.Fatal(err)
		}
		result, err := sim.Run(f.Plan(), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		last := result.Requests[len(result.Requests)-1]
		r, err := Read(lived(t, result), last.Key)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Redact(redact.New(), false); err != nil {
			t.Fatal(err)
		}
		if file, err := r.Scenario(); err != nil || last.Outcome != fsm.OutcomeCancelled || !file.steady() {
			t.Errorf("%s: it ended as %s; %v", timeline, last.Outcome, err)
		}
	}
}

// What came from without in the millisecond of an answer comes in the order that it had, under any seed (SIM-2).
func TestSCN47WhatCameAtTheTimeOfAnAnswerIsExported(t *testing.T) {
	for _, entry := range []string{"cancel: true", "command: /stop", "shutdown: true", "configure: {max_tool_rounds: 1}"} {
		for _, at := range []string{"10s", "15s", "20s"} {
			f, err := scenario.Parse("x.scenario.yaml", []byte(`scenario: 1
name: x
profile: default
brain: [{calls: [{tool: exec}], takes: 10s}, {says: done, takes: 5s, times: 3, optional: true}]
tools: {exec: [{returns: ok, takes: 5s, times: 2, optional: true}]}
timeline: [{user: hi}, {at: `+at+`, `+entry+`}]
expect: {ends: serving}
`))
			if err != nil {
				t.Fatal(err)
			}
			for order, first := range map[string]sim.Chooser{"first": sim.First{}, "last": latest{}} { // order-free: each for itself
				result, err := sim.Run(f.Plan(), sim.Options{Choose: first})
				if err != nil {
					t.Fatal(err)
				}
				if file, err := firstExported(t, result); err != nil || !file.steady() {
					t.Errorf("%s at %s, %s: %v", entry, at, order, err)
				}
			}
		}
	}
}

// firstExported is the first request of a run as a scenario.
func firstExported(t *testing.T, result *sim.Result) (*File, error) {
	r, err := Read(lived(t, result), result.Requests[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Redact(redact.New(), false); err != nil {
		t.Fatal(err)
	}
	return r.Scenario()
}

// What a subagent does at the time of its parent, or of another, comes in the order that it had: a crash of the
// scenario comes after a step by its number.
func TestSCN47ACrashBesideASubagentIsExported(t *testing.T) {
	cases, err := scenario.Load(os.DirFS("../../../scenarios"), "countbot/subagent-safety.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, crash := range []int{36, 44, 59} {
		result, err := sim.Run(cases[0].Plan(), sim.Options{CrashAt: crash})
		if err != nil {
			t.Fatal(err)
		}
		if file, err := firstExported(t, result); err != nil || !file.steady() {
			t.Errorf("a crash at point %d: %v; it holds under some seeds alone", crash, err)
		}
	}
}
