package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/checkout"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/journal"
	"shelly/fsm/spec"
	"shelly/fsm/wording"
	"shelly/runtime/durable"
)

type specCmd struct {
	Rule     string `arg:"" optional:"" help:"Rule to show with its table rows, code, tests and scenarios, such as lif-3."`
	Check    bool   `help:"Check the specification against the code: generated parts, links, and that each rule is cited by code and by a test or scenario."`
	Validate string `placeholder:"JOURNAL" help:"The same as shelly journal verify JOURNAL." type:"path"`
	Write    bool   `help:"Renew the generated parts of the specification."`
	Dir      string `default:"." placeholder:"DIR" help:"A folder in a checkout of shelly." type:"path"`
}

// Run implements the subcommand (CLI-8).
func (c *specCmd) Run(t *terminal.Terminal) error {
	if c.Validate != "" {
		return journal.Verify(t, c.Validate, false)
	}
	if c.Rule == "" && !c.Check && !c.Write {
		return spec.Print(t.Out)
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
		return e.Print(t.Out)
	case c.Write:
		return rewriteSpec(root, project)
	default:
		return checkSpec(t, project)
	}
}

func rewriteSpec(root string, project fs.FS) error {
	docs, err := spec.Documents(project)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	for _, d := range docs {
		fresh, err := d.Update()
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		if bytes.Equal(fresh, d.Text) {
			continue
		}
		if err := (durable.As{Perm: 0o644, Follow: true}).Text(filepath.Join(root, d.File), fresh); err != nil {
			return err
		}
	}
	return nil
}

func checkSpec(t *terminal.Terminal, project fs.FS) error {
	problems, err := spec.Check(project)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	for _, p := range problems {
		fmt.Fprintln(t.Out, p)
	}
	if len(problems) > 0 {
		return exit.Errorf(exit.Failed, "%s; shelly spec --write renews the generated parts", wording.Count(len(problems), "problem"))
	}
	docs, err := spec.Documents(project)
	if err != nil {
		return err
	}
	rules, err := spec.Rules(docs)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%d rules in %d documents, each cited; generated parts are up to date and all links work\n", len(rules), len(docs))
	return nil
}
