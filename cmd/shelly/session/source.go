package session

import (
	"context"
	"errors"
	"math"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/named"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// reader reads sessions. Its errors have exit codes.
type reader struct {
	list    func() ([]session.Listed, error)
	archive func(id string, after uint64) ([]session.Archived, error)
	asked   func(w comm.Wanted) (comm.RequestsBody, error)
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
		asked: func(w comm.Wanted) (comm.RequestsBody, error) {
			body, err := daemon.Requests(ctx, w)
			return body, exit.Daemon(err)
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
		asked: func(w comm.Wanted) (comm.RequestsBody, error) {
			body, err := comm.List(s, nil, w)
			return body, exit.With(exit.Data, err)
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

// over reports whether a session has a request that is done: one may have ended before its turn could be saved.
func (r reader) over(id string) (bool, error) {
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: engine.ReadMax, Session: id}); ; {
		body, err := r.asked(w)
		if err != nil || slices.ContainsFunc(body.Requests, func(of comm.Record) bool { return of.Done }) {
			return err == nil, err
		}
		if w.Before = body.Next; w.Before == 0 {
			return false, nil
		}
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
