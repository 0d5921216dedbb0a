package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/failpoint"
	"shelly/runtime/store/table"
)

// headBytes is the length of what stands before the state in a snapshot: the size in bytes of all
// records up to it, and the time of the last input.
const headBytes = 16

// SaveSnapshot implements [engine.Journal]. Its sync makes the records before it
// durable too (JRN-13).
func (s *Store) SaveSnapshot(index uint64, snapshot state.Snapshot) error {
	if err := s.usable(); err != nil {
		return err
	}
	after, err := s.recordBytes(index)
	if err != nil {
		return err
	}
	batch := s.write()
	cut := engine.Cut{Index: index, At: snapshot.Now, Bytes: s.extent.bytes - after}
	if err := setSnapshot(batch, cut, snapshot); err != nil {
		return err
	}
	failpoint.Hit(failpoint.SnapshotBefore)
	if err := batch.commit(true); err != nil {
		return err
	}
	failpoint.Hit(failpoint.SnapshotAfter)
	s.extent.saved(cut)
	return s.failure.guard(s.anchorEnd)
}

// setSnapshot puts a snapshot into a batch. Under load it has megabytes, most of which are the
// same conversations again, so it is encoded and compressed handle by handle.
func setSnapshot(batch *writing, cut engine.Cut, snapshot state.Snapshot) error {
	p := batch.store.known.Pack()
	add := func(part any) error {
		text, err := json.Marshal(part)
		if err != nil {
			return fmt.Errorf("encode the snapshot at %d: %w", cut.Index, err)
		}
		p.Add(append(text, '\n'))
		return nil
	}
	handles := snapshot.Handles
	snapshot.Handles = nil
	if err := add(snapshot); err != nil {
		return err
	}
	for i := range handles {
		if err := add(&handles[i]); err != nil {
			return err
		}
	}
	form, texts := p.Form()
	head := binary.BigEndian.AppendUint64(make([]byte, 0, headBytes+len(form)), uint64(cut.Bytes))
	head = binary.BigEndian.AppendUint64(head, uint64(cut.At))
	return batch.hold(snapshotKey(cut.Index), append(head, form...), texts)
}

// decodeSnapshot decodes the state of a snapshot. Up to format 7 its handles are in one object with
// the rest of it.
func decodeSnapshot(data []byte) (snapshot state.Snapshot, err error) {
	lines := json.NewDecoder(bytes.NewReader(data))
	if err := lines.Decode(&snapshot); err != nil {
		return snapshot, err
	}
	for {
		var h state.Handle
		if err := lines.Decode(&h); err == io.EOF {
			return snapshot, nil
		} else if err != nil {
			return snapshot, err
		}
		snapshot.Handles = append(snapshot.Handles, h)
	}
}

// recordBytes returns the size in bytes of the records after an index.
func (s *Store) recordBytes(after uint64) (bytes int64, err error) {
	err = s.scan(recordKey(after+1), []byte{kindRecord + 1}, func(key []byte, v stored) error {
		bytes += v.size(key)
		return nil
	})
	return bytes, err
}

// Snapshot implements [engine.Journal].
func (s *Store) Snapshot(at uint64) (index uint64, snapshot state.Snapshot, err error) {
	if err := s.usable(); err != nil {
		return 0, state.Snapshot{}, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindSnapshot}, UpperBound: table.After(snapshotKey(at))})
	if err != nil {
		return 0, state.Snapshot{}, classify(err)
	}
	defer func() { err = errors.Join(err, classify(it.Close())) }()
	if !it.Last() {
		return 0, state.Snapshot{}, nil
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return 0, state.Snapshot{}, classify(err)
	}
	cut, data, err := readSnapshot(it.Key(), stored{value, s, it})
	if err != nil {
		return 0, state.Snapshot{}, err
	}
	if snapshot, err = decodeSnapshot(data); err != nil {
		return 0, state.Snapshot{}, corrupt(snapshotName(cut.Index), err)
	}
	return cut.Index, snapshot, nil
}

// readSnapshot splits a snapshot into its head and its state.
func readSnapshot(key []byte, v stored) (engine.Cut, []byte, error) {
	cut, err := readCut(key, v)
	if err != nil {
		return cut, nil, err
	}
	body, err := v.body(key, snapshotName(cut.Index))
	if err != nil {
		return cut, nil, err
	}
	return cut, body[headBytes:], nil
}

// readCut reads the head of a snapshot.
func readCut(key []byte, v stored) (engine.Cut, error) {
	if len(key) != 9 {
		return engine.Cut{}, corrupt(fmt.Sprintf("snapshot key %q", key), "it is not 9 bytes long")
	}
	index := numberOf(key)
	body, err := unseal(key, v.value, snapshotName(index))
	if err != nil {
		return engine.Cut{}, err
	}
	if len(body) < headBytes {
		return engine.Cut{}, corrupt(snapshotName(index), "it is cut short")
	}
	bytes, at := binary.BigEndian.Uint64(body), binary.BigEndian.Uint64(body[8:])
	return engine.Cut{Index: index, At: fsm.Millis(at), Bytes: int64(bytes)}, nil
}

func snapshotName(index uint64) string { return fmt.Sprintf("snapshot at record %d", index) }

// cuts returns the head of each snapshot, in order.
func (s *Store) cuts() (cuts []engine.Cut, err error) {
	err = s.scan([]byte{kindSnapshot}, []byte{kindSnapshot + 1}, func(key []byte, v stored) error {
		cut, err := readCut(key, v)
		cuts = append(cuts, cut)
		return err
	})
	return cuts, err
}

// Kept implements [engine.Journal].
func (s *Store) Kept() (engine.Kept, error) {
	if err := s.usable(); err != nil {
		return engine.Kept{}, err
	}
	return s.extent.kept(), nil
}

// refused returns the error that stops an opening: a part that the rest depends on cannot be read.
// If it is damaged, everything is read, so that the error names all the damage.
func (s *Store) refused(what string, err error) error {
	d := (*damage)(nil)
	if !unreadable(err) && (!errors.As(err, &d) || d.whole) {
		return err
	}
	if x, failed := s.Examine(context.Background()); failed == nil && x.Err() != nil {
		what += " cannot be read: " + x.String()
	} else {
		what += " cannot be read"
	}
	return broken(s.dir, what, err)
}

// findEnds finds the first and last record, and the snapshots.
func (s *Store) findEnds() error {
	return s.refused("the last snapshot, or a record after it,", s.readEnds())
}

func (s *Store) readEnds() error {
	cuts, err := s.cuts()
	if err != nil {
		return err
	}
	newest := uint64(0)
	if n := len(cuts); n > 0 {
		newest = cuts[n-1].Index
	}
	first, last, err := s.recordRange()
	if err != nil {
		return err
	}
	after, err := s.recordBytes(newest)
	s.extent = newExtent(first, last, cuts, after)
	return err
}

// recordRange returns the indexes of the first and the last record, or 0 if there are no records.
func (s *Store) recordRange() (first, last uint64, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindRecord}, UpperBound: []byte{kindRecord + 1}})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.First() {
		return 0, 0, nil
	}
	if first, err = recordIndex(it.Key()); err != nil {
		return 0, 0, err
	}
	it.Last()
	last, err = recordIndex(it.Key())
	return first, last, err
}
