package explore

import "shelly/fsm"

// world is a state of the explored world.
type world struct {
	index   int32
	at      int32 // its position
	durable int32 // the position that the journal would bring back if power failed now, which would lose the last unsynced records; none: its own
	left    left
	seen    uint32 // what the world has seen and must not see again
	depth   uint16
}

// record is a state as it is kept, with how it was first reached.
type record struct {
	world
	from int32
	by   step
	on   int32 // the last state that an answer leads to from it, or none
}

// key is what tells states apart: of positions, the shapes and the kind of the call that was
// given up.
type key struct {
	look
	durable uint32
	seen    uint32
	left    left
}

// hashed is a key with its hash.
type hashed struct {
	key
	hash uint64
}

// states are all that were reached, in that order, each once. Keys are compared whole: no two
// states are taken for one by chance unless two machines are.
type states struct {
	pages [][]record
	size  int
	table []slot // open addressing
}

// slot is where a state is found: its index plus one, and a part of its key's hash, so that
// few states that are not meant are looked at.
type slot struct {
	index int32
	tag   uint32
}

const (
	pageStates = 1 << 14
	tableFirst = 1 << 12
)

func newStates() states { return states{table: make([]slot, tableFirst)} }

func (s *states) len() int { return s.size }

func (s *states) at(i int32) *record { return &s.pages[i/pageStates][i%pageStates] }

// key is that of a state. What is durable is of account only while a crash may come.
func (x *explorer) key(n *world) key {
	of := x.positions.looks
	k := key{look: of[n.at], seen: n.seen, left: n.left}
	if n.durable != none && n.left.crashes > 0 {
		k.durable = of[n.durable].shape + 1
	}
	return k
}

// hashed is the key of a state with its hash.
func (x *explorer) hashed(n *world) hashed {
	k := x.key(n)
	return hashed{k, k.sum()}
}

func (k *key) sum() uint64 {
	x := fsm.NewHasher(uint64(k.shape)<<32 | uint64(k.durable))
	l := &k.left
	x.Word(uint64(k.seen)<<32 | uint64(k.kind))
	x.Word(uint64(l.requests)<<48 | uint64(l.events)<<32 | uint64(l.timeouts)<<16 | uint64(l.crashes))
	x.Word(uint64(l.signals)<<32 | uint64(l.starts)<<16 | uint64(l.cancels))
	return x.Sum()
}

// find returns the index of the state with a key, or none and where it belongs.
func (x *explorer) find(k *hashed) (index int32, at int, tag uint32) {
	s := &x.states
	mask := len(s.table) - 1
	tag = uint32(k.hash >> 32)
	for at = int(k.hash) & mask; s.table[at].index != 0; at = (at + 1) & mask {
		if s.table[at].tag != tag {
			continue
		}
		index = s.table[at].index - 1
		if x.key(&s.at(index).world) == k.key {
			return index, at, tag
		}
	}
	return none, at, tag
}

// add keeps a state that is not there, at its slot.
func (x *explorer) add(r record, at int, tag uint32) int32 {
	s := &x.states
	r.index = int32(s.size)
	if s.size%pageStates == 0 {
		s.pages = append(s.pages, make([]record, pageStates))
	}
	*s.at(r.index), s.table[at] = r, slot{r.index + 1, tag}
	if s.size++; s.size > len(s.table)/4*3 {
		x.grow()
	}
	return r.index
}

// grow doubles the table.
func (x *explorer) grow() {
	s := &x.states
	s.table = make([]slot, 2*len(s.table))
	for i := range s.size {
		k := x.hashed(&s.at(int32(i)).world)
		_, at, tag := x.find(&k)
		s.table[at] = slot{int32(i) + 1, tag}
	}
}
