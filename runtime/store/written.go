package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// setMessages puts messages into a batch.
func setMessages(batch *pebble.Batch, messages []engine.Message) error {
	for _, m := range messages {
		body, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("encode message %q: %w", m.Key, err)
		}
		if err := set(batch, numbered(kindMessage, m.To.Channel, m.Position), body); err != nil {
			return err
		}
	}
	return nil
}

// setAudit puts audit records into a batch, each with its place among those of its
// session.
func setAudit(batch *pebble.Batch, records []engine.Audit) error {
	for _, a := range records {
		body, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("encode the audit of %q: %w", a.Key, err)
		}
		err = errors.Join(
			set(batch, auditKey(a.Position), body),
			set(batch, numbered(kindAuditOf, a.Session, a.Position), nil),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends a scan that has found all it wants.
var errEnough = errors.New("enough")

// some is scan for the keys after the given one, until fn has returned true limit times,
// or engine.ReadMax times where that is less.
func (s *Store) some(prefix []byte, after uint64, limit int, fn func(key, value []byte) (bool, error)) error {
	left := min(limit, engine.ReadMax)
	if left <= 0 || after == ^uint64(0) {
		return s.usable()
	}
	from := append(append([]byte{}, prefix...), bigEndian(after+1)...)
	return s.scan(from, behind(prefix), func(key, value []byte) error {
		taken, err := fn(key, value)
		if err != nil || !taken {
			return err
		}
		if left--; left == 0 {
			return errEnough
		}
		return nil
	})
}

// Messages implements [engine.Journal].
func (s *Store) Messages(to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	if to == (fsm.Origin{}) {
		return s.messagesToAll(after, limit)
	}
	var found []engine.Message
	err := s.some(appendPart([]byte{kindMessage}, to.Channel), after, limit, func(key, value []byte) (bool, error) {
		m, err := decode[engine.Message](key, value, fmt.Sprintf("message %d", numberOf(key)))
		if err != nil || !m.IsTo(to) {
			return false, err
		}
		found = append(found, m)
		return true, nil
	})
	return found, err
}

// messagesToAll is Messages of all channels. The keys are in the order of channels, and
// within one of positions: of each are looked at as many as may be among the first.
func (s *Store) messagesToAll(after uint64, limit int) ([]engine.Message, error) {
	most := min(limit, engine.ReadMax)
	if most <= 0 || after == ^uint64(0) {
		return nil, s.usable()
	}
	var first [][2][]byte // key and value, in the order of positions
	take := func(key, value []byte) error {
		at, _ := slices.BinarySearchFunc(first, numberOf(key), func(f [2][]byte, position uint64) int { return cmp.Compare(numberOf(f[0]), position) })
		if at == most {
			return errEnough
		}
		first = slices.Insert(first, at, [2][]byte{bytes.Clone(key), bytes.Clone(value)})
		first = first[:min(len(first), most)]
		return nil
	}
	for from := []byte{kindMessage}; from != nil; {
		var channel []byte
		err := s.scan(from, []byte{kindMessage + 1}, func(key, _ []byte) error {
			name, _, ok := part(key[1:])
			if !ok {
				return corrupt(fmt.Sprintf("message key %q", key), "it is cut short")
			}
			channel = appendPart([]byte{kindMessage}, string(name))
			return errEnough
		})
		if err != nil || channel == nil {
			from = nil
		} else {
			from = behind(channel)
			err = s.scan(append(bytes.Clone(channel), bigEndian(after+1)...), from, take)
		}
		if err != nil {
			return nil, err
		}
	}
	var found []engine.Message
	for _, f := range first {
		m, err := decode[engine.Message](f[0], f[1], fmt.Sprintf("message %d", numberOf(f[0])))
		if err != nil {
			return found, err
		}
		found = append(found, m)
	}
	return found, nil
}

// Audit implements [engine.Journal].
func (s *Store) Audit(session string, after uint64, limit int) ([]engine.Audit, error) {
	var found []engine.Audit
	take := func(key, value []byte) (bool, error) {
		a, err := decode[engine.Audit](key, value, auditName(numberOf(key)))
		found = append(found, a)
		return true, err
	}
	if session == "" {
		err := s.some([]byte{kindAudit}, after, limit, take)
		return found, err
	}
	err := s.some(appendPart([]byte{kindAuditOf}, session), after, limit, func(key, _ []byte) (bool, error) {
		position := numberOf(key)
		body, err := s.get(auditKey(position), auditName(position))
		if err != nil {
			return false, err
		}
		if body == nil {
			return false, corrupt(auditName(position), "it is missing")
		}
		var a engine.Audit
		if err := json.Unmarshal(body, &a); err != nil {
			return false, corrupt(auditName(position), err)
		}
		found = append(found, a)
		return true, nil
	})
	return found, err
}

func auditName(position uint64) string { return fmt.Sprintf("audit record %d", position) }

// decode reads a sealed JSON value.
func decode[T any](key, value []byte, what string) (T, error) {
	var v T
	body, err := unseal(key, value, what)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, corrupt(what, err)
	}
	return v, nil
}

// setTexts puts texts into a batch, and drops those of an owner that it does not name
// any more, of the batch or of before.
func (s *Store) setTexts(batch *pebble.Batch, b engine.Batch) error {
	var failed error
	for _, t := range b.Texts {
		failed = errors.Join(failed, set(batch, textKey(t.TextKey), append(bigEndian(uint64(t.At)), t.Body...)),
			set(batch, textAtKey(t.TextKey), textTime(t.At, len(t.Body))))
	}
	for _, n := range b.Names {
		var goes []engine.TextKey
		for _, t := range b.Texts {
			goes = append(goes, t.TextKey)
		}
		prefix := appendPart([]byte{kindTextAt}, n.Owner)
		failed = errors.Join(failed, s.scan(prefix, behind(prefix), func(key, _ []byte) error {
			k, err := textKeyOf(key)
			goes = append(goes, k)
			return err
		}))
		for _, k := range goes {
			if k.Owner == n.Owner && !slices.Contains(n.Refs, k.Ref) {
				failed = errors.Join(failed, batch.Delete(textKey(k), nil), batch.Delete(textAtKey(k), nil))
			}
		}
	}
	return failed
}

// Text implements [engine.Journal].
func (s *Store) Text(k engine.TextKey) (string, bool, error) {
	what := textName(k)
	body, err := s.get(textKey(k), what)
	if err != nil || body == nil {
		return "", false, err
	}
	_, text, err := textIn(body, what)
	return text, err == nil, err
}

// Texts counts the texts that are kept.
func (s *Store) Texts() (h Held, err error) {
	if err := s.usable(); err != nil {
		return h, err
	}
	err = s.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key, value []byte) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := unseal(key, value, textName(k))
		if err != nil {
			return err
		}
		h.Texts++
		if rest := body[min(timeBytes, len(body)):]; len(rest) == lengthBytes {
			h.Bytes += int64(binary.BigEndian.Uint64(rest))
			return nil
		}
		text, _, err := s.Text(k)
		h.Bytes += int64(len(text))
		return err
	})
	return h, err
}
