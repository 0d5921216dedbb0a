// Package flags has the flags that several subcommands share, and makes the configuration from
// them.
package flags

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/config"
)

// Place has the flags of every subcommand that reads the configuration to find the daemon. Each
// sets one key; --set sets any other.
type Place struct {
	ConfigFile string   `name:"config" placeholder:"FILE" help:"Configuration file. Default: config.yaml in the user's configuration folder, if it exists."`
	Data       string   `placeholder:"DIR" help:"Data folder: journal, memory, token."`
	Set        []string `placeholder:"KEY=VALUE" sep:"none" help:"Set any configuration key; may be repeated."`
}

// Settings has the flags of the subcommands that need the rest of the configuration too.
type Settings struct {
	Place
	Workspace string `placeholder:"DIR" help:"Folder that the tools work in. Default: the current one."`
	Brain     string `placeholder:"KIND" help:"ollama, auto (ollama if it has a usable model, else demo) or demo (a built-in script)."`
	Model     string `placeholder:"NAME" help:"Chat model. Default: the first installed one that can call tools."`
	AllowExec bool   `help:"Offer exec to the model, if something can contain its commands."`
}

// Load returns the effective configuration, with overrides of further flags.
func (s *Settings) Load(more ...config.Override) (config.Config, error) {
	return s.LoadToWork(s.overrides(more)...)
}

// ProvideConfig is Load for the parser.
func (s *Settings) ProvideConfig() (config.Config, error) { return s.Load() }

// LoadGiven is Load from the command line alone: it reads neither the environment nor a file
// that the command line does not name.
func (s *Settings) LoadGiven(more ...config.Override) (config.Config, error) {
	return s.load(config.Sources{}, s.overrides(more))
}

func (s *Settings) overrides(more []config.Override) []config.Override {
	more = append(more, Given("--workspace", "workspace", s.Workspace)...)
	more = append(more, Given("--brain", "brain.kind", s.Brain)...)
	more = append(more, Given("--model", "brain.model", s.Model)...)
	if s.AllowExec {
		more = append(more, Given("--allow-exec", "tools.exec.allow", strconv.FormatBool(true))...)
	}
	return more
}

// Load returns the effective configuration of a command that uses no workspace, with overrides of
// further flags.
func (p *Place) Load(more ...config.Override) (config.Config, error) {
	s := sources()
	s.Anywhere = true
	return p.load(s, more)
}

// LoadToWork is Load for a command that uses the workspace, which is then to be a folder for it.
func (p *Place) LoadToWork(more ...config.Override) (config.Config, error) {
	return p.load(sources(), more)
}

func sources() config.Sources {
	home, _ := os.UserHomeDir()
	return config.Sources{DefaultFile: config.DefaultFile(os.Environ(), home), Environ: os.Environ()}
}

// ProvideConfig is Load for the parser, which passes the configuration to a Run that takes one.
func (p *Place) ProvideConfig() (config.Config, error) { return p.Load() }

// load adds what the command line gives to the sources.
func (p *Place) load(from config.Sources, more []config.Override) (config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Config{}, exit.Errorf(exit.Usage, "the current folder cannot be found (%w): it may have been removed; change to another one", err)
	}
	sets, err := p.Sets()
	if err != nil {
		return config.Config{}, err
	}
	from.File, from.Dir = p.ConfigFile, dir
	from.Home, _ = os.UserHomeDir()
	from.Overrides = slices.Concat(Given("--data", "data", p.Data), more, sets)
	c, err := config.Load(from)
	return c, exit.With(exit.Usage, err)
}

// Given returns the override of a flag, if it was given.
func Given(flag, key, value string) []config.Override {
	if value == "" {
		return nil
	}
	return []config.Override{{Flag: flag, Key: key, Value: value}}
}

// Sets returns the overrides of --set.
func (p *Place) Sets() ([]config.Override, error) {
	var list []config.Override
	for _, kv := range p.Set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, exit.Errorf(exit.Usage, "--set %s: write KEY=VALUE, such as --set limits.max_tool_rounds=10", kv)
		}
		list = append(list, config.Override{Flag: "--set " + key, Key: key, Value: value})
	}
	return list, nil
}
