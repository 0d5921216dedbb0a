package service

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
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
	Force  bool `help:"Replace a unit that shelly did not write."`
	place
}

// Help is the text after the usage.
func (c *installCmd) Help() string {
	return "Writes a hardened unit for this program with these settings, enables it, and restarts it. Run it again after you change a setting or move the program. " +
		"The unit contains what you --set, and others may read it: put secrets into the configuration file."
}

// Run implements the subcommand (CLI-201).
func (c *installCmd) Run(t *terminal.Terminal) error { return c.install(thisHost(), t) }

func (c *installCmd) install(h host, t *terminal.Terminal) error {
	p, cfg, err := c.open(h)
	if err != nil {
		return err
	}
	if names := lost(os.Environ()); len(names) > 0 {
		p.notes = append(p.notes, "the service will not have these variables of this shell; set their values in the configuration file: "+strings.Join(names, " "))
	}
	if c.DryRun {
		for _, folder := range missing(cfg, c.System) {
			p.notes = append(p.notes, wanted(folder))
		}
		left, err := p.leaves()
		if err != nil {
			return exit.With(exit.Failed, err)
		}
		if left {
			p.notes = append(p.notes, p.left+" is of an install with --socket; it is removed")
		}
		p.print(t.Out)
		return nil
	}
	if p.manual != "" {
		return exit.Errorf(exit.Failed, "%s\nNothing was written; --dry-run prints the unit", p.manual)
	}
	if c.System && !h.finds(c.As) {
		return exit.Errorf(exit.Usage, "there is no user %s; create the user, or name another one with --as", c.As)
	}
	if err := prepare(cfg, c.System); err != nil {
		return err
	}
	if err := c.write(t.Out, p); err != nil {
		return err
	}
	if err := c.clear(h, t.Out, p); err != nil {
		return err
	}
	for _, words := range p.start {
		fmt.Fprintln(t.Out, "run    ", strings.Join(words, " "))
		if _, err := h.run(context.Background(), words...); err != nil {
			return exit.Errorf(exit.Failed, "%w\nThe files were written; %s", err, mend(err, h.name, c.System))
		}
	}
	p.tell(t.Out)
	return nil
}

// mend says what to do if the manager did not start the service. A user's one is there only for a user who has
// logged in: not after su, and not for a job.
func mend(err error, user string, system bool) string {
	if !system && strings.Contains(err.Error(), "connect to bus") {
		return "this session has no manager of the user's services: log in as " + user + ", or run sudo loginctl enable-linger " + user + ", then repeat the install"
	}
	return "see journalctl " + own(system) + "-u shelly"
}

// own returns the flag that selects the user's own manager.
func own(system bool) string {
	if system {
		return ""
	}
	return "--user "
}

// prepare creates the data folder, for its owner alone: a unit cannot let a service write to a
// folder that does not exist. The system service's folder belongs to another user, who has to
// create it.
func prepare(cfg config.Config, system bool) error {
	if !system {
		if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
			return exit.With(exit.Data, err)
		}
	}
	if folders := missing(cfg, system); len(folders) > 0 {
		return exit.Errorf(exit.Usage, "%s", wanted(folders[0]))
	}
	return nil
}

// missing returns the folders that have to be there before an install and are not.
func missing(cfg config.Config, system bool) []string {
	folders := []string{cfg.Workspace}
	if system {
		folders = []string{cfg.Data, cfg.Workspace}
	}
	return slices.DeleteFunc(folders, func(folder string) bool {
		info, err := os.Stat(folder)
		return err == nil && info.IsDir()
	})
}

func wanted(folder string) string {
	return fmt.Sprintf("there is no folder %s; create it, owned by the user to run shelly as", folder)
}

// print prints what an install would do.
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

// tell prints the notes for the person.
func (p plan) tell(w io.Writer) {
	for _, note := range p.notes {
		fmt.Fprintln(w, "# note:", note)
	}
}

// write writes the files that differ from the plan (CLI-201).
func (c *installCmd) write(w io.Writer, p plan) error {
	for _, f := range p.files {
		now, err := readFile(f.path)
		switch {
		case err != nil:
			return c.unwritten(err)
		case now == f.text:
			fmt.Fprintln(w, "as it is", f.path)
			continue
		case now != "" && !strings.Contains(now, writtenMark) && !c.Force:
			return exit.Errorf(exit.Usage, "%s %w; look at it, then replace it with --force", f.path, errDifferent)
		}
		if err := (durable.As{Perm: 0o644, Folder: 0o755}).Text(f.path, []byte(f.text)); err != nil {
			return c.unwritten(err)
		}
		fmt.Fprintln(w, "written", f.path)
	}
	return nil
}

// clear removes the socket of an earlier install, which the service would be given in place of its
// own settings (CLI-201, DEP-3).
func (c *installCmd) clear(h host, w io.Writer, p plan) error {
	left, err := p.leaves()
	if err != nil {
		return c.unwritten(err)
	}
	if !left {
		return nil
	}
	fmt.Fprintln(w, "run    ", strings.Join(p.drop, " "))
	if _, err := h.run(context.Background(), p.drop...); err != nil {
		return exit.Errorf(exit.Failed, "%w\nThe socket of an earlier install is still there; run shelly service uninstall, then install again", err)
	}
	if err := os.Remove(p.left); err != nil {
		return c.unwritten(err)
	}
	fmt.Fprintln(w, "removed", p.left)
	return nil
}
