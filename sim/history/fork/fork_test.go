package fork_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/history/fork"
	"shelly/sim/scenario"
)

// recorded plays a case and returns the point before the n-th step of request r1 of it.
func recorded(t *testing.T, text string, n int) fork.Point {
	t.Helper()
	p, err := pointOf(t, text, "r1", n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pointOf(t *testing.T, text, id string, n int) (fork.Point, error) {
	t.Helper()
	f, err := scenario.Parse("case", []byte("scenario: 1\nname: x\nprofile: default\nexpect: {ends: serving}\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	o := f.Run(sim.Options{})
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	j := journalOf(t, o.Result)
	for _, r := range o.Result.Requests {
		if r.Key.ID == id {
			h, err := history.Of(j, r.Key)
			if err != nil {
				t.Fatal(err)
			}
			return fork.At(j, h, n)
		}
	}
	t.Fatalf("there is no request %s", id)
	return fork.Point{}, nil
}

// script is a brain that says what is next, and keeps what it was asked.
type script struct {
	lines []fsm.Input
	asked []fsm.AskBrain
}

func (s *script) answer(ask fsm.AskBrain, _ []fsm.ToolDecl) (fsm.Input, error) {
	s.asked = append(s.asked, ask)
	if len(s.lines) == 0 {
		return fsm.Input{}, errSilent
	}
	next := s.lines[0]
	s.lines = s.lines[1:]
	return next, nil
}

// last is the last message that the brain was sent.
func (s *script) last() fsm.Message {
	messages := s.asked[len(s.asked)-1].Messages()
	return messages[len(messages)-1]
}

func says(text string) fsm.Input {
	return fsm.Input{Fact: fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: text}}
}

func calls(name, args string) fsm.Input {
	return fsm.Input{Fact: fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "x", Name: name, Args: args}}}}
}

// run runs a fork that must come to an end without a breach of the invariants.
func run(t *testing.T, p fork.Point, c fork.Change, b *script) fork.Result {
	t.Helper()
	r, err := fork.Run(p, c, b.answer)
	if err != nil || len(r.Violations) > 0 || r.Stands != "" {
		t.Fatalf("%v, violations %v, stands %q", err, r.Violations, r.Stands)
	}
	return r
}

func edited(t *testing.T, p fork.Point, key, value string) fsm.Input {
	t.Helper()
	in, err := p.Edited([]fork.Edit{{Key: key, Value: value}})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// looks is a request with a call of a read-only tool and one of an unsafe one.
const looks = `
config: {no_cognition: true, remember: off}
tools:
  look: [{returns: "a b", effects: none, args: {path: ".", deep: true}}]
  exec: [{returns: "done", effects: unsafe}]
brain:
  - calls: [{tool: look, args: {path: ".", deep: true}}]
  - calls: [{tool: exec, args: {cmd: "rm a"}}]
  - says: "Removed a."
timeline: [{user: "Tidy up."}]
`

// The steps of looks.
const (
	looksRequested = 1
	looksModel     = 3
	looksResult    = 4
	looksRemoves   = 5
	looksRemoved   = 6
)

// What a tool returned is edited, and the model continues from that (SIM-15).
func TestSIM15AnEditedResultReachesTheModel(t *testing.T) {
	p := recorded(t, looks, looksResult)
	b := &script{lines: []fsm.Input{says("Nothing to do.")}}
	r := run(t, p, fork.Change{Input: edited(t, p, "result", "it is empty")}, b)
	if len(b.asked) != 1 || b.last().Text != "it is empty" || r.Reply == nil || r.Reply.Text != "Nothing to do." || r.Parted != 0 {
		t.Errorf("asked %d times, last %q, reply %+v, parted %d", len(b.asked), b.last().Text, r.Reply, r.Parted)
	}
}

// An edited result that is longer than its share is cut and kept as a tool's own is, and read
// on in (SIM-15, TXT-2).
func TestSIM15AnEditedResultIsKeptWhole(t *testing.T) {
	p := recorded(t, looks, looksResult)
	b := &script{lines: []fsm.Input{calls("read_more", `{"result": 1, "from": 79990}`), says("42.")}}
	r := run(t, p, fork.Change{Input: edited(t, p, "result", strings.Repeat("0123456789", 8000)+" the answer is 42")}, b)
	if first := b.asked[0].Messages(); len(first[len(first)-1].Text) > 20_000 {
		t.Errorf("the model is sent %d bytes", len(first[len(first)-1].Text))
	}
	if r.Reply == nil || r.Reply.Text != "42." || !strings.Contains(b.last().Text, "0123456789 the answer is 42") {
		t.Errorf("last %q, reply %+v", b.last().Text, r.Reply)
	}
}

// A call as recorded has the recorded result, however its arguments are written; one with
// effects once (SIM-19).
func TestSIM19ARecordedCallHasItsResult(t *testing.T) {
	p := recorded(t, looks, looksModel)
	b := &script{lines: []fsm.Input{
		calls("look", `{ "deep":true, "path":"." }`), calls("look", `{"path":".","deep":true}`),
		calls("exec", `{"cmd":"rm a"}`), calls("exec", `{"cmd":"rm a"}`), says("ok"),
	}}
	r := run(t, p, fork.Change{AskAgain: true}, b)
	var results []string
	for _, s := range r.Steps {
		if in, ok := s.Input.Fact.(fsm.ToolAnswered); ok {
			results = append(results, string(s.Source)+" "+in.Text)
		}
	}
	want := []string{"record a b", "record a b", "record done", "fork " + fork.NoResult}
	if strings.Join(results, "; ") != strings.Join(want, "; ") || len(r.Refused) != 1 || r.Refused[0].Tool != "exec" {
		t.Errorf("results %q, refused %v; want %q", results, r.Refused, want)
	}
}

// What stands in the record before the step was done then: it is not there to be had again.
func TestSIM15AnUnsafeCallBeforeTheStepIsRefused(t *testing.T) {
	p := recorded(t, looks, looksRemoved+1)
	b := &script{lines: []fsm.Input{calls("exec", `{"cmd":"rm a"}`), calls("exec", `{"cmd":"rm b"}`), calls("look", `{"deep":true,"path":"."}`), says("ok")}}
	r := run(t, p, fork.Change{AskAgain: true}, b)
	if len(r.Refused) != 2 || r.Refused[0].Why != fork.NoResult || r.Refused[1].Why != fork.NotRecorded || b.last().Text != "a b" {
		t.Errorf("refused %v, last %q", r.Refused, b.last().Text)
	}
}

// The model learns of a refusal, once: nothing is tried again.
func TestSIM15ARefusalReachesTheModel(t *testing.T) {
	p := recorded(t, looks, looksModel)
	b := &script{lines: []fsm.Input{calls("look", `{"path":"/"}`), says("I cannot.")}}
	r := run(t, p, fork.Change{AskAgain: true}, b)
	if len(r.Refused) != 1 || !strings.Contains(b.last().Text, fork.NotRecorded) || r.Reply.Text != "I cannot." {
		t.Errorf("refused %v, the model heard %q", r.Refused, b.last().Text)
	}
}

// The request's own text is edited, with the session as it was then.
func TestSIM15AnEditedRequestIsAsked(t *testing.T) {
	p := recorded(t, looks, looksRequested)
	b := &script{lines: []fsm.Input{says("Hello.")}}
	r := run(t, p, fork.Change{Input: edited(t, p, "text", "Say hello.")}, b)
	if !strings.HasSuffix(b.last().Text, "] Say hello.") || r.Reply.Text != "Hello." || r.Steps[1].Source != fork.FromRecord {
		t.Errorf("asked %q, reply %q, then %s", b.last().Text, r.Reply.Text, r.Steps[1].Source)
	}
}

// A prompt that is another is in the question that is asked again, and a limit holds from
// the step on (SIM-15).
func TestSIM15AnotherConfigurationHoldsFromTheStepOn(t *testing.T) {
	p := recorded(t, looks, looksRemoves)
	c := p.Config()
	c.Prompts.Identity, c.Prompts.Sections = "You are a cat.", nil
	b := &script{lines: []fsm.Input{says("Meow.")}}
	if r := run(t, p, fork.Change{Config: &c, AskAgain: true}, b); !strings.HasPrefix(b.asked[0].System, "You are a cat.") || r.Reply.Text != "Meow." || b.last().Text != "a b" {
		t.Errorf("asked %q after %q, reply %q", b.last().Text, b.asked[0].System, r.Reply.Text)
	}
	c = p.Config()
	c.Limits.MaxToolRounds = 1
	b = &script{}
	r := run(t, p, fork.Change{Config: &c}, b)
	if r.Reply.Outcome != fsm.OutcomeExhausted || len(b.asked) != 0 {
		t.Errorf("reply %+v; want that the recorded call is one too many", r.Reply)
	}
}

// The wait before the model is asked again is over at once, and the fork is bounded.
func TestSIM15WaitsAreOverAtOnce(t *testing.T) {
	p := recorded(t, looks, looksModel)
	b := &script{lines: []fsm.Input{{Fact: fsm.BrainFailed{Class: fsm.BrainBusy, Reason: "busy"}}, says("late")}}
	if r := run(t, p, fork.Change{AskAgain: true}, b); r.Reply.Text != "late" || len(b.asked) != 2 {
		t.Errorf("got %+v after %d questions; want the text late after 2", r.Reply, len(b.asked))
	}
	b = &script{lines: []fsm.Input{calls("look", `{}`), calls("look", `{"n":2}`), calls("look", `{"n":3}`)}}
	if r, err := fork.Run(p, fork.Change{AskAgain: true, StepsMax: 4}, b.answer); !errors.Is(err, fork.ErrSteps) || len(r.Steps) != 4 {
		t.Errorf("%d steps, %v", len(r.Steps), err)
	}
}

// A brain's error ends the fork with how far it came.
func TestSIM15ABrainMayGiveUp(t *testing.T) {
	p := recorded(t, looks, looksModel)
	r, err := fork.Run(p, fork.Change{AskAgain: true}, (&script{lines: []fsm.Input{calls("look", `{}`)}}).answer)
	if !errors.Is(err, errSilent) || len(r.Steps) != 2 || r.Stands == "" {
		t.Errorf("%d steps, stands %q, %v", len(r.Steps), r.Stands, err)
	}
}

const approves = `
config: {no_cognition: true, remember: off}
tools:
  exec: [{approve: true, returns: "done", effects: unsafe}]
brain:
  - calls: [{tool: exec, args: {cmd: "rm a"}}]
  - says: "Removed a."
timeline:
  - {user: "Tidy up."}
  - {at: 5s, approve: true}
`

// A person says what they said of the same call, and no to any other (SIM-19).
func TestSIM15APersonDecidesAsRecorded(t *testing.T) {
	const modelCalls, decided = 3, 4
	p := recorded(t, approves, modelCalls)
	b := &script{lines: []fsm.Input{calls("exec", `{"cmd":"rm a"}`), calls("exec", `{"cmd":"rm b"}`), says("ok")}}
	r := run(t, p, fork.Change{AskAgain: true}, b)
	if len(r.Refused) != 0 || b.last().Text != "not run: a fork refused it" || b.asked[1].Messages()[len(b.asked[1].Messages())-1].Text != "done" {
		t.Errorf("refused %v, the model heard %q", r.Refused, b.last().Text)
	}
	p = recorded(t, approves, decided)
	b = &script{lines: []fsm.Input{says("As you like.")}}
	if r := run(t, p, fork.Change{Input: edited(t, p, "approve", "false")}, b); !strings.HasPrefix(b.last().Text, "not run: ") || len(r.Refused) != 0 {
		t.Errorf("the model heard %q", b.last().Text)
	}
}

// A need that was met is met again, another finds nothing; what was found can be edited.
func TestSIM15MemoryIsTheRecorded(t *testing.T) {
	const needs = `
config: {remember: off}
memory: [{summary: "The disk is full of logs."}]
brain: [{says: "NEED: full of logs"}, {says: "It is the logs."}]
timeline: [{user: "What fills the disk?"}]
`
	const said, found = 3, 4
	heard := func(c fork.Change, p fork.Point, lines ...fsm.Input) string {
		b := &script{lines: lines}
		run(t, p, c, b)
		var all []string
		for _, m := range b.asked[len(b.asked)-1].Messages() {
			all = append(all, m.Text)
		}
		return strings.Join(all, "\n")
	}
	p := recorded(t, needs, said)
	if got := heard(fork.Change{AskAgain: true}, p, says("NEED: full of logs"), says("ok")); !strings.Contains(got, "The disk is full of logs.") {
		t.Errorf("the same need: %s", got)
	}
	if got := heard(fork.Change{AskAgain: true}, p, says("NEED: who is it"), says("ok")); strings.Contains(got, "The disk is full of logs.") {
		t.Errorf("another need: %s", got)
	}
	p = recorded(t, needs, found)
	if got := heard(fork.Change{Input: edited(t, p, "recalled", `["It is the mail."]`)}, p, says("ok")); !strings.Contains(got, "It is the mail.") {
		t.Errorf("what was found, edited: %s", got)
	}
}

func TestSIM15ASubagentOfTheForkWorksBesideIt(t *testing.T) {
	p := recorded(t, looks, looksModel)
	c := p.Config()
	spawns, _ := profile.Named("nanobot")
	c.Tools = append(c.Tools, spawns.Tools...)
	b := &script{lines: []fsm.Input{calls("spawn", `{"task":"count"}`), says("sub or main"), says("main or sub")}}
	r := run(t, p, fork.Change{Config: &c, AskAgain: true}, b)
	purposes := map[fsm.Purpose]int{}
	for _, ask := range b.asked {
		purposes[ask.Purpose]++
	}
	if purposes[fsm.PurposeSubagent] != 1 || purposes[fsm.PurposeAnswer] != 2 || r.Reply == nil {
		t.Errorf("asked %v, reply %+v", purposes, r.Reply)
	}
}

// What a fork can begin at is listed where it cannot (SIM-15).
func TestSIM15WhereAForkCanBegin(t *testing.T) {
	const two = `
config: {no_cognition: true, remember: off, max_active: 1}
brain: [{says: "One."}, {says: "Two."}]
timeline: [{user: "1", session: a}, {user: "2", session: b}]
`
	for _, test := range []struct {
		id   string
		n    int
		want string
	}{
		{"r1", 0, "request r1 has no such step; it can start at steps 1 to 4"},
		{"r1", 9, "request r1 has no such step"},
		{"r2", 2, "is not about request r2, which only waited for it; it can start at steps 1, 3 to 5"},
	} {
		if _, err := pointOf(t, two, test.id, test.n); !errors.Is(err, fork.ErrNoPoint) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("step %d of %s: %v; want %s", test.n, test.id, err, test.want)
		}
	}
	p, err := pointOf(t, two, "r2", 1)
	if err != nil {
		t.Fatal(err)
	}
	b := &script{lines: []fsm.Input{says("At once.")}}
	if r := run(t, p, fork.Change{}, b); r.Reply.Text != "At once." {
		t.Errorf("%+v; want that it does not wait for a handle that stands still", r.Reply)
	}
}

// A request that is cancelled while it waits does not start first (SIM-15).
func TestSIM15ACancelOfWhatWaits(t *testing.T) {
	const cancelled = `
config: {no_cognition: true, remember: off, max_active: 1}
brain: [{says: "One.", takes: 60s}]
timeline: [{user: "1", session: a}, {user: "2", session: b}, {at: 5s, cancel: r2}]
`
	p, err := pointOf(t, cancelled, "r2", 2)
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, p, fork.Change{}, &script{}); r.Steps[0].Moves[0].From != state.Queued || r.Reply.Outcome != fsm.OutcomeCancelled || r.Parted >= 0 {
		t.Errorf("%+v, reply %+v, parted %d", r.Steps[0].Moves, r.Reply, r.Parted)
	}
}

// A run is forked as a request is: what it says when it ends is its reply. The step of the handle
// that began it is none of its own.
func TestSIM15ARunIsForked(t *testing.T) {
	f, err := scenario.Parse("case", []byte(`
scenario: 1
name: x
brain: [{calls: [{tool: spawn, args: {task: Look.}}]}, {says: "Begun."}, {says: "It is done."}, {says: "The disk fills up."}]
brain_for: {subagent: [{says: "All is well."}]}
timeline: [{user: "hi"}, {at: 1h, event: {source: disk, kind: low, subject: /var, channel: cli, chat: direct}}]
expect: {ends: serving}
`))
	if err != nil {
		t.Fatal(err)
	}
	o := f.Run(sim.Options{})
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	j := journalOf(t, o.Result)
	forked := map[fsm.Kind]bool{}
	for _, h := range histories(t, j, o.Result) {
		kind := fsm.Kind(h.Request.Key.Channel)
		if !h.Run || kind != fsm.KindSubagent && kind != fsm.KindEvent {
			continue
		}
		forked[kind] = true
		if _, err := fork.At(j, h, 1); errors.Is(err, fork.ErrNoPoint) != (kind == fsm.KindSubagent) {
			t.Errorf("%s at step 1: %v", kind, err)
		}
		i := slices.IndexFunc(h.Steps, func(s history.Step) bool { return s.N > 1 && fsm.AnswersKind(s.Input.Fact, fsm.CallBrain) })
		p, err := fork.At(j, h, i+1)
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.Edited([]fork.Edit{{Key: "says", Value: "Nothing is well."}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := fork.Run(p, fork.Change{Input: in}, new(script).answer)
		if err != nil || r.Stands != "" {
			t.Errorf("%s: got %v, stands %q; want a run that parts", kind, err, r.Stands)
		}
		if kind == fsm.KindEvent && (r.Reply == nil || r.Reply.Text != "Nothing is well.") {
			t.Errorf("%s: the reply is %+v", kind, r.Reply)
		}
	}
	if len(forked) != 2 {
		t.Errorf("forked are %v", forked)
	}
}
