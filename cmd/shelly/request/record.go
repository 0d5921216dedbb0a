package request

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/named"
	"shelly/cmd/shelly/internal/past"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/sim/history"
)

// journalled has the flags that choose the journal to look in.
type journalled struct {
	flags.Place
	Channel string `placeholder:"NAME" help:"Channel of the request, if several share its id."`
}

// open opens the journal for reading.
func (r *journalled) open() (*folder.Journal, error) {
	return folder.OpenJournal(context.Background(), r.Place)
}

// find returns the key of the request with an id, as record does.
func (r *journalled) find(j engine.Reader, id string) (fsm.RequestKey, error) {
	if !comm.CanBeID(id) {
		_, err := named.Only(id, r.Channel, nil)
		return fsm.RequestKey{}, err
	}
	key := fsm.RequestKey{Principal: comm.Principal, Channel: cmp.Or(r.Channel, comm.ChannelHTTP), ID: id}
	switch _, ok, err := j.Request(key); {
	case err != nil:
		return fsm.RequestKey{}, exit.With(exit.Data, err)
	case ok:
		return key, nil
	}
	all, err := requestsSince(j, 0)
	if err != nil {
		return fsm.RequestKey{}, err
	}
	var found []fsm.RequestKey
	run, isRun := past.RunID(id)
	for _, q := range all {
		if isRun && q.Handle == run && (r.Channel == "" || q.Key.Channel == r.Channel) { // as the log and the status name it
			return q.Key, nil
		}
		if strings.HasPrefix(q.Key.ID, id) {
			found = append(found, q.Key)
		}
	}
	return named.Only(id, r.Channel, found)
}

// recorded is find for a verb that takes no runs.
func (r *journalled) recorded(j engine.Reader, id string) (fsm.RequestKey, error) {
	key, err := r.find(j, id)
	if run, is := runID(id, err); is {
		if _, wrong := past.RunOf(j, run); wrong == nil {
			err = exit.Errorf(exit.NoMatch, "%s is a run, not a request; request replay with a model takes requests alone", id)
		}
	}
	return key, err
}

// history returns what happened to the request or the run with an id, from its first record on.
func (r *journalled) history(j engine.Reader, id string) (history.History, error) {
	return r.historyBy(j, id, history.Of)
}

// historyBy is history; of reads that of a request.
func (r *journalled) historyBy(j engine.Reader, id string, of func(engine.Reader, fsm.RequestKey) (history.History, error)) (h history.History, err error) {
	key, err := r.find(j, id)
	if run, is := runID(id, err); is {
		switch found, wrong := past.RunOf(j, run); {
		case wrong == nil:
			h, err = history.OfRun(j, found)
			return h, exit.History(err)
		case !errors.Is(wrong, history.ErrNone):
			return h, exit.History(wrong)
		}
	}
	if err != nil {
		return h, err
	}
	h, err = of(j, key)
	return h, exit.History(err)
}

// runID returns the handle of the run that an id means if no request was found by it: err is the
// error of that search.
func runID(id string, err error) (fsm.HandleID, bool) {
	run, is := past.RunID(id)
	return run, is && err != nil && exit.Code(err, io.Discard) == exit.NoMatch
}

// requestsSince returns the requests that were accepted at a time or after it, the
// latest first.
func requestsSince(j engine.Reader, at fsm.Millis) ([]engine.Request, error) {
	var all []engine.Request
	for before := uint64(math.MaxUint64); ; {
		page, err := j.Requests(before, engine.ReadMax)
		if err != nil {
			return nil, exit.With(exit.Data, err)
		}
		for _, r := range page {
			if r.Accepted >= at {
				all = append(all, r)
			}
		}
		if len(page) == 0 || page[len(page)-1].Accepted < at {
			return all, nil
		}
		before = page[len(page)-1].Index
	}
}

// standingsOf returns where the unfinished handles stand after the last record.
func standingsOf(j engine.Reader) ([]comm.Standing, error) {
	kept, err := j.Kept()
	if err != nil {
		return nil, err
	}
	state, err := engine.StateAt(j, kept.Last)
	if err != nil {
		return nil, err
	}
	return comm.Standings(&state), nil
}

// daemon returns a client of the daemon that the configuration names.
func (r *journalled) daemon() (*client.Client, error) {
	cfg, err := r.Load()
	if err != nil {
		return nil, err
	}
	return client.New(cfg.Data, client.Options{}), nil
}

// record returns the daemon's record of the request with an id, as [named.Record] does.
func (r *journalled) record(ctx context.Context, daemon *client.Client, id string) (comm.Record, error) {
	return named.Record(ctx, daemon, id, r.Channel)
}
