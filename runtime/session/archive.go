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
	} `json:"session"`
}

// Of returns the sessions of a store for List and Archive only: it has no files.
func Of(s Store) *Sessions { return &Sessions{store: s} }

// List returns the sessions in the order of ids.
func (s *Sessions) List() ([]Listed, error) {
	var list []Listed
	err := s.store.Sessions(func(id string, body []byte) error {
		var kept counted
		if err := json.Unmarshal(body, &kept); err != nil {
			return fmt.Errorf("read session %q: %w", id, err)
		}
		list = append(list, Listed{ID: id, Version: kept.Session.Version, Messages: len(kept.Session.History)})
		return nil
	})
	for i := range list {
		if err == nil {
			err = s.last(&list[i])
		}
	}
	return list, err
}

// Known reports whether there is a session with this id, or an archive of one.
func (s *Sessions) Known(id string) (bool, error) {
	body, err := s.store.Session(id)
	if err != nil || body != nil {
		return body != nil, err
	}
	last, err := s.store.LastArchived(id)
	return last > 0, err
}

// last fills in what is known of the end of a session's archive.
func (s *Sessions) last(l *Listed) (err error) {
	if l.Last, err = s.store.LastArchived(l.ID); err != nil || l.Last == 0 {
		return err
	}
	found, err := s.Archive(l.ID, l.Last-1, 1)
	if len(found) > 0 {
		l.At = found[0].At
	}
	return err
}
