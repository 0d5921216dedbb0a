package history

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// sessionEffects and sessionFacts put what is about sessions, skills and kept results in words.
func sessionEffects() []effectRow {
	return []effectRow{
		fsm.OnEffect(func(t *teller, e fsm.LoadSession) string {
			t.begins(e, "the session")
			return "loads session " + e.Session
		}),
		fsm.OnEffect(func(t *teller, e fsm.SaveSession) string {
			t.begins(e, "the session")
			return fmt.Sprintf("saves session %s: %s", e.Session, wording.Count(len(e.State.History), "message"))
		}),
		fsm.OnEffect(func(t *teller, e fsm.LoadSkill) string {
			what := "skill " + strings.TrimSpace(e.Skill+" "+e.Reference)
			t.begins(e, what)
			return "loads " + what
		}),
		fsm.OnEffect(func(t *teller, e fsm.ReadText) string {
			t.begins(e, "the result")
			return fmt.Sprintf("reads on in a kept result, from byte %d", e.From)
		}),
	}
}

func sessionFacts() []factRow {
	return []factRow{
		ofCall(func(t *teller, f fsm.SessionLoaded, took string) string {
			known := "the session is new"
			if f.Session.Version > 0 {
				known = fmt.Sprintf("the session was loaded%s: version %d, %s", took, f.Session.Version, wording.Count(len(f.Session.History), "message"))
			}
			return t.failed(f.Error, "the session could not be loaded", known)
		}),
		ofCall(func(t *teller, f fsm.SessionSaved, took string) string {
			if f.Conflict {
				return "the session was not saved: somebody else had changed it"
			}
			return t.failed(f.Error, "the session could not be saved", "the session was saved"+took)
		}),
		ofCall(func(t *teller, f fsm.SkillLoaded, took string) string {
			what := t.name(f.Call, "the skill")
			return t.failed(f.Error, what+" could not be loaded", fmt.Sprintf("%s was loaded%s, %s", what, took, size(len(f.Text))))
		}),
		ofCall(func(t *teller, f fsm.TextRead, took string) string {
			if f.Gone {
				return "the result is no longer kept"
			}
			return t.failed(f.Error, "the result could not be read", fmt.Sprintf("%s of the result read%s, from byte %d:%s", size(len(f.Text)), took, f.From, t.text(f.Text)))
		}),
	}
}
