package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"shelly/fsm"
)

// row returns a row that does nothing for a kind of effect.
func row[E fsm.Effect]() fsm.EffectRow[int, int] { return fsm.OnEffect(func(int, E) int { return 1 }) }

// callRows has a row for each kind of call.
func callRows() []fsm.EffectRow[int, int] {
	return []fsm.EffectRow[int, int]{
		row[fsm.AskBrain](), row[fsm.RunTool](), row[fsm.RunProbe](), row[fsm.Recall](), row[fsm.Embed](), row[fsm.Store](),
		row[fsm.LoadSession](), row[fsm.SaveSession](), row[fsm.LoadSkill](), row[fsm.ReadText](),
	}
}

// A table that lacks a kind, or has one twice, panics when it is made.
func TestATableOfCallsHasEachOnce(t *testing.T) {
	if got := fsm.NewCallTable(callRows()...).Do(0, fsm.Embed{}); got != 1 {
		t.Errorf("the row returns %d", got)
	}
	for i := range callRows() {
		rows := callRows()
		rows[i] = rows[(i+1)%len(rows)]
		if got := panicOf(func() { fsm.NewCallTable(rows...) }); !strings.Contains(got, "two rows for the effect") {
			t.Errorf("row %d twice: %q", i, got)
		}
		if got := panicOf(func() { fsm.NewCallTable(append(callRows()[:i], callRows()[i+1:]...)...) }); !strings.Contains(got, "no row for the ") {
			t.Errorf("no row %d: %q", i, got)
		}
	}
}

// A table of all facts, or of all effects, lacks none; one of answers may lack any fact but them.
func TestATableHasEachOfItsKinds(t *testing.T) {
	for name, c := range map[string]struct { // order-free: each makes a table of its own
		make func()
		want string
	}{
		"no answers":  {func() { fsm.NewAnswerTable[int, int]() }, "fsm: a table has no row for the answer brain_answered"},
		"all answers": {func() { fsm.NewAnswerTable(fsm.OnAnswers(func(int, fsm.Answer) int { return 1 })) }, "<nil>"},
		"no facts":    {func() { fsm.NewFactTable[int, int]() }, "fsm: a table has no row for the fact boot"},
		"one effect":  {func() { fsm.NewEffectTable(row[fsm.AskBrain]()) }, "fsm: a table has no row for the effect run_tool"},
	} {
		if got := panicOf(c.make); got != c.want {
			t.Errorf("with %s: got %q, want %q", name, got, c.want)
		}
	}
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestTokensAreAddedUp(t *testing.T) {
	all := fsm.Tokens{Prompt: 1, Read: 5, Answer: 2, Reading: 3, Writing: 4}
	if all.Add(fsm.Tokens{Prompt: 10, Read: 50, Answer: 20, Reading: 30, Writing: 40}); all != (fsm.Tokens{Prompt: 11, Read: 55, Answer: 22, Reading: 33, Writing: 44}) {
		t.Errorf("got %+v; want %+v", all, (fsm.Tokens{Prompt: 11, Read: 55, Answer: 22, Reading: 33, Writing: 44}))
	}
}
