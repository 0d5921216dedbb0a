package request

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/history/export"
	"shelly/history/redact"
)

type exportCmd struct {
	ID     string   `arg:"" help:"Request to export."`
	Output string   `short:"o" placeholder:"FILE" help:"Where it is written. Default: standard output."`
	As     string   `enum:"replay,scenario" default:"replay" help:"replay: to the letter, with the hash of its trace. scenario: a case to read and to change, of this request alone."`
	Force  bool     `help:"Write over a file that is there, and what today's code decides otherwise."`
	Secret []string `placeholder:"VALUE|@FILE" sep:"none" help:"A text that must not be written, or a file with one; may be repeated."`
	Images bool     `help:"Keep images."`
	journalled
}

// Help is what follows the usage.
func (exportCmd) Help() string {
	return "Secrets are replaced before anything is written: the daemon's token, what variables and settings of telling names hold, " +
		"what --secret names, and credentials of well-known shapes."
}

// Run implements the subcommand (CLI-16).
func (c *exportCmd) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	if err := c.free(); err != nil {
		return err
	}
	by, err := c.redactor(cfg)
	if err != nil {
		return err
	}
	r, err := c.read()
	if err != nil {
		return err
	}
	if at := r.Differs(); at != 0 && !c.Force {
		return exit.Errorf(exit.Failed, "record %d: today's code decides otherwise than is recorded (shelly request replay %s tells more); export it all the same with --force", at, c.ID)
	}
	file, err := c.exported(r, by)
	if err != nil {
		return exit.Errorf(exit.Failed, "request %s is not exported: %w", c.ID, err)
	}
	if err := c.write(t, file.Source); err != nil {
		return err
	}
	c.tell(t, r, file, by)
	return nil
}

// read reads the request from the journal.
func (c *exportCmd) read() (r *export.Record, err error) {
	j, closed, err := c.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closed()) }()
	key, err := c.find(j, c.ID)
	if err != nil {
		return nil, err
	}
	if r, err = export.Read(j, key); err != nil {
		return nil, exit.History(err)
	}
	return r, nil
}

// exported is the file, in which no secret is left.
func (c *exportCmd) exported(r *export.Record, by *redact.Redactor) (*export.File, error) {
	if err := r.Redact(by, c.Images); err != nil {
		return nil, err
	}
	write := r.Replay
	if c.As == "scenario" {
		write = r.Scenario
	}
	file, err := write()
	if err != nil {
		return nil, err
	}
	return file, file.Check(by)
}

// tell says on standard error what was written.
func (c *exportCmd) tell(t *terminal.Terminal, r *export.Record, file *export.File, by *redact.Redactor) {
	where := c.Output
	if where == "" {
		where = "standard output"
	}
	fmt.Fprintf(t.Err, "%s: %s of request %s, trace hash %016x\n", where, wording.Count(len(r.Steps), "record"), c.ID, file.Hash)
	if !r.Ended {
		fmt.Fprintln(t.Err, "the request had not ended by the last record that was durable: this is what there is so far")
	}
	for _, n := range by.Counts() {
		fmt.Fprintf(t.Err, "replaced: %s, %s\n", n.Kind, wording.Count(n.Times, "time"))
	}
}

// free wants that the file is not there yet.
func (c *exportCmd) free() error {
	if c.Output == "" || c.Force {
		return nil
	}
	if _, err := os.Lstat(c.Output); err == nil {
		return c.there()
	}
	return nil
}

func (c *exportCmd) there() error {
	return exit.Errorf(exit.Usage, "%s is there; name another file with -o, or give --force", c.Output)
}

// write writes the file whole or not at all, for its owner alone.
func (c *exportCmd) write(t *terminal.Terminal, source []byte) error {
	if c.Output == "" {
		_, err := t.Out.Write(source)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.Output), "."+filepath.Base(c.Output)+".*") // mode 0600
	if err != nil {
		return exit.With(exit.Disk, err)
	}
	defer os.Remove(f.Name()) // it is not there any more where it was renamed
	_, err = f.Write(source)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return exit.With(exit.Disk, err)
	}
	if c.Force {
		err = os.Rename(f.Name(), c.Output)
	} else {
		err = os.Link(f.Name(), c.Output) // which does not take the place of another
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return c.there()
	case err != nil:
		return exit.With(exit.Disk, err)
	}
	return nil
}
