package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// requestCmd is what can be asked of requests that were made.
type requestCmd struct {
	List    requestListCmd    `cmd:"" help:"List requests, the latest first."`
	Show    requestShowCmd    `cmd:"" help:"Show what happened to a request, step by step."`
	Cancel  requestCancelCmd  `cmd:"" help:"Cancel a request that is not done."`
	Approve requestApproveCmd `cmd:"" help:"Let a tool call run that waits for a person."`
	Deny    requestDenyCmd    `cmd:"" help:"Refuse a tool call that waits for a person."`
	Resolve requestResolveCmd `cmd:"" help:"Let a request go on that is held."`
	Export  requestExportCmd  `cmd:"" help:"Write what happened to a request as a scenario."`
	Replay  requestReplayCmd  `cmd:"" help:"Decide recorded steps again, or ask another model the questions."`
	Fork    requestForkCmd    `cmd:"" help:"Go on from a step with another model, prompt or tool result, and do nothing."`
}

// journalled is the flags that name the journal in which requests are looked up.
type journalled struct {
	place
	Channel string `placeholder:"NAME" help:"Channel of the request, where several have its id."`
}

// open opens the journal to read.
func (r *journalled) open() (engine.Reader, func() error, error) {
	s, err := openSource(context.Background(), r.place)
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

// readAge reads how long ago something was: 90s, 12h, 7d.
func readAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no duration such as 7d or 12h", text)
}
