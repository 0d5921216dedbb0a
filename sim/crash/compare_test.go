package crash

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/disk"
)

func said(text string) []fsm.Message { return []fsm.Message{{Role: fsm.RoleUser, Text: text}} }

// kept is a run that has left something behind.
func kept() *sim.Result {
	return &sim.Result{
		Sessions: []disk.Saved{{
			Name:    "s",
			State:   fsm.Session{Version: 2, History: said("hi"), Pending: said("p"), Skills: []fsm.LoadedSkill{{Name: "a"}}},
			Archive: said("hi"),
		}},
		MemoryFile: "one\ntwo",
		History:    []string{"[2026-01-05 09:00] first", "second"},
		Messages:   []sim.Message{{SendMessage: fsm.SendMessage{Key: "k", To: fsm.Origin{Channel: "c"}, Text: "m"}}},
		Ran:        []sim.Ran{{Run: fsm.RunTool{Name: "exec", Args: "{}", Effects: fsm.EffectsUnsafe, Key: "h1.3", Attempt: 1}}},
	}
}

// saving is a turn that is saved, and then what a handle of a kind saves of the session, again
// as its first save fails.
func saving(kind fsm.Kind) []sim.Step {
	save := func(id fsm.HandleID, turn string, kind fsm.Kind) sim.Step {
		return sim.Step{Step: engine.Step{
			Moves:   []state.Move{{Handle: id, Kind: kind}},
			Effects: []fsm.Effect{fsm.SaveSession{Asked: fsm.Asked{Handle: id}, Session: "s", Turn: turn}},
		}}
	}
	return []sim.Step{save(1, "h1", fsm.KindUser), save(2, "h2", kind), save(2, "h2", kind)}
}

// JRN-12: versions, ids, times and the order of what sessions share may differ after
// a crash, and nothing else of what is kept.
func TestMatrixComparesWhatIsKept(t *testing.T) {
	tests := []struct {
		name   string
		change func(*sim.Result)
		want   string // empty: no difference
	}{
		{"nothing", func(*sim.Result) {}, ""},
		{"a version", func(r *sim.Result) { r.Sessions[0].State.Version = 9 }, ""},
		{"the order of MEMORY.md", func(r *sim.Result) { r.MemoryFile = "two\none" }, ""},
		{"a time in HISTORY.md", func(r *sim.Result) { r.History = []string{"second", "[2026-01-05 09:01] first"} }, ""},
		{"a history", func(r *sim.Result) { r.Sessions[0].State.History = said("ho") }, `session s has "user : ho", without the crash "user : hi"`},
		{"a history that was compressed", func(r *sim.Result) {
			r.Sessions[0].State.History = said("ho")
			r.Steps = saving(fsm.KindMemory)
		}, ""},
		{"a history, and the turn was saved", func(r *sim.Result) {
			r.Sessions[0].State.History = said("ho")
			r.Steps = saving(fsm.KindUser)
		}, `session s has "user : ho"`},
		{"a history that was compressed, and the archive", func(r *sim.Result) {
			r.Sessions[0].State.History, r.Sessions[0].Archive = said("ho"), nil
			r.Steps = saving(fsm.KindMemory)
		}, `session s, archive lacks`},
		{"a history twice", func(r *sim.Result) { r.Sessions[0].State.History = append(said("hi"), said("hi")...) }, `session s has "user : hi" too`},
		{"no history", func(r *sim.Result) { r.Sessions[0].State.History = nil }, `session s lacks`},
		{"a source", func(r *sim.Result) { r.Sessions[0].State.History[0].Source = fsm.FromOutside }, `session s has "user : hi (of outside)", without the crash "user : hi"`},
		{"an aside", func(r *sim.Result) { r.Sessions[0].State.History[0].Aside = true }, `session s has "user : hi (aside)"`},
		{"an image", func(r *sim.Result) { r.Sessions[0].Archive[0].Images = [][]byte{[]byte("png")} }, `session s, archive has "user : hi (image \"png\")"`},
		{"a part", func(r *sim.Result) { r.Sessions[0].State.History[0].Part.Result = 1 }, `session s has "user : hi (part {Result:1 `},
		{"a kept result", func(r *sim.Result) { r.Sessions[0].State.Texts = []fsm.KeptText{{Number: 1}} }, `session s, texts has "{Number:1 `},
		{"the text of a skill", func(r *sim.Result) { r.Sessions[0].State.Skills[0].Text = "x" }, `session s, skills has "a/: x"`},
		{"the session of a message", func(r *sim.Result) { r.Messages[0].Session = "t" }, `messages has "c: false m of t"`},
		{"pending", func(r *sim.Result) { r.Sessions[0].State.Pending = nil }, `session s, pending lacks`},
		{"skills", func(r *sim.Result) { r.Sessions[0].State.Skills = nil }, `session s, skills lacks "a/: "`},
		{"the archive", func(r *sim.Result) { r.Sessions[0].Archive = nil }, `session s, archive lacks`},
		{"no session", func(r *sim.Result) { r.Sessions = nil }, `there is no session s`},
		{"another session", func(r *sim.Result) { r.Sessions = append(r.Sessions, disk.Saved{Name: "t"}) }, `there is a session t`},
		{"MEMORY.md", func(r *sim.Result) { r.MemoryFile = "one" }, `MEMORY.md lacks "two"`},
		{"HISTORY.md", func(r *sim.Result) { r.History = append(r.History, "second") }, `HISTORY.md has "second" too`},
		{"no message", func(r *sim.Result) { r.Messages = nil }, `messages lacks "c: false m of "`},
		{"a start", func(r *sim.Result) { r.Ran = append(r.Ran, r.Ran[0]) }, `starts of unsafe tools has "exec {}" too`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			crashed := kept()
			test.change(crashed)
			got := strings.Join(compareKept(kept(), crashed), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("differs by %q, want %q", got, test.want)
			}
		})
	}
}

// INV-6: another attempt is another start, the same attempt is not.
func TestMatrixCountsStartsByAttempt(t *testing.T) {
	r := kept()
	again := r.Ran[0]
	again.Run.Attempt = 2
	r.Ran = append(r.Ran, again)
	for _, wrong := range new(Result).compare(&sim.Plan{}, r, r) {
		t.Errorf("a second attempt: %s", wrong)
	}
	r.Ran = append(r.Ran, again)
	if wrong := new(Result).compare(&sim.Plan{}, r, r); len(wrong) != 1 || !strings.HasPrefix(wrong[0], "INV-6") {
		t.Errorf("a second attempt, twice: %q", wrong)
	}
}

// A question about an unknown outcome is one that was met.
func TestMatrixKnowsThatAPersonWasAskedAboutAnOutcome(t *testing.T) {
	r := kept()
	if metUnknown(r) {
		t.Error("nobody was asked")
	}
	r.Questions = []sim.Question{{AskPerson: fsm.AskPerson{Question: fsm.QuestionUnknown}}}
	if !metUnknown(r) {
		t.Error("a person was asked")
	}
}

// How turns are divided among memory handles may differ; what they remember may not.
func TestMatrixComparesMemoryOfTurnsByWhatItHolds(t *testing.T) {
	entry := func(texts ...string) (list []fsm.Entry) {
		for i, text := range texts {
			list = append(list, fsm.Entry{ID: string(rune('a' + i)), Kind: fsm.KindMemory, Session: "s", Summary: text, Text: text})
		}
		return list
	}
	together := &sim.Result{Memory: entry("one\n\ntwo")}
	if wrong := compareMemory(together, &sim.Result{Memory: entry("two", "one")}); len(wrong) != 0 {
		t.Errorf("divided differently: %q", wrong)
	}
	for _, texts := range [][]string{{"one"}, {"one", "two", "two"}} {
		if wrong := compareMemory(together, &sim.Result{Memory: entry(texts...)}); len(wrong) != 1 {
			t.Errorf("%q: got %q; want 1 of them", texts, wrong)
		}
	}
}

// SIM-6: an entry of memory and a reply are compared with all that they have, but for ids and times.
func TestSIM6EntriesAndRepliesAreComparedWhole(t *testing.T) {
	entry := fsm.Entry{ID: "h1", Kind: fsm.KindUser, Session: "s", Summary: "x", Text: "y", Vector: []byte{1}, Source: fsm.FromPerson}
	for name, change := range map[string]func(*fsm.Entry){ // order-free: each for itself
		"":            func(e *fsm.Entry) { e.ID, e.At = "h9", 5 },
		"its session": func(e *fsm.Entry) { e.Session = "t" },
		"its source":  func(e *fsm.Entry) { e.Source |= fsm.FromOutside },
		"its vector":  func(e *fsm.Entry) { e.Vector = nil },
	} {
		other := entry
		change(&other)
		wrong := compareMemory(&sim.Result{Memory: []fsm.Entry{entry}}, &sim.Result{Memory: []fsm.Entry{other}})
		if same := name == ""; same != (len(wrong) == 0) {
			t.Errorf("with another %q: %q", name, wrong)
		}
	}
	replied := func(outcome fsm.Outcome) *sim.Result {
		return &sim.Result{Requests: []engine.Request{{Key: fsm.RequestKey{ID: "r1"}, Done: true, Reply: "x", Outcome: outcome}}}
	}
	if wrong := compareOutcome(replied(fsm.OutcomeAnswered), replied(fsm.OutcomeAnswered)); len(wrong) != 0 {
		t.Errorf("the same reply: %q", wrong)
	}
	if wrong := compareOutcome(replied(fsm.OutcomeAnswered), replied(fsm.OutcomeCut)); len(wrong) != 1 {
		t.Errorf("another outcome: got %q; want 1 of them", wrong)
	}
}
