package request

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/past"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
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
func (r *journalled) open() (engine.Reader, func() error, error) {
	s, err := folder.OpenJournal(context.Background(), r.Place)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// find returns the key of the request with an id, as record does.
func (r *journalled) find(j engine.Reader, id string) (fsm.RequestKey, error) {
	if !comm.CanBeID(id) {
		_, err := r.only(id, nil)
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
	run, named := past.RunID(id)
	for _, q := range all {
		if named && q.Handle == run && (r.Channel == "" || q.Key.Channel == r.Channel) { // as the log and the status name it
			return q.Key, nil
		}
		if strings.HasPrefix(q.Key.ID, id) {
			found = append(found, q.Key)
		}
	}
	i, err := r.only(id, found)
	if err != nil {
		return fsm.RequestKey{}, err
	}
	return found[i], nil
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
func (r *journalled) history(j engine.Reader, id string) (h history.History, err error) {
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
	h, err = history.Of(j, key)
	return h, exit.History(err)
}

// runID returns the handle of the run that an id means if no request was found by it: err is the
// error of that search.
func runID(id string, err error) (fsm.HandleID, bool) {
	run, is := past.RunID(id)
	return run, is && err != nil && exit.Code(err, io.Discard) == exit.NoMatch
}

// only returns the index of the request that text means: the one with this id, or the only one
// whose id begins with it, of the channel that is named.
func (r *journalled) only(text string, found []fsm.RequestKey) (int, error) {
	var exact, begins []int
	var channels, ids []string
	for i, key := range found {
		if text == "" || r.Channel != "" && key.Channel != r.Channel {
			continue
		}
		if key.ID == text {
			exact, channels = append(exact, i), append(channels, key.Channel)
		}
		begins, ids = append(begins, i), append(ids, key.ID)
	}
	slices.Sort(channels)
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1:
		return 0, exit.Errorf(exit.Usage, "several channels have a request %q: name one of them with --channel: %s", text, strings.Join(channels, ", "))
	case len(begins) == 1:
		return begins[0], nil
	case len(begins) > 1:
		return 0, exit.Errorf(exit.Usage, "the ids of %d requests begin with %q, such as %s and %s; give more characters", len(begins), text, ids[0], ids[1])
	case r.Channel != "":
		return 0, exit.Errorf(exit.NoMatch, "there is no request %s of channel %s; see shelly request list", wording.Quote(text), wording.Word(r.Channel))
	default:
		return 0, exit.Errorf(exit.NoMatch, "there is no request %s; see shelly request list", wording.Quote(text))
	}
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

// record returns the daemon's record of the request with an id: of the named channel, else of
// the channel of ask, else the only one that has the id or begins with it.
func (r *journalled) record(ctx context.Context, daemon *client.Client, id string) (comm.Record, error) {
	if !comm.CanBeID(id) {
		_, err := r.only(id, nil)
		return comm.Record{}, err
	}
	known, err := daemon.Get(ctx, id, r.Channel)
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, client.ErrNotFound) {
		return comm.Record{}, exit.Daemon(err)
	}
	var found []comm.Record
	var keys []fsm.RequestKey
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: 100, Prefix: id}); ; {
		body, err := daemon.Requests(ctx, w)
		if err != nil {
			return comm.Record{}, exit.Daemon(err)
		}
		for _, one := range body.Requests {
			found, keys = append(found, one), append(keys, fsm.RequestKey{Channel: one.Channel, ID: one.ID})
		}
		if w.Before = body.Next; w.Before == 0 {
			break
		}
	}
	i, err := r.only(id, keys)
	if err != nil {
		return comm.Record{}, err
	}
	return found[i], nil
}
