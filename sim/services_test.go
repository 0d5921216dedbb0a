package sim

import (
	"reflect"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/disk"
)

func said(text string) []fsm.Message { return []fsm.Message{{Role: fsm.RoleUser, Text: text}} }

var first = fsm.SaveSession{Asked: fsm.Asked{Call: 1}, Session: "s", Turn: "h1", State: fsm.Session{History: said("one"), Ratio: 7}}

// What somebody else saves is over what stands there, and no crash takes it back.
func TestEditsComeBetween(t *testing.T) {
	text := "edited"
	w := &world{plan: &Plan{}, result: &Result{}, sessions: disk.NewSessions(nil, "old")}
	w.sessions.Save(first)
	for _, e := range []disk.Edit{{MemoryFile: &text}, {Session: "s", History: said("other")}, {Session: "s", Pending: said("p")}} {
		if err := w.edit(e); err != nil {
			t.Fatal(err)
		}
	}
	w.sessions.Crash()
	got := w.sessions.Load("s")
	if got.Memory != "edited" || got.Version != 3 || got.History[0].Text != "other" || got.Pending[0].Text != "p" || got.Ratio != 7 {
		t.Errorf("after the edits: %+v", got)
	}
	if len(w.sessions.Saved) != 1 {
		t.Errorf("an edit of MEMORY.md has saved a session: %+v", w.sessions.Saved)
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
	effects := []fsm.Effect{fsm.LoadSession{Asked: fsm.Asked{Call: 1}, Session: "s"}, first, fsm.LoadSkill{Asked: fsm.Asked{Call: 1}, Skill: "a"}}
	works := []fsm.Fact{fsm.SessionLoaded{Answered: fsm.To(1)}, fsm.SessionSaved{Answered: fsm.To(1)}, fsm.SkillLoaded{Answered: fsm.To(1), Text: engine.SkillText("do", "skills/a", []string{"r.md"})}}
	fails := []fsm.Fact{fsm.SessionLoaded{Answered: fsm.To(1), Error: "no"}, fsm.SessionSaved{Answered: fsm.To(1), Error: "no"}, fsm.SkillLoaded{Answered: fsm.To(1), Error: "no"}}
	for i, e := range effects {
		fresh := func(s Service) *world {
			return &world{plan: &plan, result: &Result{}, sessions: disk.NewSessions(nil, ""), loading: s, saving: s, skilling: s}
		}
		if got, at := performed(fresh(Service{Takes: 500}), e); !reflect.DeepEqual(got, works[i]) || at != 500 {
			t.Errorf("%T: %+v at %d", e, got, at)
		}
		failing := fresh(Service{Fails: "no"})
		if got, _ := performed(failing, e); !reflect.DeepEqual(got, fails[i]) || len(failing.sessions.Saved) != 0 {
			t.Errorf("%T fails: %+v, saved %v", e, got, failing.sessions.Saved)
		}
		hanging := fresh(Service{Hangs: true})
		if got, _ := performed(hanging, e); got != nil || len(hanging.sessions.Saved) != 0 {
			t.Errorf("%T hangs: %+v, saved %v", e, got, hanging.sessions.Saved)
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
			t.Errorf("%+v: got %+v; want %+v", test.load, got, test.want)
		}
	}
}
