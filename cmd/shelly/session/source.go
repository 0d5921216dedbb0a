package session

import (
	"context"
	"errors"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/named"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm/client"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// reader reads sessions. Its errors have exit codes.
type reader struct {
	list    func() ([]session.Listed, error)
	archive func(id string, after uint64) ([]session.Archived, error)
}

// use passes a verb the sessions of the daemon or, if none runs, of the data folder.
func use(p *flags.Place, verb func(r reader) error) error {
	cfg, err := p.Load()
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	src, err := folder.ListsOf(ctx, cfg.Data, func(d *client.Client) reader { return asked(ctx, d) }, stored)
	if err != nil {
		return err
	}
	err = errors.Join(verb(src.Read), src.Close())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// asked reads from a daemon.
func asked(ctx context.Context, daemon *client.Client) reader {
	return reader{
		list: func() ([]session.Listed, error) {
			list, err := daemon.Sessions(ctx)
			return list, exit.Daemon(err)
		},
		archive: func(id string, after uint64) ([]session.Archived, error) {
			list, err := daemon.Archive(ctx, id, after, engine.ReadMax)
			return list, exit.Daemon(err)
		},
	}
}

// stored reads from the store of a data folder.
func stored(s *store.Store) (reader, error) {
	sessions := session.Of(s)
	return reader{
		list: func() ([]session.Listed, error) {
			list, err := sessions.List()
			return list, exit.With(exit.Data, err)
		},
		archive: func(id string, after uint64) ([]session.Archived, error) {
			list, err := sessions.Archive(id, after, engine.ReadMax)
			return list, exit.With(exit.Data, err)
		},
	}, nil
}

// each calls fn with what was said in a session, in order, until fn returns false.
func (r reader) each(id string, after uint64, fn func(session.Archived) bool) error {
	for {
		page, err := r.archive(id, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			if !fn(m) {
				return nil
			}
		}
		after = page[len(page)-1].Number
	}
}

// find returns a session by its id, or by the beginning of it if no other id begins so; the error
// suggests similar ones.
func (r reader) find(id string) (session.Listed, error) {
	all, err := r.list()
	if err != nil {
		return session.Listed{}, err
	}
	l, ok, err := named.One("sessions", id, all, func(l session.Listed) string { return l.ID })
	if ok || err != nil {
		return l, err
	}
	names := make([]string, 0, len(all))
	for _, l := range all {
		names = append(names, l.ID)
	}
	return session.Listed{}, exit.Errorf(exit.NoMatch, "there is no session %s; %s", wording.Word(id), wording.Meant(id, names, "see shelly session list"))
}
