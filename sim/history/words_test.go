package history_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim/history"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a golden file, or rewrites the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-update rewrites %s\n%s", path, diff)
	}
}

// lines is what is shown of steps, a line each.
func lines(steps []history.Step, textMax int) string {
	var b strings.Builder
	for i, told := range history.Tell(steps, textMax) {
		b.WriteString(told.What + "\n")
		for _, m := range told.Moves {
			b.WriteString("    " + m + "\n")
		}
		for j, e := range told.Effects {
			mark := "  → "
			if history.Minor(steps[i].Effects[j]) {
				mark = "  · "
			}
			b.WriteString(mark + e + "\n")
		}
	}
	return b.String()
}

// everything has steps with inputs and effects of each kind, and each of the ways in
// which they are told.
func everything() []history.Step {
	at := func(n fsm.Millis) fsm.Millis { return 1000 + n }
	long := strings.Repeat("é", 60)
	inputs := []fsm.Input{
		{At: at(0), Fact: fsm.Boot{}},
		{At: at(1), Fact: fsm.Requested{Text: "look\nhere", Images: [][]byte{{1}}, Context: make([]fsm.Message, 2)}},
		{At: at(2), Fact: fsm.EventRaised{Source: "disk", Event: "full", Subject: "/var"}},
		{At: at(3), Fact: fsm.ScheduleDue{Schedule: "s1"}},
		{At: at(4), Fact: fsm.Configured{Config: fsm.Config{Profile: "shelly"}}},
		{At: at(5), Fact: fsm.Signalled{Name: "TERM"}},
		{At: at(6), Fact: fsm.CancelRequested{}},
		{At: at(7), Fact: fsm.Decided{Key: "h1.1", Approve: true, By: "ada"}},
		{At: at(8), Fact: fsm.Decided{Key: "h1.2"}},
		{At: at(9), Fact: fsm.Resolved{Text: "it was sent"}},
		{At: at(9), Fact: fsm.Resolved{}},
		{At: at(10), Fact: fsm.SessionLoaded{Answered: fsm.To(1)}},
		{At: at(40), Fact: fsm.SessionLoaded{Answered: fsm.To(1), Session: fsm.Session{Version: 3, History: make([]fsm.Message, 4)}}},
		{At: at(10), Fact: fsm.SessionLoaded{Answered: fsm.To(1), Error: "no such disk"}},
		{At: at(10), Fact: fsm.SessionSaved{Answered: fsm.To(2)}},
		{At: at(10), Fact: fsm.SessionSaved{Answered: fsm.To(2), Conflict: true}},
		{At: at(90), Fact: fsm.SkillLoaded{Answered: fsm.To(3), Text: "how to fly"}},
		{At: at(1234), Fact: fsm.BrainAnswered{Answered: fsm.To(4), Stop: fsm.StopToolUse, Tokens: fsm.Tokens{Prompt: 10, Answer: 3},
			Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{\n \"path\": \".\"}"}, {Name: "exec", Args: `{"command":"` + long + `"}`}}}},
		{At: at(125_000), Fact: fsm.BrainAnswered{Answered: fsm.To(4), Stop: fsm.StopMaxTokens, Text: long + long, Thinking: "hm"}},
		{At: at(0), Fact: fsm.BrainFailed{Answered: fsm.To(4), Class: fsm.BrainBusy, Reason: "queue full"}},
		{At: at(36), Fact: fsm.ToolAnswered{Answered: fsm.To(5), Text: "a\nb"}},
		{At: at(36), Fact: fsm.ToolAnswered{Answered: fsm.To(5), Text: "no", Failed: true, Nothing: true}},
		{At: at(36), Fact: fsm.ToolAnswered{Answered: fsm.To(99), Text: "no", Failed: true, Invalid: true}},
		{At: at(36), Fact: fsm.ToolStopped{Answered: fsm.To(5)}},
		{At: at(36), Fact: fsm.Recalled{Answered: fsm.To(6)}},
		{At: at(36), Fact: fsm.Recalled{Answered: fsm.To(6), Entries: []fsm.Memory{{Summary: "it rained"}, {Summary: "it snowed"}}}},
		{At: at(36), Fact: fsm.Embedded{Answered: fsm.To(7), Model: "nomic"}},
		{At: at(36), Fact: fsm.Embedded{Answered: fsm.To(7), Error: "none"}},
		{At: at(36), Fact: fsm.Stored{Answered: fsm.To(8)}},
		{At: at(36), Fact: fsm.TimerFired{Timer: 1}},
		{At: at(36), Fact: fsm.TimerFired{Timer: 9}},
	}
	effects := []fsm.Effect{
		fsm.LoadSession{Asked: fsm.Asked{Call: 1}, Session: "s"}, fsm.SaveSession{Asked: fsm.Asked{Call: 2}, Session: "s", State: fsm.Session{History: make([]fsm.Message, 1)}},
		fsm.LoadSkill{Asked: fsm.Asked{Call: 3}, Skill: "flights", Reference: "codes.md"},
		fsm.AskBrain{Asked: fsm.Asked{Call: 4}, Purpose: fsm.PurposeAnswer, System: "be kind", Conversation: fsm.Conversation{Messages: make([]fsm.Message, 1)}, Tools: fsm.AllTools, Tokens: 99},
		fsm.AskBrain{Asked: fsm.Asked{Call: 4}, Purpose: fsm.PurposeSubagent, Conversation: fsm.Conversation{Messages: make([]fsm.Message, 1)}, Tools: fsm.SubagentTools},
		fsm.RunTool{Asked: fsm.Asked{Call: 5}, Name: "exec", Args: `{"command":"ls"}`, Effects: fsm.EffectsUnsafe, Attempt: 2},
		fsm.Recall{Asked: fsm.Asked{Call: 6}, Need: "the weather"}, fsm.Embed{Asked: fsm.Asked{Call: 7}, Text: "it rained"}, fsm.Store{Asked: fsm.Asked{Call: 8}, Entry: fsm.Entry{Summary: "it rained"}},
		fsm.AbortCall{Call: 5}, fsm.AbortCall{Call: 98},
		fsm.SetTimer{Timer: 1, Purpose: fsm.TimerBackoff, After: 7_500_000}, fsm.ClearTimer{Timer: 1}, fsm.ClearTimer{Timer: 98},
		fsm.Reply{Text: "four", Outcome: fsm.OutcomeAnswered}, fsm.Reply{Text: "no", IsError: true, Outcome: fsm.OutcomeTimeout},
		fsm.Notify{Notice: fsm.NoticeQueued, Ahead: 2}, fsm.Notify{Notice: fsm.NoticeHeld},
		fsm.AskPerson{Question: fsm.QuestionApprove, Tool: "exec", Args: "{}"}, fsm.AskPerson{Question: fsm.QuestionUnknown, Tool: "exec", Args: "{}"},
		fsm.AskPerson{Question: fsm.QuestionDoubt, Text: "record 7"}, fsm.AskPerson{Question: fsm.QuestionCrashes},
		fsm.Report{Text: "the disk is slow"}, fsm.SendMessage{To: fsm.Origin{Channel: "web", Chat: "7"}, Text: "done"},
		fsm.Audit{Tool: "exec", Attempts: 1}, fsm.Audit{Tool: "exec", Attempts: 1, Failed: true}, fsm.Audit{Tool: "exec", Args: `{"command":"ls"}`, Result: "not run: nobody is there", Failed: true}, fsm.Audit{Tool: "exec", Args: `{"command":"rm a"}`, Attempts: 1, Failed: true, Unknown: true}, fsm.ArmSchedule{Schedule: "s1"}, fsm.DisarmSchedule{Schedule: "s1"},
		fsm.Exit{Code: fsm.ExitClean},
	}
	steps := []history.Step{{Epoch: 2, Input: inputs[0], Effects: effects, Moves: []state.Move{
		{Table: state.HandleTable.Name, From: state.Queued, To: state.Loading}, {Table: state.InferenceTable.Name, To: state.Thinking},
	}}}
	for _, in := range inputs {
		steps = append(steps, history.Step{Epoch: 1, About: true, Input: in})
	}
	return append(steps, history.Step{Input: fsm.Input{Fact: fsm.SessionSaved{}}})
}

func TestJRN27StepsAreDescribedInWords(t *testing.T) {
	golden(t, "words.golden", lines(everything(), 80))
	golden(t, "words-full.golden", lines(everything(), 0))
}

func TestINF45CallsThatRunTogetherAreDistinguished(t *testing.T) {
	run := func(call fsm.CallID, args string) fsm.Effect {
		return fsm.RunTool{Asked: fsm.Asked{Call: call}, Name: "look", Args: args, Effects: fsm.EffectsNone, Attempt: 1}
	}
	told := history.Tell([]history.Step{
		{About: true, Effects: []fsm.Effect{run(1, `{"n": 1}`), run(2, `{"n":2}`)}, Input: fsm.Input{Fact: fsm.Requested{}}},
		{About: true, Input: fsm.Input{At: 2000, Fact: fsm.ToolAnswered{Answered: fsm.To(2), Text: "two"}}},
	}, 80)
	got := []string{told[0].Effects[0], told[0].Effects[1], told[1].What}
	want := []string{
		`runs look [none], one of 2 at once, {"n": 1}`, `runs look [none], one of 2 at once, {"n":2}`,
		`look {"n":2} returned 3 bytes in 2.0 s: "two"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJRN27ARealHistoryIsDescribedInWords(t *testing.T) {
	golden(t, "looked.golden", lines(of(t, lived(t, "look"), "look").Steps, 80))
}

func TestSpansAreShownInTheirUnits(t *testing.T) {
	for d, want := range map[fsm.Millis]string{
		-1: "0 ms", 0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_999: "59.9 s", 60_000: "1m00s", 3_599_999: "59m59s", 3_600_000: "1h00m", 90_000_000: "1d01h",
	} {
		if got := history.Span(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

func TestJRN27TheWireFormOfAStepIsReadAgain(t *testing.T) {
	for _, s := range append(everything(), of(t, lived(t, "delegate"), "delegate").Steps...) {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back history.Step
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s\nis read as\n%s, %v", data, again, err)
		}
	}
	want := `{"n":1,"index":2,"epoch":3,"handle":4,"about":true,"input":{"kind":"signalled","at":5,"name":"TERM"},` +
		`"moves":[{"table":"handle","handle":4,"from":"queued","on":"cancel","to":"cancelled"}],"effects":[{"kind":"exit","code":"clean"}],"differs":true,` +
		`"recorded":"ffffffffffffffff","today":"0000000000000001"}`
	var s history.Step
	if err := json.Unmarshal([]byte(want), &s); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(s); err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func TestINF56WhatIsWaitedForAgainIsReportedAsSuch(t *testing.T) {
	run := fsm.RunTool{Asked: fsm.Asked{Call: 5}, Name: "deploy", Args: "{}", Effects: fsm.EffectsUnsafe, Attempt: 1, Waits: true}
	told := history.Tell([]history.Step{{About: true, Effects: []fsm.Effect{run}, Input: fsm.Input{Fact: fsm.Requested{}}}}, 80)
	if got := told[0].Effects[0]; got != "waits again for deploy [unsafe] {}" {
		t.Errorf("told is %q", got)
	}
}

// Blanks within an argument are part of what would be run, and the tool's own reason is what a yes answers.
func TestAPR25AQuestionOnOneLineHasAllBlanksOfTheCall(t *testing.T) {
	for args, want := range map[string]string{
		"{ \"command\" :\n\t\"rm 'a  b'\" }":        `{ "command" : "rm 'a  b'" }`,
		`{"command":"a\"  b\\","dir":  "c   d"}`:    `{"command":"a\"  b\\","dir": "c   d"}`,
		"{\"path\":\"a\u00a0b\"}":                   "{\"path\":\"a\u00a0b\"}",
		"{\"command\":\"a\n  b\"}":                  `{"command":"a\n  b"}`,
		`{"a":"` + strings.Repeat(" ", 3000) + `"}`: `{"a":"` + strings.Repeat(" ", 1994) + " … (1008 bytes more)",
	} {
		if got := history.Question(fsm.AskPerson{Question: fsm.QuestionApprove, Tool: "exec", Args: args}); got != "may exec "+want+" run?" {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
}

func TestAPR19AQuestionOnOneLineSaysWhyTheToolAsks(t *testing.T) {
	got := history.Question(fsm.AskPerson{Question: fsm.QuestionApprove, Tool: "buy", Args: "{}", Text: "its server asks\n\"Pay 500?\""})
	if want := `may buy {} run? (its server asks "Pay 500?")`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
