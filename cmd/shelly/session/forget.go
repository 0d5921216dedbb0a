package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/sure"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/session"
)

type forgetCmd struct {
	IDs []string `arg:"" name:"id" help:"Sessions to forget."`
	Yes bool     `help:"Do not ask for confirmation."`

	flags.Place
}

// Help says what remains.
func (forgetCmd) Help() string {
	return "Deletes the history, so that the next turn starts from nothing, and all that session show shows, permanently. Any other place that still holds the text is listed. " +
		"To start over and keep what was said: shelly ask --session ID /new."
}

// Run implements the subcommand (CLI-222, SES-25).
func (c *forgetCmd) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	var chosen []session.Listed
	err = use(&c.Place, func(r reader) (err error) {
		chosen, err = c.chosen(r)
		return err
	})
	if err != nil {
		return err
	}
	if err := printSessions(t.Out, chosen); err != nil {
		return err
	}
	if !c.Yes {
		if err := sure.Forget(ctx, t, wording.Count(len(chosen), "session")); err != nil {
			return err
		}
	}
	sessions, messages, err := forgetAll(ctx, cfg, chosen)
	if sessions > 0 || err == nil {
		fmt.Fprintf(t.Out, "forgotten: %s, %s\n%s\n", wording.Count(sessions, "session"), wording.Count(messages, "message"), remains(cfg))
	}
	if errors.Is(err, context.Canceled) {
		return exit.Interrupted(ctx, "run it again to forget the rest")
	}
	return err
}

// chosen returns the sessions that are named, each once.
func (c *forgetCmd) chosen(r reader) (list []session.Listed, err error) {
	for _, id := range c.IDs {
		l, err := r.find(id)
		if l.ID != id {
			switch over, failed := r.over(id); {
			case failed != nil:
				return nil, failed
			case over:
				l, err = session.Listed{ID: id}, nil
			}
		}
		if err != nil {
			return nil, err
		}
		if c.Yes && l.ID != id { // nobody sees what it means
			return nil, exit.Errorf(exit.NoMatch, "there is no session %s, only %s: with --yes give the whole id; nothing is forgotten", wording.Word(id), wording.Word(l.ID))
		}
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list, nil
}

// forgetAll forgets sessions through the daemon or, if none runs, in the data folder. It returns how many
// there were, and how many messages were kept of them.
func forgetAll(ctx context.Context, cfg config.Config, list []session.Listed) (sessions, messages int, err error) {
	forget, closed, err := forgetting(ctx, cfg)
	if err != nil {
		return 0, 0, err
	}
	for _, l := range list {
		if err = ctx.Err(); err != nil {
			break
		}
		n, known, failed := forget(l.ID)
		if known {
			sessions, messages = sessions+1, messages+n
		}
		if err = failed; err != nil {
			break
		}
	}
	return sessions, messages, errors.Join(err, closed())
}

// forgetting returns what forgets a session, and what is to be called after it.
func forgetting(ctx context.Context, cfg config.Config) (forget func(id string) (messages int, known bool, err error), closed func() error, err error) {
	daemon := client.New(cfg.Data, client.Options{})
	if _, err := daemon.Status(ctx); !errors.Is(err, client.ErrNotRunning) {
		forget = func(id string) (int, bool, error) {
			n, err := daemon.ForgetSession(ctx, id)
			if errors.Is(err, client.ErrNotFound) { // it was forgotten in the meantime
				return 0, false, nil
			}
			return n, err == nil, exit.Daemon(err)
		}
		return forget, func() error { return nil }, nil
	}
	s, err := folder.WriteStore(cfg)
	if err != nil {
		return nil, nil, err
	}
	forget = func(id string) (int, bool, error) {
		n, known, err := session.Of(s).ForgetAll(id)
		return n, known, exit.With(exit.Data, err)
	}
	return forget, func() error { return exit.With(exit.Data, s.Close()) }, nil
}

// remains returns where the words of a forgotten session may still be (SES-25).
func remains(cfg config.Config) string {
	return "the words of the conversation are still in the journal, the messages to chats and the audit, " + sure.Until(cfg.Retention.Age) + ",\n" +
		"in what the memory has of it (shelly memory forget --session ID), in backups and exports, and perhaps in the files in " + filepath.Join(cfg.Data, session.Folder)
}
