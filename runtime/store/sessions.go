package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/store/table"
)

// Usable returns why the store can no longer be read or written, or nil.
func (s *Store) Usable() error { return s.usable() }

// Session returns what was put under a session's id, or nil.
func (s *Store) Session(id string) ([]byte, error) {
	return s.get(sessionKey(id), sessionName(id))
}

// PutSession puts body under a session's id and adds parts to the end of its archive, atomically.
// It does not wait for a sync: the next synced write makes it durable (see Durability). There must
// be only one call at a time for a session.
func (s *Store) PutSession(id string, body []byte, archived [][]byte) error {
	if err := s.usable(); err != nil {
		return err
	}
	last, known := s.latest.archived(id)
	if !known {
		var err error
		if last, err = s.LastArchived(id); err != nil {
			return err
		}
	}
	batch := s.write()
	if err := batch.put(sessionKey(id), body); err != nil {
		return err
	}
	for _, part := range archived {
		last++
		if err := batch.put(numbered(kindArchive, id, last), part); err != nil {
			return err
		}
	}
	if err := batch.commit(false); err != nil {
		return err
	}
	s.latest.archives(id, last)
	return nil
}

// LastArchived returns the number of the last part of a session's archive, or 0.
func (s *Store) LastArchived(id string) (uint64, error) {
	if err := s.usable(); err != nil {
		return 0, err
	}
	key, err := s.lastKey(appendPart([]byte{kindArchive}, id))
	if err != nil {
		return 0, classify(err)
	}
	if key != nil && numberOf(key) > 0 {
		return numberOf(key), nil
	}
	return s.droppedParts(id)
}

// droppedParts returns the number of the last part that was dropped from an archive, or 0.
func (s *Store) droppedParts(id string) (uint64, error) {
	what := fmt.Sprintf("the beginning of the archive of session %q", id)
	body, err := s.get(numbered(kindArchive, id, 0), what)
	if err != nil || body == nil {
		return 0, err
	}
	if len(body) != 8 {
		return 0, corrupt(what, "it is not 8 bytes long")
	}
	return binary.BigEndian.Uint64(body), nil
}

// Archives calls fn for each session that has or had an archive, in no particular order, until fn
// returns an error.
func (s *Store) Archives(fn func(id string) error) error {
	for from := []byte{kindArchive}; from != nil; {
		var next []byte
		err := s.scan(from, []byte{kindArchive + 1}, func(key []byte, _ stored) error {
			const head = 1 + 4 // the kind, and the length of the id
			if len(key) < head+8 || int(binary.BigEndian.Uint32(key[1:])) != len(key)-head-8 {
				return corrupt(fmt.Sprintf("archive key %q", key), "it has no id and number")
			}
			next = prefixEnd(key[:len(key)-8])
			if err := fn(string(key[head : len(key)-8])); err != nil {
				return err
			}
			return errEnough
		})
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// DropArchived drops the parts of a session's archive up to a number. The other parts keep their
// numbers, and no number is used again. Like PutSession it does not wait for a sync: after a crash
// the call may have to be repeated.
func (s *Store) DropArchived(id string, upTo uint64) error {
	if err := s.usable(); err != nil {
		return err
	}
	dropped, err := s.droppedParts(id)
	if err != nil {
		return err
	}
	last, err := s.LastArchived(id)
	if upTo = min(upTo, last); err != nil || upTo <= dropped {
		return err
	}
	batch := s.write()
	err = errors.Join(
		batch.dropRange(numbered(kindArchive, id, 1), table.After(numbered(kindArchive, id, upTo))),
		set(batch.Batch, numbered(kindArchive, id, 0), bigEndian(upTo)),
	)
	if err != nil {
		return err
	}
	return batch.commit(false)
}

// ForgetSession puts body under a session's id, drops its archive and the results that it keeps, all
// of them durably, and returns how many parts the archive had (SES-25). No number of a part is used
// again. There must be no PutSession for the session at the same time. Clear removes what was dropped
// from the tables too, which may take a while.
func (s *Store) ForgetSession(id string, body []byte) (parts int, clear func() error, err error) {
	if err := s.usable(); err != nil {
		return 0, nil, err
	}
	dropped, err := s.droppedParts(id)
	if err != nil {
		return 0, nil, err
	}
	last, err := s.LastArchived(id)
	if err != nil {
		return 0, nil, err
	}
	batch, spans := s.write(), forgottenOf(id)
	err = batch.put(sessionKey(id), body)
	for _, span := range spans {
		err = errors.Join(err, batch.dropRange(span.From, span.To))
	}
	if last > 0 {
		err = errors.Join(err, set(batch.Batch, numbered(kindArchive, id, 0), bigEndian(last)))
	}
	if err != nil {
		return 0, nil, err
	}
	if err := batch.commit(true); err != nil {
		return 0, nil, err
	}
	for _, key := range append(batch.gone, sessionKey(id)) {
		spans = append(spans, table.Span{From: key, To: table.After(key)})
	}
	return int(last - dropped), func() error { return s.compactSpans(spans) }, nil
}

// ForgetRequests removes the texts and replies of a session's finished requests, durably, and returns how
// many there were (SES-25). What is left of them keeps their ids from being done again. Clear removes them from
// the tables too.
func (s *Store) ForgetRequests(session string) (requests int, clear func() error, err error) {
	if err := s.usable(); err != nil {
		return 0, nil, err
	}
	batch, spans := s.write(), []table.Span(nil)
	var changed []engine.Request
	err = s.scan([]byte{kindRequestAt}, []byte{kindRequestAt + 1}, func(key []byte, v stored) error {
		r, err := requestAt(key, v)
		if errors.Is(err, ErrCorrupt) {
			return nil // what cannot be read is not shown either
		}
		if of, _ := fsm.Belongs(r.Session, r.Origin); err != nil || of != session || !r.Done || r.Forgotten {
			return err
		}
		r.Text, r.Reply, r.Forgotten = "", "", true
		changed = append(changed, r)
		spans = append(spans, table.Span{From: requestKey(r.Key), To: table.After(requestKey(r.Key))})
		return nil
	})
	if err = errors.Join(err, setRequests(batch, changed)); err != nil {
		return 0, nil, err
	}
	if err := batch.commit(true); err != nil {
		return 0, nil, err
	}
	s.latest.put(changed)
	for _, key := range batch.gone {
		spans = append(spans, table.Span{From: key, To: table.After(key)})
	}
	if len(spans) > compactedMax {
		spans = []table.Span{{From: []byte{kindRequest}, To: []byte{kindRequest + 1}}, {From: []byte{kindOnce}, To: []byte{kindOnce + 1}}}
	}
	return len(changed), func() error { return s.compactSpans(spans) }, nil
}

// forgottenOf returns the spans of a session's archive and of the results that it keeps.
func forgottenOf(id string) []table.Span {
	spans := []table.Span{{From: numbered(kindArchive, id, 1), To: prefixEnd(appendPart([]byte{kindArchive}, id))}}
	for _, kind := range []byte{kindText, kindTextAt} {
		prefix := appendPart([]byte{kind}, fsm.SessionOwner(id))
		spans = append(spans, table.Span{From: prefix, To: prefixEnd(prefix)})
	}
	return spans
}

// Sessions calls fn for each session in the order of ids, until fn returns an error. Body is valid
// until fn returns.
func (s *Store) Sessions(fn func(id string, body []byte) error) error {
	return s.scan([]byte{kindSession}, []byte{kindSession + 1}, func(key []byte, v stored) error {
		id := string(key[1:])
		body, err := v.body(key, sessionName(id))
		if err != nil {
			return err
		}
		return fn(id, body)
	})
}

// Archived calls fn for the parts of a session's archive after number after, in order, until fn
// returns an error: at most limit parts, and never more than engine.ReadMax. Part is valid until fn
// returns.
func (s *Store) Archived(id string, after uint64, limit int, fn func(number uint64, part []byte) error) error {
	return s.some(appendPart([]byte{kindArchive}, id), after, limit, func(key []byte, v stored) (bool, error) {
		number := numberOf(key)
		part, err := v.body(key, fmt.Sprintf("part %d of the archive of session %q", number, id))
		if err != nil {
			return false, err
		}
		return true, fn(number, part)
	})
}
