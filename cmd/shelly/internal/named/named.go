// Package named finds what a person means by its id, or by the beginning of it.
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
	GetOf(ctx context.Context, about client.About) (comm.Record, error)
	Requests(ctx context.Context, w comm.Wanted) (comm.RequestsBody, error)
}

// Record returns the daemon's record of the request with an id: of the named channel, else of the
// channel of ask, else the only one that has the id or begins with it.
func Record(ctx context.Context, daemon Daemon, id, channel string) (comm.Record, error) {
	if !comm.CanBeID(id) {
		_, err := Only(id, channel, nil)
		return comm.Record{}, err
	}
	known, err := daemon.GetOf(ctx, client.About{ID: id, Channel: channel})
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
			keys = append(keys, fsm.RequestKey{Principal: one.Client, Channel: one.Channel, ID: one.ID})
		}
		if w.Before = body.Next; w.Before == 0 {
			break
		}
	}
	key, err := Only(id, channel, keys)
	if err != nil {
		return comm.Record{}, err
	}
	known, err = daemon.GetOf(ctx, client.About{ID: key.ID, Channel: key.Channel, Client: key.Principal})
	return known, exit.Daemon(err)
}

// OfHandle returns the daemon's record of the request that a handle is of, and whether there is one.
func OfHandle(ctx context.Context, daemon Daemon, id fsm.HandleID) (found comm.Record, ok bool, err error) {
	for w := (comm.Wanted{Before: math.MaxUint64, Limit: 100}); ; {
		body, err := daemon.Requests(ctx, w)
		if err != nil {
			return found, false, exit.Daemon(err)
		}
		for _, one := range body.Requests { // the latest first
			if one.Handle == id {
				return one, true, nil
			}
			if one.Handle != 0 && one.Handle < id {
				return found, false, nil
			}
		}
		if w.Before = body.Next; w.Before == 0 {
			return found, false, nil
		}
	}
}

// Only returns the request that text means: the one with this id, or the only one whose id begins
// with it, of the channel that is named.
func Only(text, channel string, found []fsm.RequestKey) (fsm.RequestKey, error) {
	found = slices.DeleteFunc(slices.Clone(found), func(key fsm.RequestKey) bool { return channel != "" && key.Channel != channel })
	var channels []string
	for _, key := range found {
		if key.ID == text {
			channels = append(channels, key.Channel)
		}
	}
	slices.Sort(channels)
	clients := len(channels)
	channels = slices.Compact(channels)
	key, ok, err := One("requests", text, found, func(key fsm.RequestKey) string { return key.ID })
	switch {
	case len(channels) > 1:
		return key, exit.Errorf(exit.Usage, "several channels have a request %q: name one of them with --channel: %s", text, strings.Join(channels, ", "))
	case clients > 1:
		return key, exit.Errorf(exit.Usage, "several clients have a request %q in the channel %s: name it by its handle, such as h12, which request list --json shows", text, channels[0])
	case ok || err != nil:
		return key, err
	case channel != "":
		return key, exit.Errorf(exit.NoMatch, "there is no request %s of channel %s; see shelly request list", wording.Quote(text), wording.Word(channel))
	default:
		return key, exit.Errorf(exit.NoMatch, "there is no request %s; see shelly request list", wording.Quote(text))
	}
}

// One returns the one of a list whose id is text, or the only one whose id begins with it, and
// whether there is one; if several begin so, the error says it of their kind. An empty text means
// none.
func One[T any](kind, text string, list []T, id func(T) string) (found T, ok bool, err error) {
	var begin []T
	for _, one := range list {
		switch {
		case text != "" && id(one) == text:
			return one, true, nil
		case text != "" && strings.HasPrefix(id(one), text):
			begin = append(begin, one)
		}
	}
	switch len(begin) {
	case 0:
		return found, false, nil
	case 1:
		return begin[0], true, nil
	default:
		return found, false, exit.Errorf(exit.Usage, "the ids of %d %s begin with %q, such as %s and %s; give more characters",
			len(begin), kind, text, wording.Word(id(begin[0])), wording.Word(id(begin[1])))
	}
}
