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

// sightings numbers what steps show, and what the world has seen in a state: a list of
// sightings in their order, of which 0 is the empty one.
type sightings struct {
	all   numbers[sighting]
	steps [][]uint32 // what a step shows
	seen  numbers[seen]
}

// seen is a list of sightings: one more after another list.
type seen struct{ before, last uint32 }

func newSightings() sightings {
	s := sightings{all: newNumbers[sighting](), steps: [][]uint32{nil}, seen: newNumbers[seen]()}
	s.all.of(sighting{}) // so that no list is the empty one
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

// unknown is the number of a list that has none yet.
const unknown = ^uint32(0)

// add is a list with what a step shows, or false with the sighting that is in it already.
// Unless it may, it gives no list a number.
func (s *sightings) add(list, step uint32, may bool) (uint32, sighting, bool) {
	for _, what := range s.steps[step] {
		for at := list; at != 0; at = s.seen.list[at].before {
			if s.seen.list[at].last == what {
				return list, s.all.list[what], false
			}
		}
		longer := seen{before: list, last: what}
		id, ok := s.seen.ids[longer]
		switch {
		case ok:
			list = id
		case may:
			list = s.seen.of(longer)
		default:
			return unknown, sighting{}, false
		}
	}
	return list, sighting{}, true
}
