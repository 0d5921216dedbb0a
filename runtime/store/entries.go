package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/runtime/memory/index"
	"shelly/runtime/store/copies"
	"shelly/runtime/store/table"
)

// PutEntry writes a whole memory entry (MEM-1), replacing the one with its id (MEM-2). It does not
// wait for a sync: the next synced write makes the entry durable, and the machine puts such a write
// after each entry before anyone can see it (see Durability). An existing index becomes invalid.
func (s *Store) PutEntry(e fsm.Entry) error { return s.PutIndexed(e, nil) }

// PutIndexed is PutEntry; in the same batch write sets the entry's part of the memory's index
// (MEM-7).
func (s *Store) PutIndexed(e fsm.Entry, write func(index.Set)) error {
	if err := s.usable(); err != nil {
		return err
	}
	body, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode memory entry %q: %w", e.ID, err)
	}
	batch := s.write()
	_, err = s.setIndex(batch.Batch, write)
	if err := errors.Join(err, batch.put(entryKey(e.ID), body), batch.Delete(forgottenKey(e.ID), nil)); err != nil {
		return err
	}
	return batch.commit(false)
}

// setIndex puts what write sets into a batch and returns the keys. If write is nil, the batch
// removes the marks that say there is an index.
func (s *Store) setIndex(batch *pebble.Batch, write func(index.Set)) (keys [][]byte, err error) {
	if write == nil {
		return nil, batch.Delete(indexKey(index.VersionKey()), nil)
	}
	write(func(key, value []byte) {
		at := indexKey(key)
		keys = append(keys, at)
		if value == nil {
			err = errors.Join(err, batch.Delete(at, nil))
		} else {
			err = errors.Join(err, set(batch, at, value))
		}
	})
	return keys, err
}

// WriteIndex writes a part of the memory's index. It does not wait for a sync.
func (s *Store) WriteIndex(write func(index.Set)) error {
	if err := s.usable(); err != nil {
		return err
	}
	batch := s.db.NewBatch()
	if _, err := s.setIndex(batch, write); err != nil {
		return err
	}
	return s.commit(batch, false)
}

// DropIndex removes the parts of the memory's index whose keys have one of the prefixes; with no
// prefix, the whole index.
func (s *Store) DropIndex(prefixes ...[]byte) error {
	if err := s.usable(); err != nil {
		return err
	}
	if len(prefixes) == 0 {
		prefixes = [][]byte{nil}
	}
	batch := s.db.NewBatch()
	for _, p := range prefixes {
		if len(p) == 0 || p[0] == index.Rows {
			if err := s.vectors.Remove(); err != nil {
				return fmt.Errorf("remove the copies of the memory's vectors: %w", err)
			}
		}
		if err := batch.DeleteRange(indexKey(p), prefixEnd(indexKey(p)), nil); err != nil {
			return err
		}
	}
	return s.commit(batch, false)
}

// ReadIndex calls fn for each key of the memory's index with a prefix, in order, until fn returns
// an error. Damage is an ErrCorrupt, which [Options].Damaged is called with too.
func (s *Store) ReadIndex(prefix []byte, fn func(key, value []byte) error) error {
	from := indexKey(prefix)
	return s.indexError(s.scan(from, prefixEnd(from), func(key []byte, v stored) error {
		body, err := v.body(key, nameOf(key))
		if err != nil {
			return err
		}
		return fn(key[1:], body)
	}))
}

// ReadIndexAt is ReadIndex for the given keys, which are in order. Keys that do not exist are
// skipped.
func (s *Store) ReadIndexAt(keys [][]byte, fn func(key, value []byte) error) (err error) {
	if err := s.usable(); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindIndex}, UpperBound: []byte{kindIndex + 1}})
	if err != nil {
		return classify(err)
	}
	for i := 0; err == nil && i < len(keys); i++ {
		at := indexKey(keys[i])
		if !it.SeekGE(at) || !bytes.Equal(it.Key(), at) {
			continue
		}
		var value, body []byte
		if value, err = it.ValueAndErr(); err == nil {
			body, err = unseal(at, value, nameOf(at))
		}
		if err == nil {
			err = fn(keys[i], body)
		}
	}
	return s.indexError(errors.Join(err, it.Close()))
}

// LastIndex returns the last key of the memory's index with a prefix, or nil.
func (s *Store) LastIndex(prefix []byte) ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	key, err := s.lastKey(indexKey(prefix))
	if key == nil || err != nil {
		return nil, s.indexError(err)
	}
	return key[1:], nil
}

// indexError classifies an error of the index, and passes damage to [Options].Damaged.
func (s *Store) indexError(err error) error {
	if unreadable(err) {
		err = corrupt("the memory's index", classify(err))
	}
	if s.damaged != nil && errors.Is(err, ErrCorrupt) {
		s.damaged(err)
	}
	return err
}

// IndexWritable reports whether the store is open for writing.
func (s *Store) IndexWritable() bool { return !s.still }

// vectorsName is the file beside the database with a second copy of the memory's vectors. Pebble
// ignores it.
const vectorsName = "vectors"

// Vectors returns that file (MEM-7).
func (s *Store) Vectors() *copies.File { return s.vectors }

// SyncEntries returns when every entry that was put is durable.
func (s *Store) SyncEntries() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.commit(s.db.NewBatch(), true)
}

// Entry returns the memory entry with an id, or false.
func (s *Store) Entry(id string) (e fsm.Entry, ok bool, err error) {
	what := fmt.Sprintf("memory entry %q", id)
	body, err := s.get(entryKey(id), what)
	if err != nil || body == nil {
		return fsm.Entry{}, false, err
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return fsm.Entry{}, false, corrupt(what, err)
	}
	return e, true, nil
}

// ForgetEntries deletes memory entries durably and records that they were forgotten. When it
// returns, the tables on the disk hold nothing of them; a log of Pebble's may until it is reused
// (MEM-10). An existing index is dropped.
func (s *Store) ForgetEntries(ids []string) error { return s.ForgetIndexed(ids, nil) }

// ForgetIndexed is ForgetEntries; in the same batch write updates the memory's index (MEM-7).
// Whatever the index held under the keys that write sets is gone from the tables too, and so is
// everything that its parts with keywords ever held.
func (s *Store) ForgetIndexed(ids []string, write func(index.Set)) error {
	if err := s.usable(); err != nil {
		return err
	}
	if write == nil { // before the entries are deleted, so that a crash leaves no copy of them
		if err := s.vectors.Remove(); err != nil {
			return fmt.Errorf("remove the copies of the memory's vectors: %w", err)
		}
	}
	batch := s.write()
	keys, err := s.setIndex(batch.Batch, write)
	if write == nil {
		err = errors.Join(err, batch.DeleteRange([]byte{kindIndex}, []byte{kindIndex + 1}, nil))
	}
	for _, id := range ids {
		err = errors.Join(err, batch.drop(entryKey(id)), set(batch.Batch, forgottenKey(id), nil))
	}
	if err != nil {
		return err
	}
	if err := batch.commit(true); err != nil {
		return err
	}
	return s.compactSpans(forgottenSpans(ids, keys, write != nil, batch.gone))
}

// forgottenSpans returns the spans that may have held something of forgotten entries: their own, those
// of the texts that went with them, and those of the index, which is all of it if it was dropped.
func forgottenSpans(ids []string, keys [][]byte, indexed bool, texts [][]byte) []table.Span {
	spans := entrySpans(ids)
	for _, key := range texts {
		spans = append(spans, table.Span{From: key, To: table.After(key)})
	}
	if !indexed {
		return append(spans, table.Span{From: []byte{kindIndex}, To: []byte{kindIndex + 1}})
	}
	return append(spans, indexSpans(keys)...)
}

// entrySpans returns the spans of the given entries, or one span of all entries where there are
// many.
func entrySpans(ids []string) (spans []table.Span) {
	if len(ids) > compactedMax {
		return []table.Span{{From: []byte{kindEntry}, To: []byte{kindEntry + 1}}}
	}
	for _, id := range ids {
		spans = append(spans, table.Span{From: entryKey(id), To: table.After(entryKey(id))})
	}
	return spans
}

// indexSpans returns the spans of the index that may have held something of what was forgotten: all
// of each part with words, because an earlier version of an entry may have had other words, and in
// the other parts everything between the first and the last key.
func indexSpans(keys [][]byte) (spans []table.Span) {
	for _, kind := range []byte{index.Tail, index.Postings, index.LooseRow} {
		from := indexKey([]byte{kind})
		spans = append(spans, table.Span{From: from, To: prefixEnd(from)})
	}
	slices.SortFunc(keys, bytes.Compare)
	for _, kind := range []byte{index.Docs, index.Rows} {
		of := slices.DeleteFunc(slices.Clone(keys), func(key []byte) bool { return key[1] != kind })
		if len(of) > 0 {
			spans = append(spans, table.Span{From: of[0], To: table.After(of[len(of)-1])})
		}
	}
	return spans
}

// compactSpans removes from the tables what was forgotten.
func (s *Store) compactSpans(spans []table.Span) error {
	ctx := s.compact.ctx // cancelled once a table cannot be read: then no compaction runs
	var err error        // an error of reading: a write that fails does not return
	failed := s.failure.guard(func() error {
		s.compact.release()
		for _, span := range spans {
			err = errors.Join(err, s.db.Compact(ctx, span.From, span.To, false))
		}
		return nil
	})
	const left = "what was forgotten is gone from the memory, but not from a table that cannot be read"
	switch found := s.Damage(); {
	case failed != nil || err == nil:
		return failed
	case !errors.Is(err, context.Canceled):
		return corrupt(left, classify(err))
	case len(found) > 0: // the store has ended its compactions; no caller has cancelled anything
		return corrupt(left, strings.Join(found, ", "))
	default:
		return ErrClosed
	}
}

// compactedMax is the largest number of entries that are compacted one by one; for more, the tables
// of all entries are compacted.
const compactedMax = 16

// Forgotten reports whether an entry was forgotten and not put again since.
func (s *Store) Forgotten(id string) (bool, error) {
	body, err := s.get(forgottenKey(id), fmt.Sprintf("mark that entry %q was forgotten", id))
	return body != nil, err
}

// Entries calls fn for each memory entry in the order of ids, until fn returns an error. A damaged
// entry is an ErrCorrupt that names its id; if [Options].Damaged is set, it is called instead.
func (s *Store) Entries(fn func(fsm.Entry) error) error {
	from, to := []byte{kindEntry}, []byte{kindEntry + 1}
	each := func(key []byte, v stored) error {
		from = table.After(key)
		e, err := decode[fsm.Entry](key, v, fmt.Sprintf("memory entry %q", key[1:]))
		if err != nil {
			return s.pass(err)
		}
		return fn(e)
	}
	err := s.scan(from, to, each)
	if s.damaged == nil || !unreadable(err) {
		return err
	}
	var x Examination
	spans, failed := s.damagedBlocks(context.Background(), from, to, &x)
	if failed != nil {
		return errors.Join(err, failed)
	}
	for _, span := range spans {
		s.damaged(corrupt(strings.Join(x.Damage, ", "), strings.Join(held(span), ", ")))
	}
	for _, gap := range table.Gaps(spans, from, to) {
		var stop error
		err := s.around(context.Background(), gap, func(key []byte, v stored) {
			if stop == nil {
				stop = each(key, v)
			}
		})
		if err := cmp.Or(stop, err); err != nil {
			return err
		}
	}
	return nil
}

// pass hands damage to [Options].Damaged so that reading goes on, or returns the error if that is
// nil.
func (s *Store) pass(err error) error {
	if s.damaged == nil {
		return err
	}
	s.damaged(err)
	return nil
}
