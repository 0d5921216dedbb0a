package store

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// upgrade makes a store that is new or of an older format one of this format, in one write. Format
// 1 has no messages, audit, sessions or name. In format 2 requests do not know their records, and
// the one snapshot has another key and no head. The later formats need no rewriting: in format 3
// boots have no words, which means the first edition (CFG-14), format 4 has no kept texts (TXT-3),
// format 5 no index of the memory (MEM-7), format 6 has a copy of each text wherever it is used
// (JRN-34), format 7 snapshots that are not compressed, and format 8 no text that is. There the new
// number only keeps out older builds, which would not know the words of a newer boot or the text kept
// beside a record, and so decide differently, would put an entry without its part of the index, would
// take a reference for the text itself, or could not read a snapshot or a text.
func (s *Store) upgrade(format uint32) error {
	batch := s.write()
	err := batch.Set(formatKey(), binary.BigEndian.AppendUint32(nil, Format), nil)
	if format < 2 {
		err = errors.Join(err, set(batch.Batch, nameKey(), []byte(rand.Text()[:nameBytes])))
	}
	if format > 0 && format < alike {
		err = errors.Join(err, s.orderRequests(batch), s.moveSnapshot(batch))
	}
	if err != nil {
		return errors.Join(err, batch.Close())
	}
	if err := batch.settle(); err != nil { // nothing else writes yet
		return errors.Join(err, batch.Close())
	}
	if err := s.db.Apply(batch.Batch, pebble.Sync); err != nil || format > 0 {
		return err
	}
	return s.db.Flush() // Pebble has begun the first log of a new database before it had the format whose chunks say what was durable
}

// orderRequests gives each request the index of its record.
func (s *Store) orderRequests(batch *writing) error {
	return s.scan([]byte{kindRecord}, []byte{kindRecord + 1}, func(key []byte, v stored) error {
		index, err := recordIndex(key)
		if err != nil {
			return err
		}
		record, err := decodeRecord(index, key, v)
		if err != nil {
			return err
		}
		in, ok := record.Input.Fact.(fsm.Requested)
		if !ok {
			return nil
		}
		r, ok, err := s.Request(in.Request)
		if err != nil || !ok || r.Accepted != record.Input.At {
			return err
		}
		r.Index = index
		return setRequests(batch, []engine.Request{r})
	})
}

// moveSnapshot moves the snapshot of format 2 to its present key.
func (s *Store) moveSnapshot(batch *writing) error {
	old := []byte{kindSnapshot}
	body, err := s.get(old, "snapshot")
	if err != nil || body == nil {
		return err
	}
	if len(body) < 8 {
		return corrupt("snapshot", "it is cut short")
	}
	index := binary.BigEndian.Uint64(body)
	var snapshot state.Snapshot
	if err := json.Unmarshal(body[8:], &snapshot); err != nil {
		return corrupt("snapshot", err)
	}
	bytes := int64(0)
	err = s.scan([]byte{kindRecord}, recordKey(index+1), func(key []byte, v stored) error {
		bytes += v.size(key)
		return nil
	})
	return errors.Join(err, batch.Delete(old, nil), setSnapshot(batch, engine.Cut{Index: index, At: snapshot.Now, Bytes: bytes}, snapshot))
}
