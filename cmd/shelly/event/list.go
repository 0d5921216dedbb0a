package event

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/watched"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/event"
)

type listCmd struct {
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/events/sources."`
	flags.Place
}

// Help is what follows the usage.
func (listCmd) Help() string {
	return "JOINED counts changes that were merged into another change's event. Reads from the running daemon, or from the configuration, in which every source is idle."
}

// Run implements the subcommand (CLI-198).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	list, err := client.New(cfg.Data, client.Options{}).Sources(context.Background())
	runs := err == nil
	var configured []event.State
	for _, s := range watched.Sources(cfg) {
		configured = append(configured, event.State{Name: s.Name, Kind: s.Kind, Of: s.Of})
	}
	none := "no source of events is configured; add one, such as events: {files: {inbox: {path: ~/inbox}}}"
	switch {
	case errors.Is(err, client.ErrNotRunning) && !errors.Is(err, client.ErrUnannounced):
		list = configured
	case err != nil:
		return exit.Daemon(err)
	default:
		none = listing.Unread(t, none, list, configured, func(s event.State) string { return s.Name })
	}
	text := func(out io.Writer, list []event.State) error { return printList(out, list, runs) }
	return listing.Print(t, c.JSON, event.ListBody{Sources: append([]event.State{}, list...)}, list, text, none)
}

// printList prints the sources, and then their last events, the latest last.
func printList(out io.Writer, list []event.State, runs bool) error {
	var last []line
	err := listing.Table(out, "NAME\tKIND\tWATCHES\tSTATE\tRAISED\tJOINED", list, func(s event.State) []string {
		for _, e := range s.Last {
			last = append(last, line{s.Name, e})
		}
		return []string{s.Name, s.Kind, s.Of, standing(s, runs), strconv.Itoa(s.Raised), strconv.Itoa(s.Unsaid)}
	})
	if err != nil || len(last) == 0 {
		return err
	}
	slices.SortStableFunc(last, func(a, b line) int { return a.At.Compare(b.At) })
	fmt.Fprintln(out)
	for _, l := range last {
		_, err := fmt.Fprintf(out, "%s  %s %s: %s\n", l.At.Local().Format(time.DateTime), l.source, terminal.Printable(l.Event), terminal.Printable(l.Text))
		if err != nil {
			return err
		}
	}
	return nil
}

// line is an event of a source.
type line struct {
	source string
	event.Raised
}

// standing describes the state of a source.
func standing(s event.State, runs bool) string {
	switch {
	case !runs:
		return "idle: no daemon runs"
	case s.Trouble != "":
		return "sees nothing: " + s.Trouble
	}
	var parts []string
	if s.Seen != "" {
		parts = append(parts, s.Seen)
	}
	for _, u := range s.Subjects {
		if len(s.Subjects) == 1 {
			parts = append(parts, u.State)
		} else {
			parts = append(parts, u.Name+" "+u.State)
		}
	}
	if s.Waits {
		parts = append(parts, "an event waits to be taken")
	}
	return strings.Join(parts, "; ")
}
