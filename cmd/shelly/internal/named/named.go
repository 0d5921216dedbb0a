// Package named finds the request that a person means by its id, or by the beginning of it.
package named

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// Daemon is a [client.Client].
type Daemon interface {
	Get(ctx context.Context, id, channel string) (comm.Record, error)
	Requests(ctx context.Context, w comm.Wanted) (comm.RequestsBody, error)
}

// Record returns the daemon's record of the request with an id: of the named channel, else of the
// channel of ask, else the only one that has the id or begins with it.
func Record(ctx context.Context, daemon Daemon, id, channel string) (comm.Record, error) {
	if !comm.CanBeID(id) {
		_, err := Only(id, channel, nil)
		return comm.Record{}, err
	}
	known, err := daemon.Get(ctx, id, channel)
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, client.ErrNotFound) {
		return comm.Record{}, exit.Daemon(err)
	}
	var keys []fsm.RequestKey                                                   // and not the records, which may be many and long
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: 100, Prefix: id}); ; { // an answer may hold none, and not be the last
		body, err := daemon.Requests(ctx, w)
		if err != nil {
			return comm.Record{}, exit.Daemon(err)
		}
		for _, one := range body.Requests {
			keys = append(keys, fsm.RequestKey{Channel: one.Channel, ID: one.ID})
		}
		if w.Before = body.Next; w.Before == 0 {
			break
		}
	}
	i, err := Only(id, channel, keys)
	if err != nil {
		return comm.Record{}, err
	}
	known, err = daemon.Get(ctx, keys[i].ID, keys[i].Channel)
	return known, exit.Daemon(err)
}

// Only returns the index of the request that text means: the one with this id, or the only one
// whose id begins with it, of the channel that is named.
func Only(text, channel string, found []fsm.RequestKey) (int, error) {
	var exact, begins []int
	var channels, ids []string
	for i, key := range found {
		if text == "" || channel != "" && key.Channel != channel {
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
	case channel != "":
		return 0, exit.Errorf(exit.NoMatch, "there is no request %s of channel %s; see shelly request list", wording.Quote(text), wording.Word(channel))
	default:
		return 0, exit.Errorf(exit.NoMatch, "there is no request %s; see shelly request list", wording.Quote(text))
	}
}
