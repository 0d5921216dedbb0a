package memory

import (
	"errors"
	"maps"
	"slices"

	"shelly/fsm"
	"shelly/runtime/memory/index"
)

// edit is a batch of changes to the stored index, relative to what is stored. Its maker holds
// writing, or is the only one who knows the memory.
type edit struct {
	m        *Memory
	values   map[string][]byte // by key; nil: the key is removed
	gone     map[int]bool      // the slots that go
	segments map[int]bool      // the segments of slots that go
	rows     map[int]edited    // the rows that differ from those in memory
	blocks   map[int][]byte    // the numbers of stored blocks with such rows
}

// edited is a row with its slot, -1 if its entry is gone, and its signs.
type edited struct {
	row
	slot  int32
	signs []uint64
}

func (m *Memory) edit() *edit {
	return &edit{m: m, values: map[string][]byte{}, gone: map[int]bool{}, segments: map[int]bool{}, rows: map[int]edited{}, blocks: map[int][]byte{}}
}

func (e *edit) set(key, value []byte) { e.values[string(key)] = value }

// apply sets everything that was edited, in key order.
func (e *edit) apply(set index.Set) {
	for segment := range e.segments {
		e.docs(segment)
	}
	for n := range e.rows {
		e.row(n)
	}
	for _, key := range slices.Sorted(maps.Keys(e.values)) {
		set([]byte(key), e.values[key])
	}
}

// add writes an entry of the tail.
func (e *edit) add(at int, d index.Doc, terms []index.Term) {
	e.set(index.Key(index.Tail, at), index.AppendTerms(index.AppendDoc(nil, d), terms))
}

// tail writes a slot of the tail as it is in memory.
func (e *edit) tail(at int) {
	if e.m.slots[at].gone {
		return
	}
	k := &e.m.keywords
	var terms []index.Term
	for _, n := range k.docs[at-k.from] {
		list := k.postings[n]
		i, _ := slices.BinarySearchFunc(list, int32(at), func(p index.Posting, slot int32) int { return int(p.Slot - slot) })
		terms = append(terms, index.Term{Text: k.names[n], Times: int(list[i].Times)})
	}
	e.add(at, e.m.doc(e.m.slots[at], sum(terms)), terms)
}

// docs writes the entries of a segment.
func (e *edit) docs(segment int) {
	var value []byte
	for at := segment * index.SegmentDocs; at < (segment+1)*index.SegmentDocs; at++ {
		s := e.m.slots[at]
		s.gone = s.gone || e.gone[at]
		value = index.AppendDoc(value, e.m.doc(s, int(e.m.keywords.lengths[at])))
	}
	e.set(index.Key(index.Docs, segment), value)
}

// row writes an edited row: alone, or within its blocks if they are full.
func (e *edit) row(n int) {
	first := n / index.HeadRows * index.HeadRows
	last, had := first+index.HeadRows-1, len(e.m.vectors.slots)
	_, ends := e.rows[last]
	if last >= had && !ends {
		e.set(index.Key(index.LooseRow, n), e.rows[n].loose())
		return
	}
	key := index.Key(index.Heads, n/index.HeadRows)
	if _, done := e.values[string(key)]; !done {
		var heads []byte
		for i := first; i <= last; i++ {
			heads = e.at(i).head(heads)
		}
		e.set(key, heads)
	}
	e.block(n)
	if last < had {
		return
	}
	for i := first; i <= last; i++ { // these are no longer stored alone
		e.set(index.Key(index.LooseRow, i), nil)
		e.block(i)
	}
}

// block writes the block that holds a row.
func (e *edit) block(n int) {
	n -= n % index.BlockRows
	key := index.Key(index.Rows, n/index.BlockRows)
	if _, done := e.values[string(key)]; done {
		return
	}
	numbers := e.blocks[n/index.BlockRows]
	if numbers == nil {
		for i := range index.BlockRows {
			numbers = append(numbers, e.at(n+i).numbers...)
		}
	} else {
		d := e.m.vectors.space.dimensions
		for i := range index.BlockRows {
			if r, ok := e.rows[n+i]; ok {
				copy(numbers[i*d:], r.numbers)
			}
		}
	}
	e.set(key, numbers)
}

// at returns a row as it will be.
func (e *edit) at(n int) edited {
	if r, ok := e.rows[n]; ok {
		return r
	}
	return e.m.vectors.at(n)
}

// at returns a row as it is in memory: without its numbers if they are only in the store.
func (v *vectors) at(n int) edited {
	r := edited{row{scale: v.scales[n]}, v.slots[n], nil}
	if !v.lies(n) {
		r.numbers = v.row(n)
	}
	if v.signs.mean != nil {
		r.signs = v.signs.row(n, perRow(len(v.signs.mean)))
	}
	return r
}

// head appends the head of a row. Slot -1 becomes index.NoSlot.
func (r edited) head(b []byte) []byte { return index.AppendHead(b, uint32(r.slot), r.scale, r.signs) }

// loose returns the value of a row that is in no block.
func (r edited) loose() []byte {
	r.signs = nil
	return append(r.head(nil), r.numbers...)
}

// vector writes the row of an entry that has a vector in the space in use, which is that of the
// first vector.
func (e *edit) vector(at int, of fsm.Entry) {
	v := &e.m.vectors
	like := vectors{space: v.space}
	if v.space == (space{}) && spaceOf(of) != (space{}) {
		like.space = spaceOf(of)
		e.set(index.SpaceKey(), index.AppendSpace(nil, like.space.model, like.space.dimensions))
	}
	r, ok := like.compact(of)
	if !ok {
		return
	}
	n, signs := len(v.slots), e.m.vectors.noSigns()
	if signs != nil {
		v.signs.take(signs, r.numbers)
	}
	e.rows[n] = edited{r, int32(at), signs}
}

// noSigns returns room for the signs of a row, or nil if rows have none.
func (v *vectors) noSigns() []uint64 {
	if v.signs.mean == nil {
		return nil
	}
	return make([]uint64, perRow(len(v.signs.mean)))
}

// dropRow marks the row of a slot as unused.
func (e *edit) dropRow(at int) error {
	v := &e.m.vectors
	n := v.of(at)
	if n < 0 {
		return nil
	}
	e.rows[n] = edited{row{numbers: make([]byte, v.space.dimensions)}, -1, v.noSigns()}
	block := n / index.BlockRows
	if !v.lies(n) || e.blocks[block] != nil {
		return nil
	}
	numbers, err := v.stored.block(block, v.space.dimensions)
	e.blocks[block] = numbers
	return err
}

// drop removes slots, except their keywords, and returns those that are in sealed segments.
func (e *edit) drop(slots ...int) (sealed []int, err error) {
	for _, at := range slots {
		e.gone[at] = true
		err = errors.Join(err, e.dropRow(at))
		e.set(index.Key(index.Tail, at), nil)
		if at < e.m.keywords.from {
			sealed = append(sealed, at)
			e.segments[at/index.SegmentDocs] = true
		}
	}
	return sealed, err
}

// replace removes the slot of an entry that is to be replaced. It finds the slot's keywords from
// the entry as it is stored.
func (e *edit) replace(at int, id string) error {
	sealed, err := e.drop(at)
	if err != nil || len(sealed) == 0 {
		return err
	}
	old, ok, err := e.m.entries.Entry(id)
	if err != nil || !ok {
		return e.sweep(at)
	}
	segment := at / index.SegmentDocs
	for _, t := range counted(terms(old.Summary+"\n"+old.Text, indexed)) {
		err = errors.Join(err, e.m.kept.in.ReadIndexAt([][]byte{index.PostingsKey(t.Text, segment)}, e.without(at)))
	}
	return err
}

// forget removes slots, and each keyword that any segment lists for them, whatever their entries
// say.
func (e *edit) forget(slots ...int) error {
	sealed, err := e.drop(slots...)
	if err != nil || len(sealed) == 0 {
		return err
	}
	return e.sweep(sealed...)
}

// sweep removes slots from all keywords.
func (e *edit) sweep(slots ...int) error {
	return e.m.kept.in.ReadIndex([]byte{index.Postings}, e.without(slots...))
}

// without returns a function that removes slots from the postings of one keyword.
func (e *edit) without(slots ...int) func(key, value []byte) error {
	gone, segments := map[int32]bool{}, map[int]bool{}
	for _, at := range slots {
		gone[int32(at)], segments[at/index.SegmentDocs] = true, true
	}
	return func(key, value []byte) error {
		segment := index.Number(key)
		if !segments[segment] {
			return nil
		}
		list, err := index.ReadPostings(nil, segment, value)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(list), func(p index.Posting) bool { return gone[p.Slot] })
		switch len(left) {
		case len(list):
		case 0:
			e.set(slices.Clone(key), nil)
		default:
			e.set(slices.Clone(key), index.AppendPostings(nil, segment, left))
		}
		return nil
	}
}

// aboutOf returns what an entry may have in common with others.
func aboutOf(e fsm.Entry) index.About {
	return index.About{Kind: string(e.Kind), Session: e.Session, Source: uint8(e.Source)}
}

// doc returns what the index holds for a slot with length keywords.
func (m *Memory) doc(s slot, length int) index.Doc {
	if s.gone {
		return index.Doc{Gone: true}
	}
	return index.Doc{About: *m.shared.About(s.about), ID: string(m.nameOf(&s)), At: int64(s.at), Length: length, Blank: s.blank}
}
