package suite

import (
	"errors"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// Lint is shelly scenario lint.
type Lint struct {
	Paths   []string `arg:"" optional:"" help:"Files or folders; with none, ./scenarios."`
	Verbose bool     `short:"v" help:"Also list what is not checked after a crash."`
	Format  string   `enum:"pretty,json,github" default:"pretty" help:"pretty, json, or github (pretty with annotations)."`
}

// Help is the text after the usage.
func (Lint) Help() string {
	return "Runs only cases with may_change, to see which exceptions they need. Exit codes: 0 no finding, 1 a finding, 2 a file does not load, 4 nothing matched."
}

// Run implements the subcommand (SCN-21). An error has an exit code.
func (c *Lint) Run(t *terminal.Terminal) error {
	as := &Command{Paths: c.Paths, Format: c.Format} // files are found and read as in test
	paths, err := as.find()
	if err != nil {
		return err
	}
	cases, broken := load(paths, nil)
	l := &report.Lint{Files: len(paths), Verbose: c.Verbose}
	var rules []string
	if len(cases) > 0 {
		rules, _ = rulesAbove(cases[0].Path()) // without any, what the cases cover is not looked up
	}
	l.Findings, l.Notes = scenario.Lint(cases, rules)
	for i := range broken {
		l.Broken = append(l.Broken, broken[i].Err)
		fmt.Fprintln(as.errors(t), detail(broken[i].Err))
	}
	if err := c.tell(t, as, l); err != nil {
		return err
	}
	switch {
	case len(broken) > 0:
		return loadFailure(broken)
	case len(l.Findings) > 0:
		return exit.Silent(exit.Failed)
	}
	return nil
}

func (c *Lint) tell(t *terminal.Terminal, as *Command, l *report.Lint) error {
	if c.Format == "json" {
		return report.JSONLint(terminal.Escaping(t.Out), l)
	}
	err := report.PrettyLint(as.log(t), l)
	if as.onGitHub() {
		err = errors.Join(err, report.LintAnnotations(t.Out, l, pathOnGitHub))
	}
	return err
}
