package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/skill"
)

type newCmd struct {
	place
	Name        string `arg:"" help:"Name: lower-case letters, digits and hyphens."`
	Description string `default:"What this skill does, and when to use it." help:"What it does and when to use it; the model chooses by this."`
}

// Run implements the subcommand (CLI-91).
func (c *newCmd) Run(t *terminal.Terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.Workspace); errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.Usage, "there is no folder %s; create it, or name another with --workspace", cfg.Workspace)
	}
	skills := filepath.Join(cfg.Workspace, "skills")
	for _, folder := range []string{cfg.Workspace, skills, filepath.Join(skills, c.Name)} {
		if info, err := os.Stat(folder); err == nil && !info.IsDir() {
			return exit.Errorf(exit.Usage, "%s is not a folder", folder)
		}
	}
	file, err := skill.New(skills, c.Name, c.Description)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return exit.With(exit.Disk, err)
	}
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	fmt.Fprintf(t.Out, "%s\nWrite the instructions there; a daemon loads them at SIGHUP or at its next start.\n", file)
	c.tellElsewhere(t, cfg)
	return nil
}
