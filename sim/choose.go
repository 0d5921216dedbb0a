package sim

import "math/rand/v2"

// Chooser decides what the plan leaves open (SIM-2). Choose returns a number from 0 to
// n-1, where n is at least 1; label names the choice for people who read a tape.
type Chooser interface {
	Choose(label string, n int) int
}

// First always chooses 0, so things happen in the order in which they are due.
type First struct{}

// Choose implements [Chooser].
func (First) Choose(string, int) int { return 0 }

// Seeded chooses at random from a seed. The same seed chooses the same.
type Seeded struct{ rng *rand.Rand }

// NewSeeded returns a chooser for a seed.
func NewSeeded(seed uint64) *Seeded { return &Seeded{rng: rand.New(rand.NewPCG(seed, 0))} }

// Choose implements [Chooser].
func (s *Seeded) Choose(_ string, n int) int { return s.rng.IntN(n) }

// Tape replays recorded choices and then chooses 0. A choice out of range is clamped to it,
// so that a shortened tape is still a run.
type Tape struct{ choices []int }

// NewTape returns a chooser that replays choices.
func NewTape(choices []int) *Tape { return &Tape{choices: choices} }

// Choose implements [Chooser].
func (t *Tape) Choose(_ string, n int) int {
	if len(t.choices) == 0 {
		return 0
	}
	c := t.choices[0]
	t.choices = t.choices[1:]
	return min(max(c, 0), n-1)
}

// Recorder forwards choices to another chooser and records them for a [Tape].
type Recorder struct {
	From    Chooser
	Choices []int
}

// Choose implements [Chooser].
func (r *Recorder) Choose(label string, n int) int {
	c := r.From.Choose(label, n)
	r.Choices = append(r.Choices, c)
	return c
}
