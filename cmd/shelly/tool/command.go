// Package tool is shelly tool, which lists, shows and tries tools, shows their calls, and
// undoes their changes.
package tool

import (
	"errors"
	"log/slog"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/run"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/tool/web"
)

// Command lists, shows, tries and undoes (CLI-100).
type Command struct {
	List  listCmd  `cmd:"" help:"List the tools that the model is offered."`
	Show  showCmd  `cmd:"" help:"Show a tool as the model sees it."`
	Audit auditCmd `cmd:"" help:"Show the tool calls that were made, newest last."`
	Try   tryCmd   `cmd:"" help:"Run a tool by hand, as the model would."`
	Undo  undoCmd  `cmd:"" help:"Undo the last changes of files."`
}

// place has the flags of the verbs that need the tools of a workspace.
type place struct {
	flags.Place
	Workspace string `placeholder:"DIR" help:"Folder that the tools work in. Default: the current one."`
	AllowExec bool   `help:"Also offer exec."`
}

// with opens the tools that a daemon of the configuration would have, and passes them to a
// verb. The servers that a tool called wanted may belong to are started too: a_b_c is one of the server
// a or of a_b. If none of them has it, they must come up.
func (p *place) with(t *terminal.Terminal, wanted string, verb func(*run.Tools) error) error {
	return p.open(t, run.ServerOf(wanted), func(b *run.Tools) error {
		if len(b.Down) > 0 && !slices.ContainsFunc(b.Declared, func(d fsm.ToolDecl) bool { return d.Name == wanted }) {
			return exit.Errorf(exit.Unreachable, "%s: %s", wanted, b.Down[0])
		}
		return verb(b)
	})
}

// open passes a verb the tools, with those of the wanted servers that are up. On a terminal it says
// which it waits for.
func (p *place) open(t *terminal.Terminal, wanted run.Wanted, verb func(*run.Tools) error) (err error) {
	cfg, err := p.load()
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	end := terminal.NewLine(t.Err).Later(func() string { return waiting(cfg, wanted) })
	b, err := run.OpenTools(ctx, cfg, slog.New(slog.DiscardHandler), wanted)
	end()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return verb(b)
}

// waiting says which servers are waited for, or "".
func waiting(cfg config.Config, wanted run.Wanted) string {
	var names []string
	for _, s := range cfg.Tools.MCP {
		if wanted(s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "waiting for the MCP servers: " + strings.Join(names, ", ") + "…"
}

// load returns the configuration that the flags make.
func (p *place) load() (config.Config, error) {
	settings := flags.Settings{Place: p.Place, Workspace: p.Workspace, AllowExec: p.AllowExec}
	return settings.Load()
}

// find returns the declaration of a tool.
func find(decls []fsm.ToolDecl, name string) (fsm.ToolDecl, error) {
	var names []string
	for _, d := range decls {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	if how, ok := unoffered[name]; ok {
		return fsm.ToolDecl{}, exit.Errorf(exit.NoMatch, "%s is not offered; %s", name, how)
	}
	return fsm.ToolDecl{}, exit.Errorf(exit.NoMatch, "%s", wording.Unknown("tool", name, names))
}

// unoffered says how to have a tool that is not offered by default.
var unoffered = map[string]string{
	"exec":         "give --allow-exec or set tools.exec.allow: true, on a system that can contain commands (see shelly doctor)",
	web.FetchName:  "set tools.web.allow: true",
	web.SearchName: "set tools.web.search.kind: searxng and tools.web.search.url, or kind: brave with a key in BRAVE_API_KEY",
}

// effects describes a tool's effects.
func effects(d fsm.ToolDecl) string {
	switch {
	case d.Builtin:
		return "builtin"
	case d.Effects.Repeatable():
		return string(d.Effects)
	default:
		return string(fsm.EffectsUnsafe)
	}
}

// approval says whether a person decides about a tool's calls.
func approval(d fsm.ToolDecl) string {
	if d.Approve {
		return "asks"
	}
	return "-"
}
