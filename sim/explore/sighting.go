package explore

// sighting is what the world has seen and must not see again, with the invariant that says
// so.
type sighting struct{ what, invariant string }

// numbers gives values numbers, in the order of their coming.
type numbers[T comparable] struct {
	list []T
	ids  map[T]uint32
}

func newNumbers[T comparable]() numbers[T] { return numbers[T]{ids: map[T]uint32{}} }

func (n *numbers[T]) of(v T) uint32 {
	id, ok := n.ids[v]
	if !ok {
		id = uint32(len(n.list))
		n.list, n.ids[v] = append(n.list, v), id
	}
	return id
}

// sightings numbers what steps show, and what the world has seen in a state: a set of
// sightings, of which 0 is the empty one. Nothing depends on the order in which it has
// seen them: sets that hold the same have one number (SIM-37).
type sightings struct {
	all     numbers[sighting]
	steps   [][]uint32 // what a step shows
	seen    numbers[seen]
	ordered bool // those that were seen in another order are another set
}

// seen is a set of sightings: one more than another set, whose numbers are all below it.
type seen struct{ before, last uint32 }

func newSightings() sightings {
	s := sightings{all: newNumbers[sighting](), steps: [][]uint32{nil}, seen: newNumbers[seen]()}
	s.all.of(sighting{}) // so that no set is the empty one
	s.seen.of(seen{})
	return s
}

// step numbers what a step shows; 0 is nothing.
func (s *sightings) step(once []sighting) uint32 {
	if len(once) == 0 {
		return 0
	}
	list := make([]uint32, len(once))
	for i := range once {
		list[i] = s.all.of(once[i])
	}
	s.steps = append(s.steps, list)
	return uint32(len(s.steps) - 1)
}

// unknown is the number of a set that has none yet.
const unknown = ^uint32(0)

// add is a set with what a step shows, or false with the sighting that is in it already.
// Unless it may, it gives no set a number.
func (s *sightings) add(set, step uint32, may bool) (uint32, sighting, bool) {
	for _, what := range s.steps[step] {
		for at := set; at != 0; at = s.seen.list[at].before {
			if s.seen.list[at].last == what {
				return set, s.all.list[what], false
			}
		}
		if set = s.with(set, what, may); set == unknown {
			return unknown, sighting{}, false
		}
	}
	return set, sighting{}, true
}

// with is a set with one more sighting, which is not in it.
func (s *sightings) with(set, what uint32, may bool) uint32 {
	if top := s.seen.list[set]; top.last > what && !s.ordered {
		if set = s.with(top.before, what, may); set == unknown {
			return unknown
		}
		what = top.last
	}
	id, known := s.seen.ids[seen{set, what}]
	switch {
	case known:
		return id
	case may:
		return s.seen.of(seen{set, what})
	default:
		return unknown
	}
}
