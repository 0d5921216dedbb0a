package request

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/sim/history"
)

type listCmd struct {
	State   string `enum:",waiting,active,parked,held,done,failed" default:"" placeholder:"STATE" help:"Only waiting, active, parked, held, done or failed requests."`
	All     bool   `short:"a" help:"Also runs of schedules, subagents, events and the rest."`
	Session string `placeholder:"NAME" help:"Only requests of this session, with the runs that it started."`
	Client  string `placeholder:"NAME" help:"Only requests of this client (see shelly token list); local: those that need no token."`
	flags.Recent
	//lint:ignore SA5008 kong takes a key more than once
	flags.List `set:"order=first" set:"json=Print as JSON, with the records of GET /v1/requests."`
	flags.Place
}

// Help explains the words.
func (listCmd) Help() string {
	return "parked: resumes at the next start. held: waiting for a decision, see shelly request show. Runs have their kind as channel; show and cancel take their ids. " +
		"Reads from the running daemon, or from the data folder."
}

// Run implements the subcommand (CLI-15).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) (err error) {
	since, err := c.From()
	if err != nil {
		return err
	}
	src, err := folder.JournalOf(context.Background(), cfg.Data)
	if err != nil {
		return err
	}
	found, err := c.find(src, cfg.Data, since)
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	none := "no request matches"
	switch {
	case c.State == "" && c.Session == "" && c.Since == "" && c.Client == "":
		none = "there are no requests yet; make one with shelly ask"
	case !c.All && c.Session == "" && c.Client == "":
		none = "no request matches; --all lists runs, too"
	}
	return listing.Print(t, c.JSON, comm.RequestsBody{Requests: found}, found, printRequests, none)
}

// find returns the requests that match, and runs if they are asked for.
func (c *listCmd) find(src *folder.Journal, data string, since fsm.Millis) ([]comm.Record, error) {
	list, err := lister(src, data)
	if err != nil {
		return nil, err
	}
	found, err := c.collect(list, since)
	if err != nil || c.Client != "" || !c.All && c.Session == "" { // runs belong to no client
		return found, err
	}
	runs, err := c.runs(src, since)
	return c.together(found, runs), err
}

// paging returns one page of requests.
type paging func(comm.Wanted) (comm.RequestsBody, error)

// lister returns the paging of a data folder: its daemon's, or its journal's.
func lister(src *folder.Journal, data string) (paging, error) {
	if src.Running {
		ctx := context.Background()
		daemon := client.New(data, client.Options{})
		return func(w comm.Wanted) (comm.RequestsBody, error) {
			body, err := daemon.Requests(ctx, w)
			return body, exit.Daemon(err)
		}, nil
	}
	standings, err := standingsOf(src)
	if err != nil {
		return nil, exit.With(exit.Data, err)
	}
	return func(w comm.Wanted) (comm.RequestsBody, error) {
		body, err := comm.List(src, standings, w)
		return body, exit.With(exit.Data, err)
	}, nil
}

// collect reads pages until it has enough, or the rest is too old.
func (c *listCmd) collect(list paging, since fsm.Millis) ([]comm.Record, error) {
	found := []comm.Record{}
	w := comm.Wanted{Before: math.MaxUint64, State: c.State, Session: c.Session, Client: c.Client}
	for {
		w.Limit = engine.ReadMax
		if c.Limit > 0 {
			w.Limit = min(c.Limit-len(found), engine.ReadMax)
		}
		body, err := list(w)
		if err != nil {
			return nil, err
		}
		for _, r := range body.Requests {
			if r.Accepted < since {
				return found, nil
			}
			found = append(found, r)
		}
		if body.Next == 0 || len(found) == c.Limit {
			return found, nil
		}
		w.Before = body.Next
	}
}

// printRequests prints a table, the latest request first.
func printRequests(out io.Writer, found []comm.Record) error {
	now := moment.Now()
	return listing.Table(out, "ID\tCHANNEL\tSESSION\tACCEPTED\tAGE\tSTATE\tOUTCOME\tTOOK\tTEXT", found, func(r comm.Record) []string {
		state, took := r.Stands(), ""
		if !r.Done && r.Phase != "" && string(r.Phase) != state {
			state += " (" + string(r.Phase) + ")"
		}
		at, age := "", ""
		if r.Accepted != 0 { // zero for a run that began before the first kept record
			at, age = moment.Local(r.Accepted).Format(time.DateTime), history.Span(now-r.Accepted)
		}
		if r.Done && r.Accepted != 0 {
			took = history.Span(r.Replied - r.Accepted)
		}
		return []string{
			r.ID, r.Channel, r.InSession, at, age,
			state, string(r.Outcome), took, terminal.Head(r.Text),
		}
	})
}
