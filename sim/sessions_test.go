package sim

import (
	"reflect"
	"slices"
	"testing"

	"shelly/fsm"
)

func said(text string) []fsm.Message { return []fsm.Message{{Role: fsm.RoleUser, Text: text}} }

func save(version uint64, turn, text string) fsm.SaveSession {
	return fsm.SaveSession{
		Asked: fsm.Asked{Call: 1}, Session: "s", Turn: turn, Archive: said(text), Notes: []string{"note " + turn},
		State: fsm.Session{Version: version, History: said(text), Ratio: 7},
	}
}

// SES-3: a save is over the version that was loaded, and once for each turn.
func TestSessionsAreSavedOverTheirVersion(t *testing.T) {
	s := newSessions(&Plan{})
	if got := s.load("s"); !reflect.DeepEqual(got, fsm.Session{}) {
		t.Fatalf("a session never saved: %+v", got)
	}
	if got, conflict := s.save(save(0, "h1", "one")); conflict {
		t.Fatalf("the first save: %+v", got)
	}
	if got := s.load("s"); got.Version != 1 || got.History[0].Text != "one" || got.Ratio != 7 {
		t.Fatalf("loaded %+v", got)
	}
	now, conflict := s.save(save(0, "h2", "two"))
	if !conflict || now.Version != 1 || now.History[0].Text != "one" {
		t.Errorf("a save over an old version: %t, %+v", conflict, now)
	}
	if got, conflict := s.save(save(0, "h1", "other")); conflict || s.load("s").Version != 1 {
		t.Errorf("the same turn again: %+v", got)
	}
	if got, conflict := s.save(save(1, "h2", "two")); conflict || s.load("s").Version != 2 {
		t.Errorf("the next turn: %+v", got)
	}
	one, _ := find(s.saved, "s")
	if len(one.Archive) != 2 || !slices.Equal(one.Turns, []string{"h1", "h2"}) || !slices.Equal(s.notes, []string{"note h1", "note h2"}) {
		t.Errorf("archive %v, turns %v, notes %v", one.Archive, one.Turns, s.notes)
	}
}

// SES-12: MEMORY.md is written over the content that was loaded.
func TestMemoryFileIsSavedOverItsHash(t *testing.T) {
	s := newSessions(&Plan{MemoryFile: "old"})
	loaded := s.load("s")
	if loaded.Memory != "old" || loaded.MemoryHash != MemoryHash("old") {
		t.Fatalf("loaded %+v", loaded)
	}
	e := fsm.SaveSession{Session: "s", Turn: "h1", State: loaded, Memory: true}
	e.State.Memory = "new"
	s.memory = "a person's"
	if got, conflict := s.save(e); !conflict || got.Memory != "a person's" || s.memory != "a person's" {
		t.Errorf("over another content: %+v", got)
	}
	e.State.MemoryHash = MemoryHash("a person's")
	if got, conflict := s.save(e); conflict || s.memory != "new" || s.load("t").Memory != "new" {
		t.Errorf("over this content: %+v, %q", got, s.memory)
	}
	other := fsm.SaveSession{Session: "t", Turn: "h2", State: fsm.Session{Memory: "ignored", MemoryHash: "old"}}
	if got, conflict := s.save(other); conflict || s.memory != "new" {
		t.Errorf("a save that leaves MEMORY.md alone: %+v, %q", got, s.memory)
	}
	if MemoryHash("") != "" || MemoryHash("a") == MemoryHash("b") {
		t.Error("the hash does not tell contents apart")
	}
}

// SIM-5: a crash loses what was not synced, and nothing else.
func TestSessionsLoseInACrashWhatWasNotSynced(t *testing.T) {
	s := newSessions(&Plan{MemoryFile: "old", Sessions: []Saved{{Name: "s", State: fsm.Session{History: said("zero")}}}})
	if s.load("s").Version != 1 {
		t.Fatalf("a session of the plan has version %d", s.load("s").Version)
	}
	first := save(1, "h1", "one")
	first.Memory, first.State.Memory, first.State.MemoryHash = true, "new", MemoryHash("old")
	s.save(first)
	s.crash()
	if got := s.load("s"); got.Version != 1 || got.History[0].Text != "zero" || got.Memory != "old" || len(s.notes) != 0 {
		t.Errorf("behind the crash: %+v, notes %v", got, s.notes)
	}
	s.save(first)
	s.sync()
	s.save(save(2, "h2", "two"))
	s.crash()
	if got := s.load("s"); got.Version != 2 || got.History[0].Text != "one" || got.Memory != "new" || !slices.Equal(s.notes, []string{"note h1"}) {
		t.Errorf("behind a sync and a crash: %+v, notes %v", got, s.notes)
	}
	s.save(save(2, "h2", "two"))
	if got := s.load("s"); got.Version != 3 {
		t.Errorf("the lost turn again: %+v", got)
	}
}

// What somebody else saves is over what stands there, and no crash takes it back.
func TestEditsComeBetween(t *testing.T) {
	text := "edited"
	w := &world{plan: &Plan{}, result: &Result{}, sessions: newSessions(&Plan{MemoryFile: "old"})}
	w.sessions.save(save(0, "h1", "one"))
	for _, e := range []Edit{{MemoryFile: &text}, {Session: "s", History: said("other")}, {Session: "s", Pending: said("p")}} {
		if err := w.edit(e); err != nil {
			t.Fatal(err)
		}
	}
	w.sessions.crash()
	got := w.sessions.load("s")
	if got.Memory != "edited" || got.Version != 3 || got.History[0].Text != "other" || got.Pending[0].Text != "p" || got.Ratio != 7 {
		t.Errorf("behind the edits: %+v", got)
	}
	if len(w.sessions.saved) != 1 {
		t.Errorf("an edit of MEMORY.md has saved a session: %+v", w.sessions.saved)
	}
}

// performed plays one effect in a world and returns the fact that it puts on the
// agenda, or nil.
func performed(w *world, e fsm.Effect) (fsm.Fact, fsm.Millis) {
	if w.Perform(e) != nil {
		return nil, 0
	}
	d, ok := w.agenda.pop(First{})
	if !ok {
		return nil, 0
	}
	return d.fact, d.at
}

func TestServicesOfSessionsAndSkillsFailHangAndTakeTime(t *testing.T) {
	plan := Plan{Skills: []Skill{{Name: "a", Text: "do", References: []Reference{{"r", "doc"}}}}}
	effects := []fsm.Effect{fsm.LoadSession{Asked: fsm.Asked{Call: 1}, Session: "s"}, save(0, "h1", "one"), fsm.LoadSkill{Asked: fsm.Asked{Call: 1}, Skill: "a"}}
	works := []fsm.Fact{fsm.SessionLoaded{Answered: fsm.To(1)}, fsm.SessionSaved{Answered: fsm.To(1)}, fsm.SkillLoaded{Answered: fsm.To(1), Text: "do"}}
	fails := []fsm.Fact{fsm.SessionLoaded{Answered: fsm.To(1), Error: "no"}, fsm.SessionSaved{Answered: fsm.To(1), Error: "no"}, fsm.SkillLoaded{Answered: fsm.To(1), Error: "no"}}
	for i, e := range effects {
		fresh := func(s Service) *world {
			return &world{plan: &plan, result: &Result{}, sessions: newSessions(&plan), loading: s, saving: s, skilling: s}
		}
		if got, at := performed(fresh(Service{Takes: 500}), e); !reflect.DeepEqual(got, works[i]) || at != 500 {
			t.Errorf("%T: %+v at %d", e, got, at)
		}
		failing := fresh(Service{Fails: "no"})
		if got, _ := performed(failing, e); !reflect.DeepEqual(got, fails[i]) || len(failing.sessions.saved) != 0 {
			t.Errorf("%T fails: %+v, saved %v", e, got, failing.sessions.saved)
		}
		hanging := fresh(Service{Hangs: true})
		if got, _ := performed(hanging, e); got != nil || len(hanging.sessions.saved) != 0 {
			t.Errorf("%T hangs: %+v, saved %v", e, got, hanging.sessions.saved)
		}
	}
	for _, test := range []struct {
		load fsm.LoadSkill
		want fsm.SkillLoaded
	}{
		{fsm.LoadSkill{Skill: "a", Reference: "r"}, fsm.SkillLoaded{Text: "doc"}},
		{fsm.LoadSkill{Skill: "b"}, fsm.SkillLoaded{Error: `there is no skill "b"`}},
		{fsm.LoadSkill{Skill: "a", Reference: "x"}, fsm.SkillLoaded{Error: `skill "a" has no reference "x"`}},
	} {
		w := &world{plan: &plan, result: &Result{}}
		if got, _ := performed(w, test.load); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v: %+v", test.load, got)
		}
	}
}
