// Package skill is shelly skill, which lists, shows, checks and creates skills.
package skill

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/skill"
)

// Command lists, shows, checks and creates skills (CLI-90).
type Command struct {
	List  listCmd  `cmd:"" help:"List the skills that the model can load, and those that are left out."`
	Show  showCmd  `cmd:"" help:"Show a skill as the model gets it."`
	Check checkCmd `cmd:"" help:"Check skills against the Agent Skills specification."`
	New   newCmd   `cmd:"" help:"Create a skill in the workspace."`
}

// place has the flags that select whose skills are meant.
type place struct {
	flags.Place
	Workspace string `placeholder:"DIR" help:"Folder that the tools work in. Default: the current one."`
}

func (p *place) load() (config.Config, error) {
	return p.LoadToWork(flags.Given("--workspace", "workspace", p.Workspace)...)
}

// open opens the skills that the configuration finds.
func (p *place) open() (config.Config, *skill.Library, []skill.Problem, error) {
	cfg, err := p.load()
	if err != nil {
		return cfg, nil, nil, err
	}
	l, problems, err := skill.Open(skill.Places(cfg.Workspace, cfg.Skills.Folders))
	return cfg, l, problems, exit.With(exit.Usage, err)
}

// tellElsewhere says on standard error that the running daemon works in another workspace, and so
// has other skills than those that are meant, unless --workspace names this one.
func (p *place) tellElsewhere(t *terminal.Terminal, cfg config.Config) {
	if p.Workspace != "" {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), daemonTimeout)
	defer stop()
	running, err := client.New(cfg.Data, client.Options{}).Status(ctx)
	if err == nil && running.Workspace != "" && !folder.Same(running.Workspace, cfg.Workspace) {
		fmt.Fprintf(t.Err, "the running daemon works in %s; for its skills, add --workspace %s\n", terminal.Printable(running.Workspace), terminal.Printable(wording.ShellPath(running.Workspace)))
	}
}

// daemonTimeout is how long a daemon may take to say where it works.
const daemonTimeout = 2 * time.Second

// named finds a skill; the error says why it is left out, or lists those that there are.
func named(l *skill.Library, problems []skill.Problem, name string) (skill.Skill, error) {
	s, ok := l.Find(name)
	if ok {
		return s, nil
	}
	for _, p := range problems {
		if path.Base(p.Folder) == name {
			return s, exit.Errorf(exit.NoMatch, "%s is left out: %w", p.Folder, p.Err)
		}
	}
	var names []string
	for _, s := range l.Skills() {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return s, exit.Errorf(exit.NoMatch, "there is no skill %q, and no other one; create it with shelly skill new %s", name, wording.ShellArgument(name))
	}
	return s, exit.Errorf(exit.NoMatch, "there is no skill %q; there are %s", name, strings.Join(names, ", "))
}
