package service

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/config"
	"shelly/runtime/durable"
)

// writtenMark is in each file that an install writes.
const writtenMark = "Written by shelly service install."

type installCmd struct {
	DryRun bool `help:"Print the files and the commands; change nothing."`
	Force  bool `help:"Replace a unit of that name that shelly did not write."`
	place
}

// Help says what no flag does.
func (c *installCmd) Help() string {
	return "Writes a hardened unit for this program with these settings, enables it, and restarts it. Run it again after a change or a move. " +
		"What you --set stands in the unit, where others may read it: secrets belong into the configuration file."
}

// Run implements the subcommand (CLI-201).
func (c *installCmd) Run(t *terminal.Terminal) error { return c.install(thisHost(), t) }

func (c *installCmd) install(h host, t *terminal.Terminal) error {
	p, cfg, err := c.open(h)
	if err != nil {
		return err
	}
	if names := lost(os.Environ()); len(names) > 0 {
		p.notes = append(p.notes, "the service does not have these variables of this shell; set what they say in the configuration file: "+strings.Join(names, " "))
	}
	if c.DryRun {
		p.print(t.Out)
		return nil
	}
	if p.manual != "" {
		return exit.Errorf(exit.Failed, "%s\nNothing is written; --dry-run prints the unit", p.manual)
	}
	if err := prepare(cfg, c.System); err != nil {
		return err
	}
	if err := p.write(t.Out, c.Force); err != nil {
		return err
	}
	for _, words := range p.start {
		fmt.Fprintln(t.Out, "run    ", strings.Join(words, " "))
		if _, err := h.run(context.Background(), words...); err != nil {
			return exit.Errorf(exit.Failed, "%w\nThe files are written; see journalctl %s-u shelly", err, own(c.System))
		}
	}
	p.tell(t.Out)
	return nil
}

// own is the flag by which a user's own manager is meant.
func own(system bool) string {
	if system {
		return ""
	}
	return "--user "
}

// prepare makes the data folder, for its owner alone: a unit cannot let a service write what
// is not there. One of the system's service belongs to another user, who has to make it.
func prepare(cfg config.Config, system bool) error {
	if !system {
		if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
			return exit.With(exit.Data, err)
		}
	}
	for _, folder := range []string{cfg.Data, cfg.Workspace} {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return exit.Errorf(exit.Usage, "there is no folder %s: make it, for the user that shelly is to run as", folder)
		}
	}
	return nil
}

// print shows what an install would do.
func (p plan) print(w io.Writer) {
	for _, f := range p.files {
		fmt.Fprintf(w, "# %s\n%s\n", f.path, f.text)
	}
	for _, words := range p.start {
		fmt.Fprintln(w, "#", strings.Join(words, " "))
	}
	p.tell(w)
	if p.manual != "" {
		fmt.Fprintf(w, "# %s\n", strings.ReplaceAll(p.manual, "\n", "\n# "))
	}
}

// tell says what a person has to know.
func (p plan) tell(w io.Writer) {
	for _, note := range p.notes {
		fmt.Fprintln(w, "# note:", note)
	}
}

// write writes the files that are not as they should be (CLI-201).
func (p plan) write(w io.Writer, force bool) error {
	for _, f := range p.files {
		now, err := readFile(f.path)
		switch {
		case err != nil:
			return exit.With(exit.Failed, err)
		case now == f.text:
			fmt.Fprintln(w, "as it is", f.path)
			continue
		case now != "" && !strings.Contains(now, writtenMark) && !force:
			return exit.Errorf(exit.Usage, "%s %w: look at it, and replace it with --force", f.path, errDifferent)
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return exit.With(exit.Failed, err)
		}
		if err := (durable.As{Perm: 0o644}).Text(f.path, []byte(f.text)); err != nil {
			return exit.With(exit.Failed, err)
		}
		fmt.Fprintln(w, "written", f.path)
	}
	return nil
}
