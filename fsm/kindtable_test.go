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

// A table of answers may lack any fact but them.
func TestATableOfAnswersHasEach(t *testing.T) {
	if got := panicOf(func() { fsm.NewAnswerTable[int, int]() }); got != "fsm: a table has no row for the answer brain_answered" {
		t.Errorf("without any: %q", got)
	}
	if got := panicOf(func() { fsm.NewAnswerTable(fsm.OnAnswers(func(int, fsm.Answer) int { return 1 })) }); got != "<nil>" {
		t.Errorf("with all: %q", got)
	}
}

// A table of all facts, or of all effects, lacks none.
func TestATableOfAllKindsHasEach(t *testing.T) {
	if got := panicOf(func() { fsm.NewFactTable[int, int]() }); got != "fsm: a table has no row for the fact boot" {
		t.Errorf("without facts: %q", got)
	}
	if got := panicOf(func() { fsm.NewEffectTable(row[fsm.AskBrain]()) }); got != "fsm: a table has no row for the effect run_tool" {
		t.Errorf("with one effect: %q", got)
	}
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestTokensAreAddedUp(t *testing.T) {
	all := fsm.Tokens{Prompt: 1, Answer: 2, Reading: 3, Writing: 4}
	if all.Add(fsm.Tokens{Prompt: 10, Answer: 20, Reading: 30, Writing: 40}); all != (fsm.Tokens{Prompt: 11, Answer: 22, Reading: 33, Writing: 44}) {
		t.Errorf("got %+v; want %+v", all, (fsm.Tokens{Prompt: 11, Answer: 22, Reading: 33, Writing: 44}))
	}
}
