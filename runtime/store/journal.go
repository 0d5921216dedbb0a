package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
)

// Append implements [engine.Journal]: one batch, one write (JRN-2). Records must follow
// the last one.
func (s *Store) Append(b engine.Batch, sync bool) error {
	if err := s.usable(); err != nil {
		return err
	}
	batch := s.db.NewBatch()
	last, bytes, err := s.encode(batch, b)
	if err != nil {
		return s.failure.fail(err)
	}
	failpoint.Hit(failpoint.AppendBefore)
	if err := s.commit(batch, sync); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AppendAfter)
	s.latest.put(b.Requests)
	s.extent.appended(last, bytes)
	return nil
}

// encode puts b into batch and returns the index of the last record and the size of
// all in b (engine.Size).
func (s *Store) encode(batch *pebble.Batch, b engine.Batch) (last uint64, bytes int64, err error) {
	_, last = s.extent.ends()
	for _, r := range b.Records {
		if r.Index != last+1 {
			return 0, 0, fmt.Errorf("record %d cannot follow record %d", r.Index, last)
		}
		input, err := fsm.MarshalInput(r.Input)
		if err != nil {
			return 0, 0, fmt.Errorf("record %d: %w", r.Index, err)
		}
		body := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(input)), r.Effects)
		body = append(body, input...)
		last, bytes = r.Index, bytes+int64(len(body))
		if err := set(batch, recordKey(r.Index), body); err != nil {
			return 0, 0, err
		}
	}
	return last, bytes, errors.Join(setRequests(batch, b.Requests), setMessages(batch, b.Messages), setAudit(batch, b.Audit), s.setTexts(batch, b))
}

// set puts a sealed value into a batch.
func set(batch *pebble.Batch, key, body []byte) error {
	return batch.Set(key, seal(key, body), nil)
}

// commit writes a batch. An error fails the store, and the batch is left to it.
func (s *Store) commit(batch *pebble.Batch, sync bool) error {
	if batch.Empty() && sync {
		// Pebble takes no notice of an empty batch; this one is still a sync.
		if err := batch.LogData(nil, nil); err != nil {
			return s.failure.fail(err)
		}
	}
	options := pebble.NoSync
	if sync {
		options = pebble.Sync
	}
	if err := s.failure.guard(func() error { return s.db.Apply(batch, options) }); err != nil {
		return err
	}
	return batch.Close()
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
	err := s.scan(recordKey(after+1), []byte{kindRecord + 1}, func(key, value []byte) error {
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
		r, err := decodeRecord(index, key, value)
		if err != nil {
			return err
		}
		return fn(r)
	})
	if pebble.IsCorruptionError(err) {
		return corrupt(recordName(after+1), classify(err))
	}
	return err
}

// trimmed returns an error where a record was trimmed.
func (s *Store) trimmed(index uint64) error {
	if first, _ := s.extent.ends(); index < first {
		return fmt.Errorf("%s: %w; the first that is there is %d", recordName(index), engine.ErrTrimmed, first)
	}
	return nil
}

func recordName(index uint64) string { return fmt.Sprintf("journal record %d", index) }

func decodeRecord(index uint64, key, value []byte) (engine.Record, error) {
	body, err := unseal(key, value, recordName(index))
	if err != nil {
		return engine.Record{}, err
	}
	if len(body) < 8 {
		return engine.Record{}, corrupt(recordName(index), "it is cut short")
	}
	input, err := fsm.UnmarshalInput(body[8:])
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
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, classify(err))
	}
	body, err := unseal(key, value, what)
	body = append([]byte{}, body...)
	return body, errors.Join(err, closer.Close())
}

// scan calls fn for each key in [from, to), in order, until it returns an error,
// of which errEnough is none. Key and value are valid until fn returns.
func (s *Store) scan(from, to []byte, fn func(key, value []byte) error) (err error) {
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
		if err := fn(it.Key(), value); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
