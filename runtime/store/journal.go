package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
	"shelly/runtime/store/table"
	"shelly/runtime/store/text"
)

// Append implements [engine.Journal]: one batch, one write (JRN-2). The records must follow the
// last one.
func (s *Store) Append(b engine.Batch, sync bool) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.bodies = s.bodies[:0]; cap(s.bodies) > bodiesMax {
		s.bodies = nil
	}
	batch := s.write()
	last, bytes, err := s.encode(batch, b)
	if err != nil {
		return s.failure.fail(err)
	}
	failpoint.Hit(failpoint.AppendBefore)
	if err := batch.commit(sync); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AppendAfter)
	s.latest.put(b.Requests)
	s.extent.appended(last, bytes)
	return nil
}

// bodiesMax is how much of the memory for the bodies of records is kept for the next batch, in bytes.
const bodiesMax = 1 << 20

// encode puts b into batch, and returns the index of the last record and the size of everything in
// b (engine.Size).
func (s *Store) encode(batch *writing, b engine.Batch) (last uint64, bytes int64, err error) {
	_, last = s.extent.ends()
	for _, r := range b.Records {
		if r.Index != last+1 {
			return 0, 0, fmt.Errorf("record %d cannot follow record %d", r.Index, last)
		}
		from := len(s.bodies)
		s.bodies, err = fsm.AppendInput(binary.BigEndian.AppendUint64(s.bodies, r.Effects), r.Input)
		if err != nil {
			return 0, 0, fmt.Errorf("record %d: %w", r.Index, err)
		}
		body := slices.Clip(s.bodies[from:])
		last, bytes = r.Index, bytes+int64(len(body))
		if err := batch.put(recordKey(r.Index), body); err != nil {
			return 0, 0, err
		}
	}
	return last, bytes, errors.Join(setRequests(batch, b.Requests), setMessages(batch, b.Messages), setAudit(batch, b.Audit), s.setTexts(batch, b))
}

// set puts a sealed value into a batch.
func set(batch *pebble.Batch, key, body []byte) error {
	op := batch.SetDeferred(len(key), sumBytes+len(body))
	copy(op.Key, key)
	seal(op.Value, key, body)
	return op.Finish()
}

// commit writes a batch. An error fails the store, and the batch stays with it.
func (s *Store) commit(batch *pebble.Batch, sync bool) error {
	if batch.Empty() && sync {
		// Pebble ignores an empty batch; this one must still sync.
		if err := batch.LogData(nil, nil); err != nil {
			return s.failure.fail(err)
		}
	}
	return s.apply(batch, sync, func() {})
}

// Replay implements [engine.Journal]. A damaged or missing record is an
// ErrCorrupt that names its index.
func (s *Store) Replay(after uint64, fn func(engine.Record) error) error {
	if after == ^uint64(0) {
		return nil
	}
	if err := s.trimmed(after + 1); err != nil {
		return err
	}
	named := false
	err := s.scan(recordKey(after+1), []byte{kindRecord + 1}, func(key []byte, v stored) error {
		index, err := recordIndex(key)
		if err != nil {
			return err
		}
		if index != after+1 {
			if err := s.trimmed(after + 1); err != nil {
				return err // since Replay was called
			}
			return corrupt(recordName(after+1), "it is missing")
		}
		after = index
		r, err := decodeRecord(index, key, v)
		if named = err != nil; named {
			if errors.Is(err, errText) {
				return broken(s.dir, recordName(index)+": "+errText.Error(), err)
			}
			return err
		}
		return fn(r)
	})
	if !named && pebble.IsCorruptionError(err) {
		return corrupt(recordName(after+1), classify(err))
	}
	return err
}

// trimmed returns an error if a record was trimmed.
func (s *Store) trimmed(index uint64) error {
	if first, _ := s.extent.ends(); index < first {
		return fmt.Errorf("%s: %w; the first one kept is %d", recordName(index), engine.ErrTrimmed, first)
	}
	return nil
}

func recordName(index uint64) string { return fmt.Sprintf("journal record %d", index) }

// effectsBytes is the length of the hash of the effects in a record.
const effectsBytes = 8

func decodeRecord(index uint64, key []byte, v stored) (engine.Record, error) {
	body, err := v.body(key, recordName(index))
	if err != nil {
		return engine.Record{}, err
	}
	if len(body) < effectsBytes {
		return engine.Record{}, corrupt(recordName(index), "it is cut short")
	}
	input, err := fsm.UnmarshalInput(body[effectsBytes:])
	if err != nil {
		return engine.Record{}, corrupt(recordName(index), err)
	}
	return engine.Record{Index: index, Input: input, Effects: binary.BigEndian.Uint64(body)}, nil
}

// get returns a copy of the body under key, or nil where there is none.
func (s *Store) get(key []byte, what string) ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	body, err := s.getNow(key, what)
	if !errors.Is(err, errNoText) {
		return body, err
	}
	// The value may have been replaced between the two reads.
	body = nil
	err = s.scan(key, table.After(key), func(key []byte, v stored) error {
		found, err := v.body(key, what)
		body = append([]byte{}, found...)
		return err
	})
	return body, err
}

// getNow reads a value, and then the texts it refers to.
func (s *Store) getNow(key []byte, what string) ([]byte, error) {
	value, closer, err := s.find(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, classify(err))
	}
	body, err := stored{value, s, nil}.body(key, what)
	body = append([]byte{}, body...)
	return body, errors.Join(err, closer.Close())
}

// find is the database's Get, but it asks the filters of the lowest level too. Get does not,
// because it expects the key to exist; most keys that the store looks up do not.
func (s *Store) find(key []byte) ([]byte, io.Closer, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: key, UpperBound: table.After(key), UseL6Filters: true})
	if err != nil {
		return nil, nil, err
	}
	if !it.SeekPrefixGE(key) {
		return nil, nil, cmp.Or(it.Close(), pebble.ErrNotFound)
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, nil, errors.Join(err, it.Close())
	}
	return value, it, nil
}

// scan calls fn for each key in [from, to), in order, until fn returns an error. If that is
// errEnough, scan returns nil. Key and value are valid until fn returns.
func (s *Store) scan(from, to []byte, fn func(key []byte, v stored) error) (err error) {
	if err := s.usable(); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return classify(err)
	}
	defer func() {
		// Close reports what stopped the iteration, if anything did.
		err = errors.Join(err, classify(it.Close()))
	}()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return classify(err)
		}
		if err := fn(it.Key(), stored{value, s, it}); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// stored is a value as it is in the database.
type stored struct {
	value []byte
	store *Store
	at    *pebble.Iterator // that the value was read with; nil: none
}

// body returns the body of a value with its texts filled in, or an error that says what the value
// is. The body may be valid only as long as the value is.
func (v stored) body(key []byte, what string) ([]byte, error) {
	body, err := unseal(key, v.value, what)
	if err != nil {
		return nil, err
	}
	f := form(key, body)
	if f == nil {
		return body, nil
	}
	length, err := text.Length(f)
	if err != nil {
		return nil, corrupt(what, err)
	}
	from := len(body) - len(f)
	full := append(make([]byte, 0, from+min(length, fillBytes)), body[:from]...)
	full, err = text.Fill(full, f, func(r text.Ref, use func([]byte) error) error {
		return v.find(r, func(found []byte) error {
			if key[0] == kindSession && v.at == nil && v.store.known != nil { // a session that goes on is written again
				v.store.known.Note(r.Number, found)
			}
			return use(found)
		})
	})
	switch {
	case err == nil:
		return full, nil
	case unreadable(err) && !pebble.IsCorruptionError(err):
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	return nil, corrupt(what, fmt.Errorf("%w: %w", errText, err))
}

// fillBytes is how much is allocated for a body at first, however long it claims to be.
const fillBytes = 64 << 20

// follow returns a copy of the body under another key, or nil if there was none when the value was
// read: both may have been dropped since.
func (v stored) follow(key []byte, what string) ([]byte, error) {
	body, err := v.store.get(key, what)
	if body != nil || err != nil || v.at == nil {
		return body, err
	}
	_, err = v.earlier(key, func(e stored) error {
		found, err := e.body(key, what)
		body = append([]byte{}, found...)
		return err
	})
	return body, err
}

// size returns the length of the body of a value with its texts filled in.
func (v stored) size(key []byte) int64 {
	body := v.value[min(sumBytes, len(v.value)):]
	if f := form(key, body); f != nil {
		if length, err := text.Length(f); err == nil {
			return int64(len(body) - len(f) + length)
		}
	}
	return int64(len(body))
}

// errText: a value refers to a text that cannot be read. errNoText: that text does not exist.
var (
	errText   = errors.New("a text that it holds cannot be read")
	errNoText = errors.New("it is missing")
)

// find calls use with a text. Damage is remembered: Pebble spends seconds on a large block with a
// wrong checksum, looking for a single bit that would make it right.
func (v stored) find(r text.Ref, use func([]byte) error) error {
	if met, there := v.store.damagedTexts.Load(r.Number); there {
		return met.(error)
	}
	err := v.findNow(r, use)
	if pebble.IsCorruptionError(err) {
		v.store.damagedTexts.Store(r.Number, err)
	}
	return err
}

// findNow is find without remembered damage. What an iterator sees may have been deleted from the
// database since.
func (v stored) findNow(r text.Ref, use func([]byte) error) error {
	key := onceKey(r.Number)
	value, closer, err := v.store.db.Get(key)
	if err == nil {
		err = v.store.useText(key, value, r, use)
		return errors.Join(err, closer.Close())
	}
	if !errors.Is(err, pebble.ErrNotFound) {
		return classify(err)
	}
	if v.at == nil {
		return errNoText
	}
	there, err := v.earlier(key, func(e stored) error { return v.store.useText(key, e.value, r, use) })
	if err == nil && !there {
		err = errNoText
	}
	return err
}

// earlier calls use with the value under another key as it was when v was read, and reports whether
// there was one.
func (v stored) earlier(key []byte, use func(stored) error) (there bool, err error) {
	it, err := v.at.Clone(pebble.CloneOptions{IterOptions: &pebble.IterOptions{LowerBound: key, UpperBound: table.After(key)}})
	if err != nil {
		return false, classify(err)
	}
	if there = it.First(); there {
		var value []byte
		if value, err = it.ValueAndErr(); err == nil {
			err = use(stored{value, v.store, it})
		}
	} else {
		err = it.Error()
	}
	return there, errors.Join(classify(err), classify(it.Close()))
}

func (s *Store) useText(key, value []byte, r text.Ref, use func([]byte) error) error {
	kept, err := unseal(key, value, onceName(r.Number))
	if err != nil {
		return err
	}
	return s.codec.Expand(kept, r.Bytes, use)
}
