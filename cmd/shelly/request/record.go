package request

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// journalled is the flags that name the journal in which requests are looked up.
type journalled struct {
	flags.Place
	Channel string `placeholder:"NAME" help:"Channel of the request, if several share its id."`
}

// open opens the journal to read.
func (r *journalled) open() (engine.Reader, func() error, error) {
	s, err := folder.OpenJournal(context.Background(), r.Place)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// find returns the key of the request with an id.
func (r *journalled) find(j engine.Reader, id string) (fsm.RequestKey, error) {
	channel := r.Channel
	if channel == "" {
		channel = comm.ChannelHTTP
	}
	key := fsm.RequestKey{Principal: comm.Principal, Channel: channel, ID: id}
	switch _, ok, err := j.Request(key); {
	case err != nil:
		return fsm.RequestKey{}, exit.With(exit.Data, err)
	case ok:
		return key, nil
	case r.Channel != "":
		return fsm.RequestKey{}, exit.Errorf(exit.NoMatch, "there is no request %q of channel %s", id, channel)
	}
	all, err := requestsSince(j, 0)
	if err != nil {
		return fsm.RequestKey{}, err
	}
	var found []fsm.RequestKey
	var channels []string
	for _, q := range all {
		if q.Key.ID == id {
			found, channels = append(found, q.Key), append(channels, q.Key.Channel)
		}
	}
	switch len(found) {
	case 0:
		return fsm.RequestKey{}, exit.Errorf(exit.NoMatch, "there is no request %q", id)
	case 1:
		return found[0], nil
	default:
		return fsm.RequestKey{}, exit.Errorf(exit.Usage, "several channels have a request %q: name one of them with --channel: %s", id, strings.Join(channels, ", "))
	}
}

// requestsSince returns the requests that were accepted at a time or behind it, the
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

// standingsOf is where the unfinished handles stand behind the last record.
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

// daemon returns the client of the daemon that the configuration names.
func (r *journalled) daemon() (*client.Client, error) {
	cfg, err := r.Load()
	if err != nil {
		return nil, err
	}
	return client.New(cfg.Data, client.Options{}), nil
}

// record returns the daemon's record of the request with an id: of the channel that is
// named, of that of ask, or of the only one that has the id.
func (r *journalled) record(ctx context.Context, daemon *client.Client, id string) (comm.Record, error) {
	known, err := daemon.Get(ctx, id, r.Channel)
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, client.ErrNotFound) || r.Channel != "" {
		return comm.Record{}, exit.Daemon(err)
	}
	var found []comm.Record
	var channels []string
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: 100, ID: id}); ; {
		body, err := daemon.Requests(ctx, w)
		if err != nil {
			return comm.Record{}, exit.Daemon(err)
		}
		for _, one := range body.Requests {
			found, channels = append(found, one), append(channels, one.Channel)
		}
		if w.Before = body.Next; w.Before == 0 {
			break
		}
	}
	slices.Sort(channels)
	switch len(found) {
	case 0:
		return comm.Record{}, exit.Errorf(exit.NoMatch, "there is no request %q; see shelly request list", id)
	case 1:
		return found[0], nil
	default:
		return comm.Record{}, exit.Errorf(exit.Usage, "several channels have a request %q: name one of them with --channel: %s", id, strings.Join(channels, ", "))
	}
}
