package casetrace_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/sim"
	"shelly/sim/history/casetrace"
	"shelly/sim/history/trace"
	"shelly/sim/scenario"
)

// chat is a case in which a model calls a tool that fails, and a process dies.
const chat = `scenario: 1
name: a look
profile: shelly
tools: {look: [{returns: x, effects: idempotent, times: 2}]}
brain: [{calls: [{tool: look, args: {path: "/<b>"}}]}, {says: Done.}]
timeline: [{user: Look}]
faults: {crash: {at: effect.after, effect: run_tool}}
expect:
  replies: [Done.]
  trace: [{in_order: [{input: requested}, {tool: look}]}]
never: ["tools['look'] == 2"]
`

func played(t *testing.T, yaml string) (*scenario.File, *scenario.Outcome) {
	t.Helper()
	f, err := scenario.Parse("a.scenario.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	return f, &out
}

var update = flag.Bool("update", false, "rewrite the goldens")

func TestSIM31ARunAsText(t *testing.T) {
	f, out := played(t, chat)
	var b strings.Builder
	w := trace.Writer{To: &b, Start: casetrace.Start(f)}
	for s := range casetrace.Of(f, out, trace.Options{TextMax: 60, WordsMax: 60}) {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/look.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("run with -update if that is meant:\n%s", diff)
	}
}

// SIM-30: what breaks and what meets an expectation is marked at its step.
func TestSIM30ExpectationsAreMarkedAtTheirSteps(t *testing.T) {
	f, out := played(t, chat)
	found := map[string]int{}
	for s := range casetrace.Of(f, out, trace.Options{}) {
		for _, m := range s.Marks {
			found[string(m.Kind)+" "+m.Path] = s.N
			switch {
			case m.Kind == trace.Met && m.Path == "expect.replies":
				if !slices.ContainsFunc(s.Effects, func(e trace.Effect) bool { return e.Kind == "reply" }) {
					t.Errorf("step %d has no reply", s.N)
				}
			case m.Kind == trace.Fault && strings.Contains(m.Text, "lost in the crash"):
				if s.Input.Kind != "boot" {
					t.Errorf("what a crash lost is at step %d, %s", s.N, s.Input.Kind)
				}
			}
		}
	}
	for _, want := range []string{"met expect.replies", "met expect.trace[0]", "broken never[0]", "fault "} {
		if found[want] == 0 {
			t.Errorf("no step is marked %q: %v", want, found)
		}
	}
}

// SIM-30: a journal and a run of the simulator read the same.
func TestSIM30AJournalIsDescribedLikeARun(t *testing.T) {
	f, out := played(t, strings.Replace(chat, "faults: {crash: {at: effect.after, effect: run_tool}}\n", "", 1))
	j := engine.NewMemoryJournal()
	var batch engine.Batch
	for i, s := range out.Result.Steps {
		batch.Records = append(batch.Records, engine.Record{Index: uint64(i + 1), Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	if err := j.Append(batch, true); err != nil {
		t.Fatal(err)
	}
	b := trace.New(machine.New().Snapshot(), trace.Options{})
	var told []trace.Step
	for folded, err := range engine.Fold(j, 0) {
		if err != nil {
			t.Fatal(err)
		}
		step, _ := b.Take(folded)
		told = append(told, step)
	}
	n := 0
	for want := range casetrace.Of(f, out, trace.Options{}) {
		want.Marks = slices.DeleteFunc(want.Marks, func(m trace.Mark) bool { return m.Kind != trace.Fault })
		if len(want.Marks) == 0 {
			want.Marks = nil
		}
		if diff := cmp.Diff(want, told[n]); diff != "" {
			t.Fatalf("step %d:\n%s", want.N, diff)
		}
		n++
	}
	if n == 0 || n != len(told) {
		t.Errorf("%d steps of the run, %d of the journal", n, len(told))
	}
}

// SIM-30: of a conversation that grows, each question tells what is new.
func TestSIM30WhatWasSentBeforeIsNamed(t *testing.T) {
	f, out := played(t, `scenario: 1
name: rounds
tools: {look: [{returns: x, effects: none, times: 3}]}
brain: [{calls: [{tool: look, args: {n: 1}}]}, {calls: [{tool: look, args: {n: 2}}]}, {says: Done.}]
timeline: [{user: Look}]
expect: {replies: [Done.]}
`)
	var sent []trace.Sent
	total := 0
	for s := range casetrace.Of(f, out, trace.Options{}) {
		for _, e := range s.Effects {
			if e.Sent != nil && e.Name == "answer" {
				sent = append(sent, *e.Sent)
			}
		}
	}
	for i, s := range sent {
		if i > 0 && (s.Base != sent[i-1].Ask || s.Kept != total || len(s.Messages) != 2) {
			t.Errorf("question %d has %d messages of %d, then %d", s.Ask, s.Kept, s.Base, len(s.Messages))
		}
		total = s.Kept + len(s.Messages)
	}
	if len(sent) != 3 {
		t.Errorf("%d questions", len(sent))
	}
}

func TestSIM30StepsAreJSON(t *testing.T) {
	f, out := played(t, chat)
	for s := range casetrace.Of(f, out, trace.Options{}) {
		body, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again trace.Step
		if err := json.Unmarshal(body, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("step %d:\n%s", s.N, diff)
		}
	}
}
