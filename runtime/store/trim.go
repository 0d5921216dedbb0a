package store

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Trim implements [engine.Journal]: one batch, so that a crash leaves what was there
// or what is to be there (JRN-20).
func (s *Store) Trim(keep engine.Keep) (out engine.Trimmed, err error) {
	cuts, err := s.cuts()
	if err != nil {
		return out, err
	}
	batch := s.db.NewBatch()
	first := s.first.Load()
	cut := engine.CutOf(cuts, s.bytes, keep)
	if cut >= first {
		out.Records = int(cut - first + 1)
		first = cut + 1
		err = errors.Join(
			batch.DeleteRange([]byte{kindRecord}, recordKey(first), nil),
			batch.DeleteRange([]byte{kindSnapshot}, snapshotKey(cut), nil),
		)
		for _, c := range cuts {
			if c.Index < cut {
				out.Snapshots++
			}
		}
	}
	err = errors.Join(err, s.trimRequests(batch, keep.Since, &out), s.trimMessages(batch, keep.Since, &out), s.trimAudit(batch, keep.Since, &out))
	if err != nil {
		return engine.Trimmed{}, errors.Join(err, batch.Close())
	}
	if batch.Empty() {
		return out, batch.Close()
	}
	if err := s.commit(batch, true); err != nil {
		return engine.Trimmed{}, err
	}
	s.first.Store(first)
	return out, nil
}

// trimRequests drops those that were answered before a time.
func (s *Store) trimRequests(batch *pebble.Batch, since fsm.Millis, out *engine.Trimmed) error {
	return s.scan([]byte{kindRequestAt}, []byte{kindRequestAt + 1}, func(key, value []byte) error {
		r, err := s.requestAt(key, value)
		if err != nil {
			return err
		}
		if r.Accepted >= since {
			return errEnough
		}
		if !r.Done || r.Replied >= since {
			return nil
		}
		out.Requests++
		return errors.Join(batch.Delete(key, nil), batch.Delete(requestKey(r.Key), nil))
	})
}

// trimMessages drops those that were sent before a time, channel by channel.
func (s *Store) trimMessages(batch *pebble.Batch, since fsm.Millis, out *engine.Trimmed) error {
	for from := []byte{kindMessage}; from != nil; {
		var next []byte
		err := s.scan(from, []byte{kindMessage + 1}, func(key, value []byte) error {
			m, err := decode[engine.Message](key, value, "message")
			if err != nil {
				return err
			}
			if m.At >= since {
				next = behind(appendPart([]byte{kindMessage}, m.To.Channel))
				return errEnough
			}
			out.Messages++
			return batch.Delete(key, nil)
		})
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// trimAudit drops the records of calls that ended before a time.
func (s *Store) trimAudit(batch *pebble.Batch, since fsm.Millis, out *engine.Trimmed) error {
	return s.scan([]byte{kindAudit}, []byte{kindAudit + 1}, func(key, value []byte) error {
		position := numberOf(key)
		a, err := decode[engine.Audit](key, value, auditName(position))
		if err != nil {
			return err
		}
		if a.At >= since {
			return errEnough
		}
		out.Audit++
		return errors.Join(batch.Delete(key, nil), batch.Delete(numbered(kindAuditOf, a.Session, position), nil))
	})
}
