package service

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/config"
)

type statusCmd struct{ place }

// Help lists the exit codes.
func (c *statusCmd) Help() string {
	return "Exit codes: 0 if the service runs, 7 if it does not, 4 if it is not installed. Give the flags of the install: " +
		"units that differ from them are listed."
}

// Run implements the subcommand (CLI-202).
func (c *statusCmd) Run(t *terminal.Terminal) error { return c.status(thisHost(), t) }

func (c *statusCmd) status(h host, t *terminal.Terminal) error {
	p, _, err := c.open(h)
	if err != nil {
		return err
	}
	installed := false
	for _, f := range p.files {
		now, err := readFile(f.path)
		is := "is not there"
		switch {
		case err != nil:
			return exit.With(exit.Failed, err)
		case now == f.text:
			is = "matches these flags"
		case now != "":
			is = "differs from these flags; see shelly service install --dry-run"
		}
		installed = installed || now != ""
		fmt.Fprintf(t.Out, "%s %s\n", f.path, is)
	}
	left, err := p.leaves()
	if err != nil {
		return exit.With(exit.Failed, err)
	}
	if left {
		fmt.Fprintf(t.Out, "%s is of an install with --socket, which these flags do not have\n", p.left)
	}
	if p.tell(t.Out); !installed {
		return exit.Errorf(exit.NoMatch, "the service is not installed; install it with shelly service install")
	}
	if p.manual != "" {
		return exit.Errorf(exit.Unreachable, "%s", p.manual)
	}
	said, err := h.run(context.Background(), p.look...)
	if err != nil {
		return exit.With(exit.Unreachable, err)
	}
	fmt.Fprintln(t.Out, terminal.Printable(said))
	if !strings.Contains(said, "ActiveState=active") && !strings.Contains(said, "state = running") {
		return exit.Errorf(exit.Unreachable, "the service does not run; see journalctl %s-u shelly", own(c.System))
	}
	return nil
}

type uninstallCmd struct {
	DryRun bool `help:"Print what would be removed; change nothing."`
	place
}

// Run implements the subcommand (CLI-203). A unit that shelly did not write stays.
func (c *uninstallCmd) Run(t *terminal.Terminal) error { return c.uninstall(thisHost(), t) }

func (c *uninstallCmd) uninstall(h host, t *terminal.Terminal) error {
	p, err := c.planToRemove(h)
	if err != nil {
		return err
	}
	if len(p.files) == 0 {
		fmt.Fprintln(t.Out, "the service is not installed")
		return nil
	}
	data, err := p.data()
	if err != nil {
		return exit.With(exit.Failed, err)
	}
	if err := c.remove(h, t, p); err != nil {
		return err
	}
	fmt.Fprintln(t.Out, "data and configuration stay"+data)
	return nil
}

// planToRemove returns the plan of the files that exist.
func (c *uninstallCmd) planToRemove(h host) (plan, error) {
	if err := c.housed(h); err != nil {
		return plan{}, err
	}
	u := unitOf(config.Config{}, []string{"/shelly"}) // what the service runs does not matter, nor what is wrong with its configuration
	u.User = !c.System
	p, err := planFor(h, u, true)
	if err != nil {
		return p, err
	}
	if there, err := p.there(); err != nil || len(there) == 0 {
		return plan{}, err
	}
	socket := len(p.files) > 1
	if socket {
		now, err := readFile(p.files[1].path)
		if err != nil {
			return p, exit.With(exit.Failed, err)
		}
		socket = now != ""
	}
	if p, err = planFor(h, u, socket); err != nil {
		return p, err
	}
	p.files, err = p.there()
	return p, err
}

// data returns where the service's data is, as its unit names it: the flags may name another folder.
func (p plan) data() (string, error) {
	text, err := readFile(p.files[0].path)
	if _, folder, ok := strings.Cut(text, "<string>--data</string>\n    <string>"); ok { // launchd's
		folder, _, _ = strings.Cut(folder, "</string>")
		return ": " + terminal.Printable(html.UnescapeString(folder)), err
	}
	_, text, _ = strings.Cut(text, " run --data ")
	if folder := firstWord(text); folder != "" {
		return ": " + terminal.Printable(folder), nil
	}
	return "", err
}

// there returns the existing files of a plan, all of which an install must have written.
func (p plan) there() (list []unitFile, err error) {
	for _, f := range p.files {
		now, err := readFile(f.path)
		switch {
		case err != nil:
			return nil, exit.With(exit.Failed, err)
		case now == "":
			continue
		case !strings.Contains(now, writtenMark):
			return nil, exit.Errorf(exit.Usage, "%s %w, and stays", f.path, errDifferent)
		}
		list = append(list, f)
	}
	return list, nil
}

// remove stops the service, if its manager runs, and removes its files.
func (c *uninstallCmd) remove(h host, t *terminal.Terminal, p plan) error {
	do := func(commands [][]string) error {
		var errs []error
		for _, words := range commands {
			fmt.Fprintln(t.Out, "run    ", strings.Join(words, " "))
			if !c.DryRun {
				_, err := h.run(context.Background(), words...)
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}
	done := "removed"
	if c.DryRun {
		done = "remove "
	}
	if p.manual == "" {
		if err := do(p.stop); err != nil {
			fmt.Fprintf(t.Err, "· cannot stop it: %v\n", err)
		}
	}
	for _, f := range p.files {
		if !c.DryRun {
			if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return c.unwritten(err)
			}
		}
		fmt.Fprintln(t.Out, done, f.path)
	}
	if p.manual != "" {
		return nil
	}
	return exit.With(exit.Failed, do(p.after))
}
