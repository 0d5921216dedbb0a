package store

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
)

// trimming is one Trim: a batch of what it drops, and how much that is.
type trimming struct {
	*Store
	batch *pebble.Batch
	since fsm.Millis
	first uint64 // the first record that is kept in the end
	out   engine.Trimmed
	bytes int64 // of keys and values
}

// Trim implements [engine.Journal]: one batch, so that a crash leaves what was there
// or what is to be there (JRN-28). What was dropped goes from the disk after it.
func (s *Store) Trim(keep engine.Keep) (engine.Trimmed, error) {
	if err := s.usable(); err != nil {
		return engine.Trimmed{}, err
	}
	t := &trimming{Store: s, batch: s.db.NewBatch(), since: keep.Since}
	cut := s.extent.choose(keep)
	first, _ := s.extent.ends()
	t.first = max(first, cut+1)
	if err := errors.Join(t.records(cut), t.requests(), t.messages(), t.audit(), t.texts(keep)); err != nil {
		return engine.Trimmed{}, errors.Join(err, t.batch.Close())
	}
	if cut > 0 {
		// Before it is so: a concurrent reader then learns that they are gone, and not
		// that they are missing.
		records, snapshots, bytes := s.extent.trim(cut)
		t.out.Records, t.out.Snapshots, t.bytes = records, snapshots, t.bytes+bytes
	}
	if t.batch.Empty() {
		return t.out, t.batch.Close()
	}
	failpoint.Hit(failpoint.TrimBefore)
	if err := s.commit(t.batch, true); err != nil {
		return engine.Trimmed{}, err
	}
	s.latest.clear()
	failpoint.Hit(failpoint.TrimAfter)
	s.freed(t.bytes)
	return t.out, nil
}

// records drops those up to a snapshot, and the snapshots before it.
func (t *trimming) records(cut uint64) error {
	if cut == 0 {
		return nil
	}
	return errors.Join(
		t.batch.DeleteRange([]byte{kindRecord}, recordKey(cut+1), nil),
		t.batch.DeleteRange([]byte{kindSnapshot}, snapshotKey(cut), nil),
	)
}

// drop deletes a key whose value has the given size in bytes.
func (t *trimming) drop(bytes int, keys ...[]byte) (err error) {
	t.bytes += int64(bytes)
	for _, key := range keys {
		t.bytes += int64(len(key))
		err = errors.Join(err, t.batch.Delete(key, nil))
	}
	return err
}

// sweep is where the next Trim goes on, kind by kind, where the last one has dropped as
// much as it may: what is deleted already need not be passed over again. It belongs to
// the goroutine that trims.
type sweep map[byte][]byte

// each calls fn for each key of a kind from where the last Trim has left it, or from the
// first one where nothing after that is dropped. It ends when fn returns errEnough, or
// when dropped, which fn counts, is TrimMax.
func (t *trimming) each(kind byte, dropped *int, fn func(key, value []byte) error) error {
	from, resumed := t.sweep[kind]
	if !resumed {
		from = []byte{kind}
	}
	delete(t.sweep, kind)
	err := t.scan(from, []byte{kind + 1}, func(key, value []byte) error {
		if *dropped == engine.TrimMax {
			t.sweep[kind] = bytes.Clone(key)
			return errEnough
		}
		return fn(key, value)
	})
	if err == nil && resumed && *dropped == 0 {
		return t.each(kind, dropped, fn)
	}
	return err
}

// requests drops those that were answered before the time.
func (t *trimming) requests() error {
	return t.each(kindRequestAt, &t.out.Requests, func(key, value []byte) error {
		r, err := t.requestAt(key, value)
		if err != nil {
			return err
		}
		if r.Accepted >= t.since {
			return errEnough
		}
		if !r.Done || r.Replied >= t.since {
			return nil
		}
		t.out.Requests++
		return t.drop(len(r.Text)+len(r.Reply), key, requestKey(r.Key))
	})
}

// messages drops those that were sent before the time, channel by channel.
func (t *trimming) messages() error {
	for from := []byte{kindMessage}; from != nil; {
		var next []byte
		err := t.scan(from, []byte{kindMessage + 1}, func(key, value []byte) error {
			if t.out.Messages == engine.TrimMax {
				return errEnough
			}
			m, err := decode[engine.Message](key, value, "message")
			if err != nil {
				return err
			}
			if m.At >= t.since {
				next = behind(appendPart([]byte{kindMessage}, m.To.Channel))
				return errEnough
			}
			t.out.Messages++
			return t.drop(len(value), key)
		})
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// audit drops the records of calls that ended before the time, or at a step that is dropped.
func (t *trimming) audit() error {
	return t.each(kindAudit, &t.out.Audit, func(key, value []byte) error {
		position := numberOf(key)
		a, err := decode[engine.Audit](key, value, auditName(position))
		if err != nil {
			return err
		}
		if a.At >= t.since && engine.IndexOf(position) >= t.first {
			return errEnough
		}
		t.out.Audit++
		return t.drop(len(value), key, numbered(kindAuditOf, a.Session, position))
	})
}

// texts drops those that are old, and those of handles that are done.
func (t *trimming) texts(keep engine.Keep) error {
	return t.each(kindTextAt, &t.out.Texts, func(key, value []byte) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := unseal(key, value, textName(k))
		if err != nil {
			return err
		}
		at, _, err := textIn(body, textName(k))
		if err != nil || !keep.Forgets(engine.Text{TextKey: k, At: at}) {
			return err
		}
		t.out.Texts++
		return t.drop(t.textBytes(k), key, textKey(k))
	})
}

// textBytes is how long a text is, as it is stored.
func (t *trimming) textBytes(k engine.TextKey) int {
	value, closer, err := t.db.Get(textKey(k))
	if err != nil {
		return 0
	}
	defer closer.Close()
	return len(value)
}
