package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/session"
)

type exportCmd struct {
	ID     string `arg:"" help:"Session to export."`
	Output string `short:"o" placeholder:"FILE" help:"File to write; - is standard output, the default."`
	Force  bool   `help:"Overwrite an existing file."`
	flags.Place
}

// Help says what the file is.
func (exportCmd) Help() string {
	return "Each line is a message with its number, turn and time. The file is readable by its owner alone, and appears only once it is complete. Nothing is redacted."
}

// Run implements the subcommand (CLI-145).
func (c *exportCmd) Run(t *terminal.Terminal) error {
	to := output.File{Name: c.Output, Force: c.Force}
	if err := to.Free(); err != nil {
		return err
	}
	return use(&c.Place, func(r reader) error {
		l, err := r.find(c.ID)
		if err != nil {
			return err
		}
		lines, err := to.Lines(t, func(w io.Writer) error { return r.export(w, l.ID) })
		if err == nil {
			fmt.Fprintf(t.Err, "%s: %s\n", to, wording.Count(lines, "message"))
		}
		return err
	})
}

// export writes the messages of a session, one on each line.
func (r reader) export(w io.Writer, id string) error {
	lines, wrong := json.NewEncoder(terminal.Escaping(w)), error(nil)
	err := r.each(id, 0, func(m session.Archived) bool {
		wrong = lines.Encode(m)
		return wrong == nil
	})
	return errors.Join(err, wrong)
}
