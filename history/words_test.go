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
	"shelly/history"
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

// lines is what is told of steps, a line each.
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
		fsm.Boot{At: at(0)},
		fsm.Requested{At: at(1), Text: "look\nhere", Images: [][]byte{{1}}, Context: make([]fsm.Message, 2)},
		fsm.EventRaised{At: at(2), Source: "disk", Event: "full", Subject: "/var"},
		fsm.ScheduleDue{At: at(3), Schedule: "s1"},
		fsm.Configured{At: at(4), Config: fsm.Config{Profile: "shelly"}},
		fsm.Signalled{At: at(5), Name: "TERM"},
		fsm.CancelRequested{At: at(6)},
		fsm.Decided{At: at(7), Key: "h1.1", Approve: true, By: "ada"},
		fsm.Decided{At: at(8), Key: "h1.2"},
		fsm.Resolved{At: at(9), Text: "it was sent"},
		fsm.Resolved{At: at(9)},
		fsm.SessionLoaded{At: at(10), Call: 1},
		fsm.SessionLoaded{At: at(40), Call: 1, Session: fsm.Session{Version: 3, History: make([]fsm.Message, 4)}},
		fsm.SessionLoaded{At: at(10), Call: 1, Error: "no such disk"},
		fsm.SessionSaved{At: at(10), Call: 2},
		fsm.SessionSaved{At: at(10), Call: 2, Conflict: true},
		fsm.SkillLoaded{At: at(90), Call: 3, Text: "how to fly"},
		fsm.BrainAnswered{At: at(1234), Call: 4, Stop: fsm.StopToolUse, Tokens: fsm.Tokens{Prompt: 10, Answer: 3},
			Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{\n \"path\": \".\"}"}, {Name: "exec", Args: `{"command":"` + long + `"}`}}},
		fsm.BrainAnswered{At: at(125_000), Call: 4, Stop: fsm.StopMaxTokens, Text: long + long, Thinking: "hm"},
		fsm.BrainFailed{At: at(0), Call: 4, Class: fsm.BrainBusy, Reason: "queue full"},
		fsm.ToolAnswered{At: at(36), Call: 5, Text: "a\nb"},
		fsm.ToolAnswered{At: at(36), Call: 5, Text: "no", Failed: true, Nothing: true},
		fsm.ToolAnswered{At: at(36), Call: 99, Text: "no", Failed: true, Invalid: true},
		fsm.ToolStopped{At: at(36), Call: 5},
		fsm.Recalled{At: at(36), Call: 6},
		fsm.Recalled{At: at(36), Call: 6, Entries: []fsm.Memory{{Summary: "it rained"}, {Summary: "it snowed"}}},
		fsm.Embedded{At: at(36), Call: 7, Model: "nomic"},
		fsm.Embedded{At: at(36), Call: 7, Error: "none"},
		fsm.Stored{At: at(36), Call: 8},
		fsm.TimerFired{At: at(36), Timer: 1},
		fsm.TimerFired{At: at(36), Timer: 9},
	}
	effects := []fsm.Effect{
		fsm.LoadSession{Call: 1, Session: "s"}, fsm.SaveSession{Call: 2, Session: "s", State: fsm.Session{History: make([]fsm.Message, 1)}},
		fsm.LoadSkill{Call: 3, Skill: "flights", Reference: "codes.md"},
		fsm.AskBrain{Call: 4, Purpose: fsm.PurposeAnswer, System: "be kind", Conversation: fsm.Conversation{Messages: make([]fsm.Message, 1)}, Tools: fsm.AllTools, Tokens: 99},
		fsm.AskBrain{Call: 4, Purpose: fsm.PurposeSubagent, Conversation: fsm.Conversation{Messages: make([]fsm.Message, 1)}, Tools: fsm.SubagentTools},
		fsm.RunTool{Call: 5, Name: "exec", Args: `{"command":"ls"}`, Effects: fsm.EffectsUnsafe, Attempt: 2},
		fsm.Recall{Call: 6, Need: "the weather"}, fsm.Embed{Call: 7, Text: "it rained"}, fsm.Store{Call: 8, Entry: fsm.Entry{Summary: "it rained"}},
		fsm.AbortCall{Call: 5}, fsm.AbortCall{Call: 98},
		fsm.SetTimer{Timer: 1, Purpose: fsm.TimerBackoff, After: 7_500_000}, fsm.ClearTimer{Timer: 1}, fsm.ClearTimer{Timer: 98},
		fsm.Reply{Text: "four", Outcome: fsm.OutcomeAnswered}, fsm.Reply{Text: "no", IsError: true, Outcome: fsm.OutcomeTimeout},
		fsm.Notify{Notice: fsm.NoticeQueued, Ahead: 2}, fsm.Notify{Notice: fsm.NoticeHeld},
		fsm.AskPerson{Question: fsm.QuestionApprove, Tool: "exec", Args: "{}"}, fsm.AskPerson{Question: fsm.QuestionUnknown, Tool: "exec", Args: "{}"},
		fsm.AskPerson{Question: fsm.QuestionDoubt, Text: "record 7"}, fsm.AskPerson{Question: fsm.QuestionCrashes},
		fsm.Report{Text: "the disk is slow"}, fsm.SendMessage{To: fsm.Origin{Channel: "web", Chat: "7"}, Text: "done"},
		fsm.Audit{Tool: "exec"}, fsm.Audit{Tool: "exec", Failed: true}, fsm.Audit{Tool: "exec", Args: `{"command":"rm a"}`, Failed: true, Unknown: true}, fsm.ArmSchedule{Schedule: "s1"}, fsm.DisarmSchedule{Schedule: "s1"},
		fsm.Exit{Code: fsm.ExitClean},
	}
	steps := []history.Step{{Epoch: 2, Input: inputs[0], Effects: effects, Moves: []fsm.Move{
		{Table: fsm.HandleTable.Name, From: fsm.Queued, To: fsm.Loading}, {Table: fsm.InferenceTable.Name, To: fsm.Thinking},
	}}}
	for _, in := range inputs {
		steps = append(steps, history.Step{Epoch: 1, About: true, Input: in})
	}
	return append(steps, history.Step{Input: fsm.SessionSaved{}})
}

func TestJRN27StepsAreToldInWords(t *testing.T) {
	golden(t, "words.golden", lines(everything(), 80))
	golden(t, "words-full.golden", lines(everything(), 0))
}

func TestJRN27ARealHistoryIsToldInWords(t *testing.T) {
	golden(t, "looked.golden", lines(of(t, lived(t, "look"), "look").Steps, 80))
}

func TestSpansAreToldInTheirUnits(t *testing.T) {
	for d, want := range map[fsm.Millis]string{
		0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_999: "59.9 s", 60_000: "1m00s", 3_599_999: "59m59s", 3_600_000: "1h00m", 90_000_000: "1d01h",
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
