// Package logs is shelly logs: what the daemons of a data folder have logged.
package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/logging"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
)

// Command is the subcommand.
type Command struct {
	Follow  bool   `short:"f" help:"Continue with each as it comes; ^C ends it."`
	Level   string `default:"debug" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"From this level on: debug, info, warn or error."`
	Request string `placeholder:"ID" help:"Only what names this request."`
	Session string `placeholder:"NAME" help:"Only what names this session."`
	Handle  string `placeholder:"N" help:"Only what names the work of this number."`

	flags.Recent
	flags.List `kong:"set='limit=50',set='json=Print as JSON, each record a line, as it is kept.'"`
	flags.Place
}

// Help says where they are.
func (Command) Help() string {
	return "Reads the data folder's logs, with or without a daemon; log.keep says how much of it is kept. " +
		"No text of a person, a model or a tool is logged. Exit code 4 if nothing matches."
}

// Run implements the subcommand (CLI-185).
func (c *Command) Run(t *terminal.Terminal) error {
	since, err := c.From()
	if err != nil {
		return err
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	files, err := logging.Files(cfg.Data)
	if err != nil {
		return exit.With(exit.Data, fmt.Errorf("cannot read the log: %w", err))
	}
	if len(files) == 0 && !c.Follow {
		return exit.Errorf(exit.NoMatch, "%s has no log: is log.keep 0, or has no daemon run with it yet?", cfg.Data)
	}
	found, last, err := c.find(cfg.Data, files, since)
	defer last.close()
	if err != nil {
		return exit.With(exit.Data, fmt.Errorf("cannot read the log: %w", err))
	}
	for _, record := range found {
		if err := c.print(t, record); err != nil {
			return err
		}
	}
	if !c.Follow {
		if len(found) == 0 {
			return exit.Errorf(exit.NoMatch, "nothing in the log matches")
		}
		return nil
	}
	return last.follow(ctx, func(record []byte) error {
		if !c.wants(record, since) {
			return nil
		}
		return c.print(t, record)
	})
}

// find returns the newest of what is wanted, and where to follow from.
func (c *Command) find(data string, files []string, since fsm.Millis) (found [][]byte, last *following, err error) {
	take := func(record []byte) error {
		if c.wants(record, since) {
			found = append(found, record)
			if c.Limit > 0 && len(found) > 2*c.Limit { // so that a long log is not held
				found = append([][]byte(nil), found[len(found)-c.Limit:]...)
			}
		}
		return nil
	}
	last = &following{name: logging.Current(data)}
	for _, name := range files {
		if name == last.name {
			continue
		}
		if err := readFile(name, take); err != nil {
			return nil, last, err
		}
	}
	err = last.more(take)
	if c.Limit > 0 {
		found = found[max(0, len(found)-c.Limit):]
	}
	return found, last, err
}

// readFile reads one that is written no more. One that was removed meanwhile has nothing.
func readFile(name string, each func([]byte) error) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = read(f, each)
	return err
}

// wants reports whether a record is one that was asked for.
func (c *Command) wants(record []byte, since fsm.Millis) bool {
	l, ok := parse(record)
	if !ok || fsm.Millis(l.at.UnixMilli()) < since {
		return false
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(c.Level)) // one of the enum
	if l.level < least {
		return false
	}
	for name, value := range map[string]string{"request": c.Request, "session": c.Session, "handle": c.Handle} { // order-free: all must hold
		if value != "" && !l.has(name, value) {
			return false
		}
	}
	return true
}

func (c *Command) print(t *terminal.Terminal, record []byte) error {
	if c.JSON {
		_, err := fmt.Fprintf(t.Out, "%s\n", record)
		return err
	}
	l, _ := parse(record)
	_, err := fmt.Fprintln(t.Out, l.String())
	return err
}
