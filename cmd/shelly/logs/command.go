// Package logs is shelly logs: what the daemons of a data folder have logged.
package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/logging"
	"shelly/cmd/shelly/internal/past"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/store"
)

// Command is the subcommand.
type Command struct {
	Follow  bool   `short:"f" help:"Keep printing new records; ^C ends it."`
	Level   string `default:"debug" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"From this level on: debug, info, warn or error."`
	Request string `placeholder:"ID" help:"Only records of this request: its id, eight or more of its first characters, or its handle, such as h12."`
	Session string `placeholder:"NAME" help:"Only records that name this session."`
	Handle  string `placeholder:"N" help:"Only records that name this handle."`

	handles map[string]bool // of the request, as far as records have named them

	flags.Recent
	flags.List `kong:"set='limit=50',set='json=Print each record as a line of JSON, as it is kept.'"`
	flags.Place
}

// Help is the text after the usage.
func (Command) Help() string {
	return "Reads the data folder's logs, with or without a daemon; log.keep bounds how much is kept. " +
		"No text of a person, a model or a tool is logged. Exit code 4 if nothing matches."
}

// Run implements the subcommand (CLI-185).
func (c *Command) Run(t *terminal.Terminal, cfg config.Config) error {
	since, err := c.From()
	if err != nil {
		return err
	}
	if c.Handle != "" {
		id, is := past.RunID("h" + strings.TrimPrefix(c.Handle, "h"))
		if !is {
			return exit.Errorf(exit.Usage, "--handle: %s is not the number of a handle, such as 12 or h12; shelly request list --all shows them, and --request takes the id of a request", wording.Quote(c.Handle))
		}
		c.Handle = strconv.FormatUint(uint64(id), 10)
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	files, err := logging.Files(cfg.Data)
	if err != nil {
		return exit.Errorf(exit.Data, "cannot read the log: %w%s", err, store.Advice(err))
	}
	if len(files) == 0 && !c.Follow {
		return exit.Errorf(exit.NoMatch, "%s has no log, because log.keep is 0 or no daemon has run there yet", cfg.Data)
	}
	found, last, err := c.find(cfg.Data, files, since)
	defer last.close()
	if err != nil {
		return exit.Errorf(exit.Data, "cannot read the log: %w%s", err, store.Advice(err))
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

// find returns the newest of the records that match, and the position to follow from.
func (c *Command) find(data string, files []string, since fsm.Millis) (found [][]byte, last *following, err error) {
	take := func(record []byte) error {
		if c.wants(record, since) {
			found = append(found, record)
			if c.Limit > 0 && len(found)-c.Limit > c.Limit { // so that a long log is not held in memory
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

// readFile reads a file that is not written any more. One that was removed in the meantime
// counts as empty.
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

// wants reports whether a record matches.
func (c *Command) wants(record []byte, since fsm.Millis) bool {
	l, ok := parse(record)
	if !ok || !c.requested(&l) || fsm.Millis(l.at.UnixMilli()) < since {
		return false
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(c.Level)) // cannot fail: the value is one of the enum
	if l.level < least {
		return false
	}
	for name, value := range map[string]string{"session": c.Session, "handle": c.Handle} { // order-free: all must hold
		if value != "" && !l.has(name, value) {
			return false
		}
	}
	return true
}

// beginning is how many characters of a request's id are enough to name it.
const beginning = 8

// requested reports whether a record is of the request: it names the request, or the request's
// handle, which an earlier record has named with it.
func (c *Command) requested(l *line) bool {
	if c.Request == "" {
		return true
	}
	id, handle := l.value("request"), l.value("handle")
	run, is := past.RunID(c.Request)
	named := id == c.Request || len(c.Request) >= beginning && strings.HasPrefix(id, c.Request) ||
		is && handle == strconv.FormatUint(uint64(run), 10)
	if named && handle != "" {
		if c.handles == nil {
			c.handles = map[string]bool{}
		}
		c.handles[handle] = true
	}
	return named || c.handles[handle]
}

func (c *Command) print(t *terminal.Terminal, record []byte) error {
	if c.JSON {
		_, err := fmt.Fprintf(terminal.Escaping(t.Out), "%s\n", record)
		return err
	}
	l, _ := parse(record)
	_, err := fmt.Fprintln(t.Out, l.String())
	return err
}
