package regression_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/sim/history"
	"shelly/sim/history/regression"
)

// world answers what it is asked, one effect after another; silent is the purpose of
// questions that it leaves alone.
type world struct {
	next   []fsm.Input
	silent fsm.Purpose
	peeks  int  // how often the first who peeks does
	reload bool // another tool is there before the second request
	at     fsm.Millis
}

func (w *world) Perform(e fsm.Effect) error {
	w.at += 10
	switch e := e.(type) {
	case fsm.AskBrain:
		if e.Purpose == w.silent {
			return nil
		}
		in := fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn, Text: "four", Tokens: fsm.Tokens{Prompt: 50, Answer: 5}}
		last := e.Conversation.Messages[len(e.Conversation.Messages)-1]
		switch {
		case strings.Contains(last.Text, "peek"), w.peeks > 1 && last.Role == fsm.RoleTool:
			w.peeks--
			in.Stop, in.Calls = fsm.StopToolUse, []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: `{"path":"."}`}}
		case strings.Contains(last.Text, "remember") && e.Purpose == fsm.PurposeAnswer:
			in.Text = "NEED: what it was"
		case strings.Contains(last.Text, "delegate") && e.Purpose == fsm.PurposeAnswer:
			in.Stop, in.Calls = fsm.StopToolUse, []fsm.ToolCall{{ID: "1", Name: "spawn", Args: `{"task":"count"}`}}
		}
		w.next = append(w.next, fsm.Input{At: w.at, Fact: in})
	case fsm.RunTool:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: "a b"}})
	case fsm.LoadSession:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.SessionLoaded{Answered: fsm.To(e.Call)}})
	case fsm.SaveSession:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.SessionSaved{Answered: fsm.To(e.Call)}})
	case fsm.Recall:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.Recalled{Answered: fsm.To(e.Call)}})
	case fsm.Embed:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.Embedded{Answered: fsm.To(e.Call), Error: "none"}})
	case fsm.Store:
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.Stored{Answered: fsm.To(e.Call)}})
	}
	return nil
}

func key(id string) fsm.RequestKey { return fsm.RequestKey{Principal: "p", Channel: "c", ID: id} }

// lived returns the journal of a process to which requests came, one after the other.
func lived(t *testing.T, w *world, config fsm.Config, texts ...string) *engine.MemoryJournal {
	t.Helper()
	j := engine.NewMemoryJournal()
	e, err := engine.Open(j, w)
	if err != nil {
		t.Fatal(err)
	}
	config.Init = fsm.InitOff
	config.Tools = append(config.Tools, fsm.ToolDecl{Name: "list_dir", Effects: fsm.EffectsNone})
	w.next = []fsm.Input{{At: 1, Fact: fsm.Boot{Config: config}}}
	for i := 0; ; i++ {
		for len(w.next) > 0 {
			in := w.next[0]
			w.next = w.next[1:]
			if err := e.Turn(in); err != nil {
				t.Fatal(err)
			}
		}
		if i == len(texts) {
			return j
		}
		w.at += 1000
		if i == 1 && w.reload {
			config.Tools = append(config.Tools, fsm.ToolDecl{Name: "read_file", Effects: fsm.EffectsNone})
			w.next = []fsm.Input{{At: w.at, Fact: fsm.Configured{Config: config}}}
		}
		w.next = append(w.next, fsm.Input{At: w.at, Fact: fsm.Requested{Request: key(texts[i]), Text: texts[i], Session: "s-" + texts[i]}})
	}
}

func found(t *testing.T, j engine.Reader, f regression.Filter, prompts func(*fsm.Prompts)) regression.Found {
	t.Helper()
	got, err := regression.Questions(j, f, prompts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// told is one line of each question.
func told(f regression.Found) []string {
	var list []string
	for _, q := range f.Questions {
		list = append(list, fmt.Sprintf("%s step %d %s tools %d: %s", q.Request.ID, q.Step, q.Ask.Purpose, len(q.Tools), q.Recorded()))
	}
	return list
}

func TestCLI18TheQuestionsAreThoseThatTheModelAnswered(t *testing.T) {
	config := profile.Default()
	j := lived(t, &world{}, config, "peek", "remember", "delegate")
	got := told(found(t, j, regression.Filter{Purposes: []fsm.Purpose{fsm.PurposeAnswer, fsm.PurposeSubagent}}, nil))
	n := len(config.Offered(fsm.AllTools)) + 1
	want := []string{
		fmt.Sprintf(`peek step 3 answer tools %d: calls list_dir {"path":"."}`, n),
		fmt.Sprintf(`peek step 5 answer tools %d: text: four`, n),
		fmt.Sprintf(`remember step 3 answer tools %d: need: what it was`, n),
		fmt.Sprintf(`remember step 5 answer tools %d: text: four`, n),
		fmt.Sprintf(`delegate step 3 answer tools %d: calls spawn {"task":"count"}`, n),
	}
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Error(diff)
	}
	if all := strings.Join(got, "\n"); !strings.Contains(all, "subagent tools 2: text: four") {
		t.Errorf("no question of the subagent, under its request:\n%s", all)
	}
	// The step is that of the history, so that a fork can begin there.
	h, err := history.Of(j, key("peek"))
	if err != nil {
		t.Fatal(err)
	}
	if in, ok := h.Steps[2].Input.Fact.(fsm.BrainAnswered); !ok || len(in.Calls) != 1 {
		t.Errorf("step 3 of the history is %v", h.Steps[2].Input)
	}
}

func TestCLI18QuestionsAreFilteredAndTheUnansweredCounted(t *testing.T) {
	w := &world{silent: fsm.PurposeSummary}
	j := lived(t, w, profile.Shelly(), "peek", "four?")
	all := found(t, j, regression.Filter{}, nil)
	if len(all.Questions) != 2 || all.Unanswered != 1 {
		t.Fatalf("%v, %d unanswered; want the two of peek and the summary without an answer", told(all), all.Unanswered)
	}
	at := all.Questions[1].At
	for name, test := range map[string]struct {
		filter regression.Filter
		want   int
	}{
		"a request":  {regression.Filter{Requests: []fsm.RequestKey{key("peek")}}, 2},
		"another":    {regression.Filter{Requests: []fsm.RequestKey{key("other")}}, 0},
		"a session":  {regression.Filter{Session: "s-peek"}, 2},
		"no session": {regression.Filter{Session: "s"}, 0},
		"a channel":  {regression.Filter{Channel: "c"}, 2},
		"no channel": {regression.Filter{Channel: "d"}, 0},
		"a purpose":  {regression.Filter{Purposes: []fsm.Purpose{fsm.PurposeFarewell}}, 0},
		"since":      {regression.Filter{Since: at}, 1},
		"until":      {regression.Filter{Until: at}, 1},
		"a record":   {regression.Filter{After: all.Questions[0].Asked}, 1},
	} {
		if got := found(t, j, test.filter, nil); len(got.Questions) != test.want {
			t.Errorf("%s: %v; want %d", name, told(got), test.want)
		}
	}
}

func TestCLI18OtherPromptsAreAskedByTheMachinesOwnCode(t *testing.T) {
	j := lived(t, &world{}, profile.Shelly(), "remember")
	change := func(p *fsm.Prompts) { p.Identity, p.Question = "You are another.", "Another question?" }
	was, now := found(t, j, regression.Filter{}, nil), found(t, j, regression.Filter{}, change)
	if len(now.Questions) != len(was.Questions) || len(now.Unasked) > 0 {
		t.Fatalf("%v, %v not asked; want %v", told(now), now.Unasked, told(was))
	}
	for i, q := range now.Questions {
		old := was.Questions[i]
		if q.Ask.Purpose != fsm.PurposeAnswer {
			continue
		}
		if q.Ask.System != "You are another." || old.Ask.System == q.Ask.System || q.Hash() == old.Hash() || q.Step != old.Step {
			t.Errorf("question %d: system prompt %q, step %d, hash %s", i, q.Ask.System, q.Step, q.Hash())
		}
		if first := q.Ask.Conversation.Messages[0].Text; !strings.HasPrefix(first, "Another question?") {
			t.Errorf("question %d begins with %q", i, first)
		}
	}
	if a, b := found(t, j, regression.Filter{}, nil), was; a.Questions[0].Hash() != b.Questions[0].Hash() {
		t.Error("one question has two hashes")
	}
}

// A conversation that began before what is folded has the recorded prompts in it, and
// is not asked half changed (CLI-18).
func TestCLI18AQuestionThatCannotBeAskedWithOtherPromptsIsNamed(t *testing.T) {
	whole := lived(t, &world{}, profile.Shelly(), "peek")
	at := found(t, whole, regression.Filter{}, nil).Questions[0].Asked
	state, err := engine.StateAt(whole, at)
	if err != nil {
		t.Fatal(err)
	}
	from := engine.NewMemoryJournalFrom(at, state)
	if err := from.Append(engine.Batch{Records: whole.Records()[at:]}, true); err != nil {
		t.Fatal(err)
	}
	got := found(t, from, regression.Filter{After: at}, func(p *fsm.Prompts) { p.Identity = "You are another." })
	if len(got.Questions) != 0 || len(got.Unasked) == 0 || got.Unasked[0].Request != key("peek") || got.Unasked[0].Reason == "" {
		t.Errorf("%v, not asked %v; want that none is asked, and why", told(got), got.Unasked)
	}
	if plain := found(t, from, regression.Filter{After: at}, nil); len(plain.Questions) == 0 || plain.Questions[0].Request != key("peek") {
		t.Errorf("%v; want the questions of peek", told(plain))
	}
}

func TestCLI18WhatWasAskedSinceBeginsAfterTheRequestBefore(t *testing.T) {
	j := lived(t, &world{}, profile.Shelly(), "peek", "four?")
	list, err := j.Requests(math.MaxUint64, 10)
	if err != nil {
		t.Fatal(err)
	}
	for since, want := range map[fsm.Millis]uint64{0: 0, list[1].Accepted + 1: list[1].Index, list[0].Accepted + 1: list[0].Index} {
		if got, err := regression.Since(j, since); got != want || err != nil {
			t.Errorf("since %d: after record %d, %v; want %d", since, got, err, want)
		}
	}
}

func TestCLI18AQuestionHasTheToolsOfItsTime(t *testing.T) {
	got := found(t, lived(t, &world{reload: true}, profile.Shelly(), "four?", "five?"), regression.Filter{Purposes: []fsm.Purpose{fsm.PurposeAnswer}}, nil)
	if len(got.Questions) != 2 || len(got.Questions[0].Tools) != 1 || len(got.Questions[1].Tools) != 2 {
		t.Errorf("%v; want one tool, then two", told(got))
	}
}

// Where a longer prompt makes the machine compress the conversation, it asks something
// else there; the recorded machine is followed again after it (CLI-18).
func TestCLI18AMachineThatGoesAnotherWayIsLeft(t *testing.T) {
	config := profile.Default()
	config.Limits.KeepMessages = 1
	config.Limits.AnswerPercent = 0 // prompts are not kept within the window (CTX-14), so that a longer one is asked
	j := lived(t, &world{peeks: 3}, config, "peek", "four?")
	longer := strings.Repeat("Mind what was said before. ", 6500)
	answers := regression.Filter{Purposes: []fsm.Purpose{fsm.PurposeAnswer}}
	was := told(found(t, j, answers, nil))
	got := found(t, j, answers, func(p *fsm.Prompts) { p.Identity = longer })
	if len(got.Unasked) != 1 || len(got.Questions) != 3 || got.Questions[2].Request != key("four?") {
		t.Fatalf("%v, not asked %v; want all but the third of\n%v", told(got), got.Unasked, was)
	}
	for _, q := range got.Questions {
		if !strings.HasPrefix(q.Ask.System, longer) {
			t.Errorf("record %d is asked with %.20q", q.Asked, q.Ask.System)
		}
	}
}
