package fsm

import "fmt"

// A FactTable says what a W does with a fact of each kind, and with what result. It is made
// once, at start: a missing kind panics then, rather than being ignored later.
type FactTable[W, R any] struct {
	rows [factKinds]func(W, Fact) R
}

// FactRow is the row of one kind of fact.
type FactRow[W, R any] struct {
	kind factKind
	do   func(W, Fact) R
}

// OnFact returns the row of the facts that do takes.
func OnFact[F Fact, W, R any](do func(W, F) R) FactRow[W, R] {
	var zero F
	return FactRow[W, R]{zero.kind(), func(w W, f Fact) R { return do(w, f.(F)) }}
}

// OnAnswers returns the row of all answers that have none of their own.
func OnAnswers[W, R any](do func(W, Answer) R) FactRow[W, R] {
	return FactRow[W, R]{0, func(w W, f Fact) R { return do(w, f.(Answer)) }}
}

// NewFactTable returns the table of rows. It panics unless every kind has exactly one.
func NewFactTable[W, R any](rows ...FactRow[W, R]) *FactTable[W, R] {
	t := newFactTable(rows)
	for k := factKind(1); k < factKinds; k++ {
		if t.rows[k] == nil {
			panic(fmt.Errorf("fsm: a table has no row for the fact %s", facts[k].name))
		}
	}
	return t
}

// NewAnswerTable returns the table of rows. It panics unless every kind of answer has one.
// For any other fact the result is zero.
func NewAnswerTable[W, R any](rows ...FactRow[W, R]) *FactTable[W, R] {
	t := newFactTable(rows)
	for k := factKind(1); k < factKinds; k++ {
		if t.rows[k] == nil && facts[k].answers != nil {
			panic(fmt.Errorf("fsm: a table has no row for the answer %s", facts[k].name))
		}
	}
	return t
}

func newFactTable[W, R any](rows []FactRow[W, R]) *FactTable[W, R] {
	t := &FactTable[W, R]{}
	for _, r := range rows {
		if t.rows[r.kind] != nil {
			panic(fmt.Errorf("fsm: a table has two rows for the fact %s", facts[r.kind].name))
		}
		t.rows[r.kind] = r.do
	}
	for k := factKind(1); k < factKinds; k++ {
		if t.rows[k] == nil && facts[k].answers != nil {
			t.rows[k] = t.rows[0]
		}
	}
	return t
}

// Do runs the row of the fact's kind.
func (t *FactTable[W, R]) Do(w W, f Fact) (result R) {
	if do := t.rows[f.kind()]; do != nil {
		return do(w, f)
	}
	return result
}

// An EffectTable says what a W does with an effect of each kind, as a [FactTable] does of
// facts.
type EffectTable[W, R any] struct {
	rows [effectKinds]func(W, Effect) R
}

// EffectRow is the row of one kind of effect.
type EffectRow[W, R any] struct {
	kind effectKind
	do   func(W, Effect) R
}

// OnEffect returns the row of the effects that do takes.
func OnEffect[E Effect, W, R any](do func(W, E) R) EffectRow[W, R] {
	var zero E
	return EffectRow[W, R]{zero.kind(), func(w W, e Effect) R { return do(w, e.(E)) }}
}

// NewEffectTable returns the table of rows. It panics unless every kind has exactly one.
func NewEffectTable[W, R any](rows ...EffectRow[W, R]) *EffectTable[W, R] {
	t := newEffectTable(rows)
	for k := effectKind(1); k < effectKinds; k++ {
		if t.rows[k] == nil {
			panic(fmt.Errorf("fsm: a table has no row for the effect %s", effects[k].name))
		}
	}
	return t
}

// NewCallTable returns the table of rows. It panics unless every kind of call has one. For
// any other effect the result is zero.
func NewCallTable[W, R any](rows ...EffectRow[W, R]) *EffectTable[W, R] {
	t := newEffectTable(rows)
	for k := effectKind(1); k < effectKinds; k++ {
		if t.rows[k] == nil && effects[k].call != "" {
			panic(fmt.Errorf("fsm: a table has no row for the call %s", effects[k].name))
		}
	}
	return t
}

func newEffectTable[W, R any](rows []EffectRow[W, R]) *EffectTable[W, R] {
	t := &EffectTable[W, R]{}
	for _, r := range rows {
		if t.rows[r.kind] != nil {
			panic(fmt.Errorf("fsm: a table has two rows for the effect %s", effects[r.kind].name))
		}
		t.rows[r.kind] = r.do
	}
	return t
}

// Do runs the row of the effect's kind.
func (t *EffectTable[W, R]) Do(w W, e Effect) (result R) {
	if do := t.rows[e.kind()]; do != nil {
		return do(w, e)
	}
	return result
}
