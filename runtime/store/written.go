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
func setMessages(batch *writing, messages []engine.Message) error {
	for _, m := range messages {
		body, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("encode message %q: %w", m.Key, err)
		}
		if err := batch.put(numbered(kindMessage, m.To.Channel, m.Position), body); err != nil {
			return err
		}
	}
	return nil
}

// setAudit puts audit records into a batch, each with its place in its session's audit.
func setAudit(batch *writing, records []engine.Audit) error {
	for _, a := range records {
		body, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("encode the audit of %q: %w", a.Key, err)
		}
		err = errors.Join(
			batch.put(auditKey(a.Position), body),
			set(batch.Batch, numbered(kindAuditOf, a.Session, a.Position), nil),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends a scan that has found all that it needs.
var errEnough = errors.New("enough")

// some is scan for the keys after number after. It ends when fn has returned true min(limit,
// engine.ReadMax) times.
func (s *Store) some(prefix []byte, after uint64, limit int, fn func(key []byte, v stored) (bool, error)) error {
	left := min(limit, engine.ReadMax)
	if left <= 0 || after == ^uint64(0) {
		return s.usable()
	}
	from := append(append([]byte{}, prefix...), bigEndian(after+1)...)
	return s.scan(from, prefixEnd(prefix), func(key []byte, v stored) error {
		taken, err := fn(key, v)
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
	err := s.some(appendPart([]byte{kindMessage}, to.Channel), after, limit, func(key []byte, v stored) (bool, error) {
		m, err := decode[engine.Message](key, v, fmt.Sprintf("message %d", numberOf(key)))
		if err != nil || !m.IsTo(to) {
			return false, err
		}
		found = append(found, m)
		return true, nil
	})
	return found, err
}

// messagesToAll is Messages for all channels. Keys are in the order of channels, and within a
// channel of positions: in each channel it looks only at as many as could be among the first.
func (s *Store) messagesToAll(after uint64, limit int) ([]engine.Message, error) {
	most := min(limit, engine.ReadMax)
	if most <= 0 || after == ^uint64(0) {
		return nil, s.usable()
	}
	var first []engine.Message // in order of position
	take := func(key []byte, v stored) error {
		at, _ := slices.BinarySearchFunc(first, numberOf(key), func(m engine.Message, position uint64) int { return cmp.Compare(m.Position, position) })
		if at == most {
			return errEnough
		}
		m, err := decode[engine.Message](key, v, fmt.Sprintf("message %d", numberOf(key)))
		first = slices.Insert(first, at, m)
		first = first[:min(len(first), most)]
		return err
	}
	for from := []byte{kindMessage}; from != nil; {
		var channel []byte
		err := s.scan(from, []byte{kindMessage + 1}, func(key []byte, _ stored) error {
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
			from = prefixEnd(channel)
			err = s.scan(append(bytes.Clone(channel), bigEndian(after+1)...), from, take)
		}
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}

// Audit implements [engine.Journal].
func (s *Store) Audit(session string, after uint64, limit int) ([]engine.Audit, error) {
	var found []engine.Audit
	take := func(key []byte, v stored) (bool, error) {
		a, err := decode[engine.Audit](key, v, auditName(numberOf(key)))
		found = append(found, a)
		return true, err
	}
	if session == "" {
		err := s.some([]byte{kindAudit}, after, limit, take)
		return found, err
	}
	err := s.some(appendPart([]byte{kindAuditOf}, session), after, limit, func(key []byte, v stored) (bool, error) {
		position := numberOf(key)
		a, err := pointed[engine.Audit](v, auditKey(position), auditName(position))
		found = append(found, a)
		return true, err
	})
	return found, err
}

// auditName names a record by its position, as the audit has it, and by the journal record that wrote
// it, as the steps of requests are numbered.
func auditName(position uint64) string {
	return fmt.Sprintf("audit record %d of journal record %d", position, engine.IndexOf(position))
}

// decode reads a sealed JSON value.
func decode[T any](key []byte, v stored, what string) (T, error) {
	var found T
	body, err := v.body(key, what)
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return found, corrupt(what, err)
	}
	return found, nil
}

// pointed reads the sealed JSON value under the key that a value points to.
func pointed[T any](v stored, key []byte, what string) (T, error) {
	var found T
	body, err := v.follow(key, what)
	switch {
	case err != nil:
		return found, err
	case body == nil:
		return found, corrupt(what, "it is missing")
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return found, corrupt(what, err)
	}
	return found, nil
}

// setTexts puts texts into a batch. For each owner in b.Names it drops the texts that are not named
// there, whether they are in the batch or were stored before.
func (s *Store) setTexts(batch *writing, b engine.Batch) error {
	var failed error
	for _, t := range b.Texts {
		failed = errors.Join(failed, batch.put(textKey(t.TextKey), append(bigEndian(uint64(t.At)), t.Body...)),
			set(batch.Batch, textAtKey(t.TextKey), textTime(t.At, len(t.Body))))
	}
	for _, n := range b.Names {
		var goes []engine.TextKey
		for _, t := range b.Texts {
			goes = append(goes, t.TextKey)
		}
		prefix := appendPart([]byte{kindTextAt}, n.Owner)
		failed = errors.Join(failed, s.scan(prefix, prefixEnd(prefix), func(key []byte, _ stored) error {
			k, err := textKeyOf(key)
			goes = append(goes, k)
			return err
		}))
		for _, k := range goes {
			if k.Owner == n.Owner && !slices.Contains(n.Refs, k.Ref) {
				failed = errors.Join(failed, batch.drop(textKey(k)), batch.Delete(textAtKey(k), nil))
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

// Texts counts the texts that are stored.
func (s *Store) Texts() (h Held, err error) {
	if err := s.usable(); err != nil {
		return h, err
	}
	err = s.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key []byte, v stored) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := v.body(key, textName(k))
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

// setRequests puts request records into a batch, each with its place in the order of all.
func setRequests(batch *writing, requests []engine.Request) error {
	for _, r := range requests {
		body, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode request %q: %w", r.Key.ID, err)
		}
		key := requestKey(r.Key)
		if err := errors.Join(batch.put(key, body), set(batch.Batch, requestAtKey(r.Index), key)); err != nil {
			return err
		}
	}
	return nil
}

// Request implements [engine.Journal]. The request has its reply, even after a restart (COM-8).
func (s *Store) Request(key fsm.RequestKey) (r engine.Request, ok bool, err error) {
	if err := s.usable(); err != nil {
		return engine.Request{}, false, err
	}
	if r, ok := s.latest.get(key); ok {
		return r, true, nil
	}
	return s.request(requestKey(key), key.ID)
}

// request reads the record under a key; id names it in errors.
func (s *Store) request(key []byte, id string) (r engine.Request, ok bool, err error) {
	what := fmt.Sprintf("request %q", id)
	body, err := s.get(key, what)
	if err != nil || body == nil {
		return engine.Request{}, false, err
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return engine.Request{}, false, corrupt(what, err)
	}
	return r, true, nil
}

// Requests implements [engine.Journal].
func (s *Store) Requests(before uint64, limit int) (found []engine.Request, err error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindRequestAt}, UpperBound: requestAtKey(before)})
	if err != nil {
		return nil, classify(err)
	}
	defer func() { err = errors.Join(err, classify(it.Close())) }()
	for ok := it.Last(); ok && len(found) < min(limit, engine.ReadMax); ok = it.Prev() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, classify(err)
		}
		r, err := requestAt(it.Key(), stored{value, s, it})
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// requestAt reads the record that an entry in the order of requests points to.
func requestAt(key []byte, v stored) (engine.Request, error) {
	what := fmt.Sprintf("the request of record %d", numberOf(key))
	at, err := unseal(key, v.value, what)
	if err != nil {
		return engine.Request{}, err
	}
	return pointed[engine.Request](v, at, what)
}
