package property

import (
	"cmp"
	"slices"

	"shelly/sim"
)

// triesMax bounds the shrinking of one case.
const triesMax = 3000

// shrinker looks for fewer and lesser choices whose case fails for the same reason
// (PRP-8): things are left out, then made the simplest, then single choices made less.
// Every step makes the list of choices shorter, or lesser at the first difference, so
// that it ends.
type shrinker struct {
	g     *generator
	want  string // what must not hold
	over  func() bool
	best  []int // without zeros at its end
	spans []span
	tries int
}

// shrink goes on until nothing helps any more.
func (s *shrinker) shrink() {
	for !s.done() {
		kept := slices.Clone(s.best)
		s.leaveOut()
		s.simplify()
		s.lower()
		if slices.Equal(kept, s.best) {
			return
		}
	}
}

func (s *shrinker) done() bool { return s.tries >= triesMax || s.over != nil && s.over() }

// try plays a case of other choices, and keeps them where it fails for the same reason
// and they are simpler.
func (s *shrinker) try(list []int) bool {
	if list = trimmed(list); s.done() || !simpler(list, s.best) {
		return false
	}
	s.tries++
	c := s.g.play(sim.NewTape(slices.Clone(list)), nil)
	if c.err != nil || !slices.Contains(c.wrong, s.want) {
		return false
	}
	if list = trimmed(c.drawn.list); !simpler(list, s.best) {
		return false
	}
	s.best, s.spans = list, c.drawn.spans
	return true
}

// leaveOut tries to do without the choices of each thing, the largest first, and without
// a few choices anywhere.
func (s *shrinker) leaveOut() {
	for again := true; again && !s.done(); {
		again = false
		for _, sp := range s.bySize() {
			if sp.to <= len(s.best) && s.try(slices.Delete(slices.Clone(s.best), sp.from, sp.to)) {
				again = true
				break // the spans are others now
			}
		}
	}
	for size := 8; size > 0; size /= 2 {
		for from := len(s.best) - size; from >= 0; from-- {
			if from+size <= len(s.best) {
				s.try(slices.Delete(slices.Clone(s.best), from, from+size))
			}
		}
	}
}

// simplify tries the first choice for all of each thing.
func (s *shrinker) simplify() {
	for _, sp := range s.bySize() {
		list := slices.Clone(s.best)
		for i := sp.from; i < min(sp.to, len(list)); i++ {
			list[i] = 0
		}
		s.try(list)
	}
}

// lower makes each choice less: none at all, half, one less.
func (s *shrinker) lower() {
	for i := 0; i < len(s.best); i++ {
		if s.with(i, 0) {
			continue
		}
		for i < len(s.best) && s.with(i, s.best[i]/2) {
		}
		if i < len(s.best) {
			s.with(i, s.best[i]-1)
		}
	}
}

func (s *shrinker) with(i, choice int) bool {
	if choice < 0 || s.best[i] == choice {
		return false
	}
	list := slices.Clone(s.best)
	list[i] = choice
	return s.try(list)
}

// bySize are the spans, the largest first.
func (s *shrinker) bySize() []span {
	list := slices.Clone(s.spans)
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	return list
}

// trimmed is a list of choices without the zeros at its end, which a tape adds.
func trimmed(list []int) []int {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// simpler orders lists of choices: by their length, then by the first difference.
func simpler(a, b []int) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) < 0
}
