// Package messages is shelly messages: what schedules, subagents and the tool message have sent
// outside any request.
package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/mail"
	"shelly/cmd/shelly/internal/newest"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/inbox"
	"shelly/runtime/store"
)

// Command is the subcommand.
type Command struct {
	Unread  bool   `short:"u" help:"Only unread messages."`
	Follow  bool   `short:"f" help:"Keep printing new messages; ^C ends it."`
	Keep    bool   `help:"Do not mark them as read."`
	Channel string `placeholder:"NAME" help:"Only messages to this channel."`
	Chat    string `placeholder:"NAME" help:"Only messages to this chat of the channel."`

	flags.List `set:"json=Print as JSON, like GET /v1/messages; with --follow a line each."`
	flags.Place
}

// Help is the text after the usage.
func (Command) Help() string {
	return "The answers of schedules and subagents, and what the tool message sends. ● marks unread ones; printing marks them as read. " +
		"Unread messages are printed whatever the limit. Reads from the running daemon, or from the data folder, in which nothing is marked."
}

// Run implements the subcommand (CLI-140).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	if c.Chat != "" && c.Channel == "" {
		return exit.Errorf(exit.Usage, "--chat needs the channel of the chat; give --channel")
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	src, err := c.source(ctx, t, cfg.Data)
	if err != nil {
		return err
	}
	list, err := c.list(src)
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	if err := c.show(ctx, t, src, list...); err != nil {
		return err
	}
	switch {
	case c.Follow && src.Daemon == nil:
		return exit.With(exit.Unreachable, client.ErrNotRunning)
	case c.Follow:
		return c.follow(ctx, t, src, list)
	case len(list) == 0 && c.Unread:
		return exit.Errorf(exit.NoMatch, "there are no unread messages")
	case len(list) == 0:
		return exit.Errorf(exit.NoMatch, "there are no messages")
	}
	return nil
}

// readMessages reads messages after a position, in order.
type readMessages func(after uint64, unread bool) ([]comm.Message, error)

type source = folder.Lists[readMessages]

// source opens the messages of a data folder.
func (c *Command) source(ctx context.Context, t *terminal.Terminal, data string) (*source, error) {
	to := fsm.Origin{Channel: c.Channel, Chat: c.Chat}
	asked := func(daemon *client.Client) readMessages {
		return func(after uint64, unread bool) ([]comm.Message, error) {
			found, err := daemon.Messages(ctx, to, after, engine.ReadMax, unread)
			return found, exit.Daemon(err)
		}
	}
	return folder.ListsOf(ctx, data, asked, func(s *store.Store) (readMessages, error) {
		box, err := inbox.Open(data)
		if err != nil {
			fmt.Fprintln(t.Err, "shelly: the record of read messages cannot be read; all kept messages count as unread:", err)
		}
		return func(after uint64, unread bool) ([]comm.Message, error) { return stored(s, box, to, after, unread) }, nil
	})
}

// stored reads messages of a store until it has some that match, or there are no more.
func stored(s *store.Store, box *inbox.Inbox, to fsm.Origin, after uint64, unread bool) ([]comm.Message, error) {
	list := []comm.Message{}
	for len(list) == 0 {
		found, err := s.Messages(to, after, engine.ReadMax)
		if err != nil {
			return nil, exit.With(exit.Data, err)
		}
		if len(found) == 0 {
			break
		}
		for _, m := range found {
			if is := box.Unread(m); is || !unread {
				list = append(list, comm.NewMessage(m, is))
			}
		}
		after = found[len(found)-1].Position
	}
	return list, nil
}

// list returns, in order, all unread messages and, unless only those are asked for, the newest
// of the others.
func (c *Command) list(src *source) ([]comm.Message, error) {
	search := newest.Search[comm.Message]{
		Last: src.Last, Position: func(m comm.Message) uint64 { return m.Position },
		Read: func(after uint64) ([]comm.Message, error) { return src.Read(after, true) },
	}
	unread, err := search.Find()
	if err != nil || c.Unread {
		return unread, err
	}
	search.Limit = c.Limit
	search.Read = func(after uint64) ([]comm.Message, error) { return src.Read(after, false) }
	all, err := search.Find()
	if err != nil {
		return nil, err
	}
	for _, m := range unread {
		if !slices.ContainsFunc(all, func(o comm.Message) bool { return o.Position == m.Position }) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b comm.Message) int { return cmp.Compare(a.Position, b.Position) })
	return all, nil
}

// show prints messages and marks them as read.
func (c *Command) show(ctx context.Context, t *terminal.Terminal, src *source, list ...comm.Message) error {
	if c.JSON && !c.Follow {
		if err := t.JSON(comm.MessagesBody{Messages: list}); err != nil {
			return err
		}
	} else if err := c.print(t, list); err != nil {
		return err
	}
	if c.Keep || src.Daemon == nil || len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout) // after a ^C too, what was printed must be marked as read
	defer cancel()
	if _, err := src.Daemon.Read(ctx, mail.Marks(list)...); err != nil {
		fmt.Fprintln(t.Err, "shelly: cannot mark them as read:", err)
	}
	return nil
}

// markTimeout is how long a daemon may take to mark messages as read.
const markTimeout = 2 * time.Second

// print prints messages, one after the other.
func (c *Command) print(t *terminal.Terminal, list []comm.Message) error {
	for _, m := range list {
		if c.JSON {
			if err := t.JSONLine(m); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintln(t.Out, mail.Lines(m)); err != nil {
			return err
		}
	}
	return nil
}

// follow prints the messages that come after a list, until ^C.
func (c *Command) follow(ctx context.Context, t *terminal.Terminal, src *source, list []comm.Message) error {
	after := engine.LastOf(src.Last)
	if n := len(list); n > 0 {
		after = max(after, list[n-1].Position)
	}
	err := src.Daemon.Follow(ctx, fsm.Origin{Channel: c.Channel, Chat: c.Chat}, after, func(m comm.Message) error {
		return c.show(ctx, t, src, m)
	})
	if ctx.Err() != nil {
		return nil
	}
	return exit.Daemon(err)
}
