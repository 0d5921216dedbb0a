package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shelly/runtime/lately"
	"shelly/runtime/store/text"
)

// A text that stands in several values is kept once (JRN-34): each value holds a reference to it,
// and for each such value a key marks that it refers to the text. The text is deleted with the last
// of these marks.

// onceKey is the key of a text that is kept once. referenceKey is the key of the mark that the
// value under owner refers to it.
func onceKey(number uint64) []byte { return at(kindOnce, number) }

func referenceKey(number uint64, owner []byte) []byte {
	return append(at(kindReference, number), owner...)
}

// referenceBytes is the length of what stands before the owner in the key of a mark.
const referenceBytes = 1 + 8

// referenceNumber returns the number of the text that the key of a mark names.
func referenceNumber(key []byte) uint64 {
	if len(key) < referenceBytes {
		return 0
	}
	return binary.BigEndian.Uint64(key[1:])
}

// formOf returns where in the body under a key the form begins and where its texts stand, and false
// if that kind of body is never a form.
func formOf(key []byte) (from int, where text.Place, ok bool) {
	switch key[0] {
	case kindRecord:
		return effectsBytes, text.InStrings, true
	case kindSnapshot:
		return headBytes, text.InStrings, len(key) > 1
	case kindText:
		return timeBytes, text.Whole, true
	case kindRequest, kindEntry, kindMessage, kindAudit, kindSession:
		return 0, text.InStrings, true
	case kindArchive:
		return 0, text.InStrings, numberOf(key) > 0
	}
	return 0, 0, false
}

// form returns the form in the body under a key, or nil if there is none.
func form(key, body []byte) []byte {
	if from, _, ok := formOf(key); ok && len(body) > from && text.IsForm(body[from:]) {
		return body[from:]
	}
	return nil
}

// replaced reports whether the value under a key may be replaced.
func replaced(key []byte) bool { return !writtenOnce(key) }

func onceName(number uint64) string { return fmt.Sprintf("the text %d", number) }

// refsIn returns what a value refers to, or nothing if that cannot be read.
func refsIn(key, value []byte) []text.Ref {
	body, err := unseal(key, value, "")
	if err != nil {
		return nil
	}
	refs, _ := text.Refs(form(key, body))
	return refs
}

// writing is a batch that keeps track of the texts its values refer to. On commit it works out the
// marks and texts that follow, and adds them to the same batch.
type writing struct {
	*pebble.Batch
	store  *Store
	owners []*owner
	byKey  map[string]*owner
	// Set by the commit.
	gone  [][]byte // the keys of the texts that were deleted
	freed int64    // their bytes
}

// owner is a value that is written or deleted.
type owner struct {
	key  []byte
	was  []text.Ref // of the value in the store
	read bool       // was has not been read yet
	now  []text.Text
}

func (s *Store) write() *writing {
	return &writing{Batch: s.db.NewBatch(), store: s, byKey: map[string]*owner{}}
}

func (w *writing) owner(key []byte) *owner {
	o := w.byKey[string(key)]
	if o == nil {
		o = &owner{key: key, read: replaced(key)}
		w.byKey[string(key)] = o
		w.owners = append(w.owners, o)
	}
	return o
}

// put writes a body under a key, with its long texts replaced by references. Body must not change
// any more.
func (w *writing) put(key, body []byte) error {
	from, where, ok := formOf(key)
	if !ok || len(body) < from {
		return set(w.Batch, key, body)
	}
	form, texts := w.store.known.Take(body[from:], where)
	if len(texts) > 0 || text.IsForm(form) {
		body = slices.Concat(body[:from], form)
	}
	return w.hold(key, body, texts)
}

// hold writes a body with a form in it, which refers to texts.
func (w *writing) hold(key, body []byte, texts []text.Text) error {
	if len(texts) > 0 || replaced(key) {
		w.owner(key).now = texts
	}
	return set(w.Batch, key, body)
}

// drop deletes a key.
func (w *writing) drop(key []byte) error {
	if _, _, ok := formOf(key); ok {
		o := w.owner(bytes.Clone(key)) // an iterator may own it
		o.now, o.read = nil, true
	}
	return w.Delete(key, nil)
}

// dropRange deletes the keys in [from, to).
func (w *writing) dropRange(from, to []byte) error {
	err := w.store.scan(from, to, func(key []byte, v stored) error {
		if refs := refsIn(key, v.value); len(refs) > 0 {
			o := w.owner(bytes.Clone(key))
			o.was, o.read, o.now = refs, false, nil
		}
		return nil
	})
	if err != nil && !unreadable(err) { // the marks of a value that cannot be read stay, and so do its texts
		return err
	}
	return w.DeleteRange(from, to, nil)
}

// change is what happens to the references to one text.
type change struct {
	number      uint64
	comes, goes []*owner
	text        text.Text // its bytes are set only if some come
}

// settle adds the marks and texts that follow from the batch's values. Nothing else may write these
// at the same time.
func (w *writing) settle() error {
	changes, err := w.changes()
	if err != nil || len(changes) == 0 {
		return err
	}
	it, err := w.store.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindReference}, UpperBound: []byte{kindReference + 1}})
	if err != nil {
		return classify(err)
	}
	for _, c := range changes {
		err = errors.Join(err, w.refer(c), w.keep(c, it))
	}
	if failed := it.Close(); !unreadable(failed) {
		err = errors.Join(err, failed)
	}
	return err
}

// refer writes and deletes the marks of a text.
func (w *writing) refer(c *change) (err error) {
	for _, o := range c.comes {
		err = errors.Join(err, set(w.Batch, referenceKey(c.number, o.key), nil))
	}
	for _, o := range c.goes {
		err = errors.Join(err, w.Delete(referenceKey(c.number, o.key), nil))
	}
	return err
}

// keep writes a text that nothing referred to before, and deletes one that nothing refers to any
// more.
func (w *writing) keep(c *change, it *pebble.Iterator) error {
	key := onceKey(c.number)
	switch {
	case len(c.comes) > 0 && (c.text.Fresh || !c.referred(it)):
		w.store.damagedTexts.Delete(c.number)
		return w.store.codec.Compress(c.text.Bytes, func(kept []byte) error { return set(w.Batch, key, kept) })
	case len(c.comes) == 0 && !c.referred(it):
		w.gone, w.freed = append(w.gone, key), w.freed+int64(c.text.Ref.Bytes)
		return w.Delete(key, nil)
	}
	return nil
}

// referred reports whether any mark of a text stays. If the marks cannot be read, some might: then
// a text that is referred to is written again, and none is deleted.
func (c *change) referred(it *pebble.Iterator) bool {
	prefix, goes := at(kindReference, c.number), map[string]bool{}
	for _, o := range c.goes {
		goes[string(o.key)] = true
	}
	for ok := it.SeekGE(prefix); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		if !goes[string(it.Key()[len(prefix):])] {
			return true
		}
	}
	return it.Error() != nil && len(c.comes) == 0
}

// changes returns what changes for each text, after reading what the values referred to before.
func (w *writing) changes() (changes []*change, err error) {
	byNumber := map[uint64]*change{}
	of := func(number uint64) *change {
		c := byNumber[number]
		if c == nil {
			c = &change{number: number}
			byNumber[number], changes = c, append(changes, c)
		}
		return c
	}
	for _, o := range w.owners {
		if o.read {
			if o.was, err = w.store.refersTo(o.key); err != nil {
				return nil, err
			}
		}
		w.store.refers.note(o)
		was := map[uint64]bool{}
		for _, r := range o.was {
			was[r.Number] = true
		}
		for _, t := range o.now {
			if !was[t.Number] {
				c := of(t.Number)
				t.Fresh = t.Fresh || c.text.Fresh
				c.comes, c.text = append(c.comes, o), t
			}
			delete(was, t.Number)
		}
		for _, r := range o.was {
			if was[r.Number] {
				c := of(r.Number)
				c.goes, c.text.Ref = append(c.goes, o), r
			}
		}
	}
	return changes, nil
}

// refersBytesMax bounds the memory for what the values written last refer to.
const refersBytesMax = 256 << 10

// refers holds, by key, what the values written last refer to: a session and a request are written
// again in each turn. Only the holder of the store's turn may use it. A batch's entries are noted
// before the batch is written: if that write fails, there is no later one.
type refers struct {
	kept *lately.Kept[string, []text.Ref]
}

func newRefers() refers { return refers{lately.Keep[string, []text.Ref](refersBytesMax)} }

// note remembers what a value refers to from now on.
func (r refers) note(o *owner) {
	if !replaced(o.key) {
		return
	}
	refs := make([]text.Ref, len(o.now))
	for i, t := range o.now {
		refs[i] = t.Ref
	}
	const fields, ref = 128, 32
	r.kept.Put(string(o.key), refs, fields+len(o.key)+ref*len(refs))
}

// refersTo returns what the value under a key refers to.
func (s *Store) refersTo(key []byte) ([]text.Ref, error) {
	if refs, ok := s.refers.kept.Get(string(key)); ok {
		return refs, nil
	}
	value, closer, err := s.find(key)
	if errors.Is(err, pebble.ErrNotFound) || unreadable(err) {
		return nil, nil // the marks of a value that cannot be read stay, and so do its texts
	}
	if err != nil {
		return nil, classify(err)
	}
	refs := refsIn(key, value)
	return refs, closer.Close()
}

// commit writes the batch. An error fails the store, and the batch stays with it.
func (w *writing) commit(sync bool) error {
	s := w.store
	if len(w.owners) == 0 {
		return s.commit(w.Batch, sync)
	}
	select {
	case s.turn <- struct{}{}:
	case <-s.failure.done:
		return s.failure.failed()
	}
	end := func() { <-s.turn }
	if err := w.settle(); err != nil {
		end()
		return s.failure.fail(err)
	}
	return s.apply(w.Batch, sync, end)
}

// apply writes a batch, and calls visible once readers see it. If the write fails, visible may not
// be called.
func (s *Store) apply(batch *pebble.Batch, sync bool, visible func()) error {
	err := s.failure.write(sync, func() error {
		if err := s.admit(batch.Len()); err != nil {
			visible()
			return err
		}
		if !sync {
			err := s.db.Apply(batch, pebble.NoSync)
			visible()
			return err
		}
		err := s.db.ApplyNoSyncWait(batch, pebble.Sync)
		visible()
		if err != nil {
			return err
		}
		return batch.SyncWait()
	})
	if err != nil {
		return err
	}
	return batch.Close()
}

// findNumbers finds the number for the next text.
func (s *Store) findNumbers() error {
	next := uint64(1)
	for _, kind := range []byte{kindOnce, kindReference} {
		last, err := s.lastKey([]byte{kind})
		switch {
		case unreadable(err):
			// A number that no existing text can have.
			next = max(next, 1<<62|rand.Uint64()>>3)
		case err != nil:
			return err
		case len(last) >= 9:
			next = max(next, binary.BigEndian.Uint64(last[1:])+1)
		}
	}
	s.known = text.NewKnown(next)
	return nil
}

// lastKey returns the last key with a prefix, or nil.
func (s *Store) lastKey(prefix []byte) (key []byte, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return nil, err
	}
	if it.Last() {
		key = bytes.Clone(it.Key())
	}
	return key, errors.Join(it.Error(), it.Close())
}
