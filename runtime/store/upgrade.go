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

// upgrade makes a store that is new or of an older format one of this format, in one
// write. One of format 1 has no messages, audit, sessions and name; in one of format 2
// requests do not know their records, and the one snapshot has another key and no
// head. Those of format 3 have boots without words, which mean the first edition
// (CFG-14), those of format 4 no kept texts (TXT-3), those of format 5 no index of the
// memory (MEM-7), and those of format 6 each text wherever it is held (JRN-34), so nothing in
// one is rewritten: the number keeps an older build from deciding differently, which would not
// know the words of a newer boot or what of a result is kept beside its record, from putting an
// entry without its part of the index, and from taking a reference for what was said.
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
	if err := batch.settle(); err != nil { // nobody else writes yet
		return errors.Join(err, batch.Close())
	}
	return s.db.Apply(batch.Batch, pebble.Sync)
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

// moveSnapshot puts the snapshot of format 2 under its key of today.
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
