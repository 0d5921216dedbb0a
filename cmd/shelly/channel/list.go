package channel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"shelly/cmd/shelly/internal/channels"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/channel"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
)

type listCmd struct {
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/channels."`
	flags.Place
}

// Help is what follows the usage.
func (listCmd) Help() string {
	return "Counts are since the start. REQUESTS counts messages that became requests, REFUSED those that were refused, SENT what was delivered. WAITS counts requests whose answer is not delivered yet. Reads from the running daemon, or from the configuration, in which every channel is idle."
}

// Run implements the subcommand (CLI-200).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	list, err := client.New(cfg.Data, client.Options{}).Channels(context.Background())
	runs := err == nil
	var configured []channel.State
	for _, s := range channels.Specs(cfg, slog.New(slog.DiscardHandler)) {
		configured = append(configured, s.State())
	}
	none := "no channel is configured; docs/channels.md says how to add one"
	switch {
	case errors.Is(err, client.ErrNotRunning) && !errors.Is(err, client.ErrUnannounced):
		list = configured
	case err != nil:
		return exit.Daemon(err)
	default:
		none = listing.Unread(t, none, list, configured, func(s channel.State) string { return s.Name })
	}
	text := func(out io.Writer, list []channel.State) error { return printList(out, list, runs) }
	return listing.Print(t, c.JSON, channel.ListBody{Channels: append([]channel.State{}, list...)}, list, text, none)
}

// printList prints the channels, and then which deliveries have failed.
func printList(out io.Writer, list []channel.State, runs bool) error {
	err := listing.Table(out, "NAME\tKIND\tCONNECTED TO\tALLOWED\tREQUESTS\tREFUSED\tSENT\tWAITS\tSTATE", list, func(s channel.State) []string {
		return []string{s.Name, s.Kind, s.Of, allowed(s.Allow), strconv.Itoa(s.Received), strconv.Itoa(s.Refused), strconv.Itoa(s.Sent), strconv.Itoa(s.Open), standing(s, runs)}
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Failed == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "\n%s  %s: a delivery failed: %s\n", time.UnixMilli(s.At).Local().Format(time.DateTime), s.Name, terminal.Printable(s.Failed)); err != nil {
			return err
		}
		if s.ChatsWaiting == 0 {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s: chats that have to wait: %d; the others go on\n", s.Name, s.ChatsWaiting); err != nil {
			return err
		}
	}
	return nil
}

// allowed describes who may talk.
func allowed(list []string) string {
	switch len(list) {
	case 0:
		return "nobody"
	case 1:
		return list[0]
	default:
		return fmt.Sprintf("%s and %d more", list[0], len(list)-1)
	}
}

// standing describes the state of a channel.
func standing(s channel.State, runs bool) string {
	switch {
	case !runs:
		return "idle: no daemon runs"
	case s.Trouble != "":
		return "does not work: " + s.Trouble
	case s.Up == "":
		return "connects"
	default:
		return s.Up
	}
}
