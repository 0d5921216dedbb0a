package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// slow is an error that knows its class.
type slow struct{}

func (slow) Error() string              { return "too slow" }
func (slow) BrainClass() fsm.BrainClass { return fsm.BrainTimeout }

// Each outcome is a fact about its call; that of a failure has only the reason.
func TestWhatAnAdapterReturnsBecomesAFact(t *testing.T) {
	broken := errors.New("broken")
	to := fsm.To(7)
	o := engine.Outcome(7)
	session := fsm.Session{Version: 3}
	for _, test := range []struct{ got, want fsm.Fact }{
		{o.Brain(fsm.BrainAnswered{Text: "yes"}, nil), fsm.BrainAnswered{Answered: to, Text: "yes"}},
		{o.Brain(fsm.BrainAnswered{Text: "part"}, broken), fsm.BrainFailed{Answered: to, Class: fsm.BrainError, Reason: "broken"}},
		{o.Brain(fsm.BrainAnswered{}, fmt.Errorf("ask: %w", slow{})), fsm.BrainFailed{Answered: to, Class: fsm.BrainTimeout, Reason: "ask: too slow"}},
		{o.Tool(fsm.ToolAnswered{Text: "no", Failed: true, Nothing: true}, nil), fsm.ToolAnswered{Answered: to, Text: "no", Failed: true, Nothing: true}},
		{o.Tool(fsm.ToolAnswered{Text: "part", Nothing: true}, broken), fsm.ToolAnswered{Answered: to, Text: "broken", Failed: true}},
		{o.Recall([]fsm.Memory{{ID: "m"}}, nil), fsm.Recalled{Answered: to, Entries: []fsm.Memory{{ID: "m"}}}},
		{o.Recall([]fsm.Memory{{ID: "m"}}, broken), fsm.Recalled{Answered: to, Error: "broken"}},
		{o.Embed([]byte{1}, "m", nil), fsm.Embedded{Answered: to, Vector: []byte{1}, Model: "m"}},
		{o.Embed([]byte{1}, "m", engine.ErrNoEmbedder), fsm.Embedded{Answered: to, Error: "there is no embedding model"}},
		{o.Store(nil), fsm.Stored{Answered: to}},
		{o.Store(broken), fsm.Stored{Answered: to, Error: "broken"}},
		{o.Load(session, nil), fsm.SessionLoaded{Answered: to, Session: session}},
		{o.Load(session, broken), fsm.SessionLoaded{Answered: to, Error: "broken"}},
		{o.Save(session, true, nil), fsm.SessionSaved{Answered: to, Conflict: true, Session: session}},
		{o.Save(session, true, broken), fsm.SessionSaved{Answered: to, Error: "broken"}},
		{o.Skill("how to", nil), fsm.SkillLoaded{Answered: to, Text: "how to"}},
		{o.Skill("how", broken), fsm.SkillLoaded{Answered: to, Error: "broken"}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
