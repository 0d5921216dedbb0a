package session

import (
	"encoding/json"
	"fmt"

	"shelly/fsm"
)

// part is one message of an archive, in the store.
type part struct {
	Turn    string      `json:"turn,omitempty"`
	At      fsm.Millis  `json:"at,omitempty"` // when it was archived; 0: by a shelly that did not record it
	Message fsm.Message `json:"message"`
}

// Archived is one message of a session's archive, which holds every turn in full.
type Archived struct {
	Number  uint64      `json:"number"` // from 1
	Turn    string      `json:"turn,omitempty"`
	At      fsm.Millis  `json:"at,omitempty"` // when it was archived; 0: unknown
	Message fsm.Message `json:"message"`
}

// Archive returns the messages of a session's archive after number after: at most limit, and no
// more than the store returns at once.
func (s *Sessions) Archive(id string, after uint64, limit int) ([]Archived, error) {
	var found []Archived
	err := s.store.Archived(id, after, limit, func(number uint64, data []byte) error {
		var p part
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("read part %d of the archive of session %q: %w", number, id, err)
		}
		found = append(found, Archived{Number: number, Turn: p.Turn, At: p.At, Message: p.Message})
		return nil
	})
	return found, err
}

// Listed is what a list of sessions shows of one.
type Listed struct {
	ID       string     `json:"id"`
	Version  uint64     `json:"version"`        // the number of saves
	Messages int        `json:"messages"`       // in its history
	Last     uint64     `json:"last,omitempty"` // the number of the last message of its archive
	At       fsm.Millis `json:"at,omitempty"`   // when that was archived; 0: unknown
}

// counted is a [record] of which the messages are only counted: their texts are most of it.
type counted struct {
	Session struct {
		Version uint64     `json:"version"`
		History []struct{} `json:"history"`
		Pending []struct{} `json:"pending"`
	} `json:"session"`
}

// Of returns the sessions of a store for List and Archive only: it has no files.
func Of(s Store) *Sessions { return &Sessions{store: s} }

// List returns the sessions in the order of ids, except those of which nothing is left.
func (s *Sessions) List() (list []Listed, err error) {
	var all []string
	kept := map[string]counted{}
	err = s.store.Sessions(func(id string, body []byte) error {
		c, err := count(id, body)
		all, kept[id] = append(all, id), c
		return err
	})
	for _, id := range all {
		if err != nil {
			break
		}
		var l Listed
		var left bool
		if l, left, err = s.listed(id, kept[id]); left {
			list = append(list, l)
		}
	}
	return list, err
}

// Known reports whether anything is left of a session.
func (s *Sessions) Known(id string) (bool, error) {
	body, err := s.store.Session(id)
	var kept counted
	if err == nil && body != nil {
		kept, err = count(id, body)
	}
	if err != nil {
		return false, err
	}
	_, left, err := s.listed(id, kept)
	return left, err
}

// count reads how much there is in the record of a session.
func count(id string, body []byte) (kept counted, err error) {
	if err := json.Unmarshal(body, &kept); err != nil {
		return counted{}, fmt.Errorf("read session %q: %w", id, err)
	}
	return kept, nil
}

// listed returns a session as a list shows it, and whether anything is left of what was said in it.
func (s *Sessions) listed(id string, kept counted) (l Listed, left bool, err error) {
	l = Listed{ID: id, Version: kept.Session.Version, Messages: len(kept.Session.History)}
	left = l.Messages+len(kept.Session.Pending) > 0
	if l.Last, err = s.store.LastArchived(id); err != nil || l.Last == 0 {
		return l, left, err
	}
	found, err := s.Archive(id, l.Last-1, 1)
	if len(found) > 0 {
		l.At, left = found[0].At, true
	}
	return l, left, err
}
