package folder

import (
	"context"
	"errors"
	"io"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/fsm/engine"
	"shelly/runtime/comm/client"
	"shelly/runtime/store"
)

// Journal is a journal opened for diagnosis: through the daemon that runs for a data folder, or
// else from the folder itself. Reading changes nothing.
//
//	src, err := folder.OpenJournal(ctx, place)
//	if err != nil { … }
//	defer src.Close()
//	r, ok, err := src.Request(key)            // engine.Request; Body is empty from a daemon
//	list, err := src.Requests(before, limit)  // the latest first
//	kept, err := src.Kept()
//	h, err := history.Of(src, key)            // a Journal is an engine.Reader
//
// With a daemon each call reads what is durable at that time: a range begins at the snapshot
// before it and is streamed, so neither side holds a whole journal in memory.
type Journal struct {
	engine.Reader
	Running bool // a daemon answers
	close   func() error
	examine func(context.Context) (store.Examination, error)
}

// Examine reads everything and names what is damaged (JRN-30). A daemon does that by making a
// backup that is discarded, so there are no figures for what is sound.
func (s *Journal) Examine(ctx context.Context) (store.Examination, error) { return s.examine(ctx) }

// Close releases the data folder.
func (s *Journal) Close() error { return s.close() }

// OpenJournal opens the journal that the configuration names. Its errors have exit codes. A
// daemon's journal can be read until ctx ends.
func OpenJournal(ctx context.Context, p flags.Place) (*Journal, error) {
	cfg, err := p.Load()
	if err != nil {
		return nil, err
	}
	return JournalOf(ctx, cfg.Data)
}

// JournalOf opens the journal of a data folder.
func JournalOf(ctx context.Context, data string) (*Journal, error) {
	daemon := client.New(data, client.Options{})
	j := daemon.Journal(ctx)
	_, err := j.Kept()
	switch {
	case err == nil:
		examine := func(ctx context.Context) (store.Examination, error) {
			return store.Examination{Damage: []string{}, Held: []string{}, Missing: []string{}}, daemon.Backup(ctx, io.Discard)
		}
		return &Journal{Reader: j, Running: true, close: func() error { return nil }, examine: examine}, nil
	case errors.Is(err, client.ErrNotRunning):
		return storedJournal(data)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, client.ErrUnauthorized), errors.Is(err, client.ErrNoAccess), errors.Is(err, client.ErrEndpoint), errors.Is(err, engine.ErrDamaged):
		return nil, exit.Daemon(err)
	default:
		return nil, exit.With(exit.Unreachable, err)
	}
}

// storedJournal opens the store of a data folder that no daemon uses.
func storedJournal(data string) (*Journal, error) {
	s, err := ReadStore(data)
	if err != nil {
		return nil, err
	}
	return &Journal{Reader: s, close: s.Close, examine: s.Examine}, nil
}
