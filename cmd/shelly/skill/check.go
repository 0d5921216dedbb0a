package skill

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/skill"
)

type checkCmd struct {
	place
	Folder []string `arg:"" optional:"" help:"Folders of skills, each with its SKILL.md. Default: all that the model can load."`
}

// Run implements the subcommand (CLI-91).
func (c *checkCmd) Run(t *terminal.Terminal) error {
	cfg, l, problems, err := c.open()
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	if len(c.Folder) > 0 {
		single, wrong, err := these(c.Folder)
		if err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return errors.Join(err, single.Close())
		}
		l, problems = single, wrong
	}
	found := len(problems)
	for _, p := range problems {
		fmt.Fprintf(t.Out, "%s cannot be used: %s\n", terminal.Printable(p.Folder), terminal.Printable(p.Err.Error()))
	}
	for _, s := range l.Skills() {
		for _, f := range skill.Check(s) {
			found++
			fmt.Fprintf(t.Out, "%s: %s\n", terminal.Printable(s.Folder), terminal.Printable(f))
		}
	}
	n := len(l.Skills()) + len(problems)
	switch {
	case n == 0:
		return exit.Errorf(exit.NoMatch, "there are no skills in %s; create one with shelly skill new NAME", cfg.Workspace)
	case found > 0:
		return exit.Errorf(exit.Failed, "skills checked: %d; findings: %d", n, found)
	}
	fmt.Fprintf(t.Out, "skills checked: %d; nothing found\n", n)
	return nil
}

// these opens single skills, each from its folder.
func these(folders []string) (*skill.Library, []skill.Problem, error) {
	var places []skill.Place
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil {
			return nil, nil, exit.With(exit.Usage, err)
		} else if !info.IsDir() {
			return nil, nil, exit.Errorf(exit.Usage, "%s is not a folder", folder)
		}
		dir, err := filepath.Abs(folder)
		if err != nil {
			return nil, nil, err
		}
		places = append(places, skill.Place{Base: filepath.Dir(dir), Below: ".", Shown: filepath.ToSlash(filepath.Dir(dir)), Only: filepath.Base(dir)})
	}
	return skill.Open(places)
}
