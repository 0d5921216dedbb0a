package skill

import (
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
	skills, problems, err := c.wanted()
	if err != nil {
		return err
	}
	found := len(problems)
	for _, p := range problems {
		fmt.Fprintf(t.Out, "%s cannot be used: %s\n", terminal.Printable(p.Folder), terminal.Printable(p.Err.Error()))
	}
	for _, s := range skills {
		for _, f := range skill.Check(s) {
			found++
			fmt.Fprintf(t.Out, "%s: %s\n", terminal.Printable(s.Folder), terminal.Printable(f))
		}
	}
	n := len(skills) + len(problems)
	if found > 0 {
		return exit.Errorf(exit.Failed, "skills checked: %d; findings: %d", n, found)
	}
	fmt.Fprintf(t.Out, "skills checked: %d; nothing found\n", n)
	return nil
}

// wanted reads the skills in the given folders, or all that the model can load, and why others
// cannot be used.
func (c *checkCmd) wanted() (skills []skill.Skill, problems []skill.Problem, err error) {
	cfg, l, problems, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	skills = l.Skills()
	switch {
	case len(c.Folder) > 0:
		skills, problems = nil, nil
	case len(skills)+len(problems) == 0:
		return nil, nil, exit.Errorf(exit.NoMatch, "there are no skills in %s; create one with shelly skill new NAME", cfg.Workspace)
	}
	for _, folder := range c.Folder {
		one, wrong, err := single(folder)
		if err != nil {
			return nil, nil, err
		}
		skills, problems = append(skills, one...), append(problems, wrong...)
	}
	return skills, problems, nil
}

// single reads the skill in a folder, whatever others there are.
func single(folder string) ([]skill.Skill, []skill.Problem, error) {
	if info, err := os.Stat(folder); err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	} else if !info.IsDir() {
		return nil, nil, exit.Errorf(exit.Usage, "%s is not a folder", folder)
	}
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, nil, err
	}
	above := filepath.Dir(dir)
	l, problems, err := skill.Open([]skill.Place{{Base: above, Below: ".", Shown: filepath.ToSlash(above), Only: filepath.Base(dir)}})
	if err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	return l.Skills(), problems, nil
}
