package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/checkout"
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/spec"
)

type specCmd struct {
	Rule     string `arg:"" optional:"" help:"Rule to show with its table rows, code, tests and scenarios, such as lif-3."`
	Check    bool   `help:"Check SPEC.md against the code: generated parts, and that each rule is cited by code and by a test or scenario."`
	Validate string `placeholder:"JOURNAL" help:"The same as shelly journal verify JOURNAL." type:"path"`
	Write    bool   `help:"Write the generated parts of SPEC.md anew."`
	Dir      string `default:"." placeholder:"DIR" help:"A folder of the project's checkout." type:"path"`
}

// Run implements the subcommand (CLI-8).
func (c *specCmd) Run(t *terminal) error {
	if c.Validate != "" {
		return verifyJournal(t, c.Validate, false)
	}
	if c.Rule == "" && !c.Check && !c.Write {
		return spec.Print(t.out)
	}
	root, err := checkout.Above(c.Dir)
	if errors.Is(err, checkout.ErrNone) {
		return exit.Errorf(exit.Usage, "%w: run this in a checkout of shelly, or name one with --dir", err)
	}
	if err != nil {
		return err
	}
	project := os.DirFS(root)
	switch {
	case c.Rule != "":
		e, err := spec.Explain(project, c.Rule)
		if err != nil {
			return exit.With(exit.NoMatch, err)
		}
		return e.Print(t.out)
	case c.Write:
		return rewriteSpec(root, project)
	default:
		return checkSpec(t, project)
	}
}

func rewriteSpec(root string, project fs.FS) error {
	md, err := fs.ReadFile(project, spec.File)
	if err != nil {
		return err
	}
	if md, err = spec.Update(md); err != nil {
		return exit.With(exit.Usage, err)
	}
	return os.WriteFile(filepath.Join(root, spec.File), md, 0o644)
}

func checkSpec(t *terminal, project fs.FS) error {
	problems, err := spec.Check(project)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	for _, p := range problems {
		fmt.Fprintln(t.out, p)
	}
	if len(problems) > 0 {
		return exit.Errorf(exit.Failed, "%d problems in %s; shelly spec --write mends those of generated parts", len(problems), spec.File)
	}
	md, err := fs.ReadFile(project, spec.File)
	if err != nil {
		return err
	}
	rules, err := spec.Rules(md)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d rules, each cited; generated parts are up to date\n", spec.File, len(rules))
	return nil
}
