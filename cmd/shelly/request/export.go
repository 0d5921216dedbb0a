package request

import (
	"errors"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/sim/history/export"
	"shelly/sim/history/redact"
	"shelly/sim/scenario/document"
)

type exportCmd struct {
	ID     string   `arg:"" help:"Request to export, or a run such as h12."`
	Output string   `short:"o" placeholder:"FILE" help:"File to write; - is standard output, the default."`
	As     string   `enum:"replay,scenario" default:"replay" help:"replay: exactly what happened, with the hash of its trace. scenario: a case of this request alone, to read and change."`
	Force  bool     `help:"Overwrite an existing file; also export what today's code decides differently."`
	Secret []string `placeholder:"VALUE|@FILE" sep:"none" help:"A text to remove, or a file with one; may be repeated."`
	Images bool     `help:"Keep images, in a replay."`
	journalled
}

// Help is the text after the usage.
func (exportCmd) Help() string {
	return "Secrets are replaced before anything is written: the daemon's token, values of variables and settings whose names suggest one, " +
		"what --secret names, and credentials of well-known shapes."
}

// Run implements the subcommand (CLI-16).
func (c *exportCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	if c.Images && c.As == "scenario" {
		return exit.Errorf(exit.Usage, "a scenario has short texts in the place of images: leave out --images, or export with --as replay")
	}
	w := &written{File: output.File{Name: c.Output, Force: c.Force}, scenario: c.As == "scenario", images: c.Images}
	if err := w.Free(); err != nil {
		return err
	}
	by, err := secrets.Redactor(cfg, c.Secret)
	if err != nil {
		return err
	}
	r, err := c.read()
	if err != nil {
		return err
	}
	if at := r.Differs(); at != 0 && !c.Force {
		return exit.Errorf(exit.Failed, "record %d: today's code decides differently than recorded (see shelly request replay %s); export it anyway with --force", at, wording.ShellArgument(c.ID))
	}
	return w.write(t, r, by, r.Name()+" is not exported")
}

// read reads the request from the journal.
func (c *exportCmd) read() (r *export.Record, err error) {
	j, err := c.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	h, err := c.history(j, c.ID)
	if err != nil {
		return nil, err
	}
	if r, err = export.ReadOf(j, h); err != nil {
		return nil, exit.History(err)
	}
	return r, nil
}

// written says how a request, or a fork of it, becomes a scenario.
type written struct {
	output.File
	scenario bool // a case to edit, not a replay
	images   bool
}

// write writes the scenario of a record with its secrets replaced, and reports on standard
// error what was written. If no scenario can be made, undone begins the error.
func (w *written) write(t *terminal.Terminal, r *export.Record, by *redact.Redactor, undone string) error {
	file, err := w.file(r, by)
	if err != nil {
		return exit.Errorf(exit.Failed, "%s: %w", undone, err)
	}
	if err := w.Text(t, file.Source); err != nil {
		return err
	}
	fmt.Fprintf(t.Err, "%s: %s of %s, trace hash %016x\n", w, wording.Count(len(r.Steps), "record"), r.Name(), file.Hash)
	if !w.Standard() && !strings.HasSuffix(w.Name, document.Suffix) {
		fmt.Fprintf(t.Err, "shelly test takes it under a name that ends in %s\n", document.Suffix)
	}
	if lacks := lacking(r); lacks != "" {
		fmt.Fprintln(t.Err, lacks)
	}
	tellReplaced(t.Err, by)
	return nil
}

// lacking describes what a record does not have yet. What follows a reply, such as saving the
// session, becomes durable some time after it: nobody waits for it.
func lacking(r *export.Record) string {
	switch {
	case r.Ended:
		return ""
	case r.Request.Done:
		return "it has the reply, but not yet what follows the reply: export it again in a moment for the rest"
	case r.Run:
		return "the run is not finished: this is what is durable so far"
	default:
		return "the request is not finished: this is what is durable so far"
	}
}

func (w *written) file(r *export.Record, by *redact.Redactor) (*export.File, error) {
	if err := r.Redact(by, w.images); err != nil {
		return nil, err
	}
	render := r.Replay
	if w.scenario {
		render = r.Scenario
	}
	file, err := render()
	if err != nil {
		return nil, err
	}
	return file, file.Check(by)
}
