package main

import (
	"os"
	"strconv"
	"strings"

	"shelly/runtime/config"
)

// settings are the flags of every subcommand that reads the configuration. Each
// stands for one key; --set reaches the others.
type settings struct {
	ConfigFile string   `name:"config" placeholder:"FILE" help:"Configuration file. Default: config.yaml in the user's configuration folder, if it is there."`
	Data       string   `placeholder:"DIR" help:"Folder of the journal and the memory."`
	Workspace  string   `placeholder:"DIR" help:"Folder that the tools are bound to. Default: the current one."`
	Brain      string   `placeholder:"KIND" help:"ollama, auto (ollama if it has a model to use, else demo) or demo (a built-in script)."`
	Model      string   `placeholder:"NAME" help:"Chat model. Default: the first installed one that can call tools."`
	AllowExec  bool     `help:"Offer exec to the model. It is not sandboxed."`
	Set        []string `placeholder:"KEY=VALUE" sep:"none" help:"Set any configuration key; may be repeated."`
}

// load makes the effective configuration.
func (s *settings) load() (config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Config{}, err
	}
	home, _ := os.UserHomeDir()
	overrides, err := s.overrides()
	if err != nil {
		return config.Config{}, err
	}
	c, err := config.Load(config.Sources{
		File:        s.ConfigFile,
		DefaultFile: config.DefaultFile(os.Environ(), home),
		Environ:     os.Environ(),
		Overrides:   overrides,
		Dir:         dir,
		Home:        home,
	})
	if err != nil {
		return config.Config{}, coded{exitUsage, err}
	}
	return c, nil
}

func (s *settings) overrides() ([]config.Override, error) {
	var list []config.Override
	add := func(flag, key, value string) {
		if value != "" {
			list = append(list, config.Override{Flag: flag, Key: key, Value: value})
		}
	}
	add("--data", "data", s.Data)
	add("--workspace", "workspace", s.Workspace)
	add("--brain", "brain.kind", s.Brain)
	add("--model", "brain.model", s.Model)
	if s.AllowExec {
		add("--allow-exec", "tools.exec.allow", strconv.FormatBool(true))
	}
	for _, kv := range s.Set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, failf(exitUsage, "--set %s: write KEY=VALUE, such as --set limits.max_tool_rounds=10", kv)
		}
		list = append(list, config.Override{Flag: "--set " + key, Key: key, Value: value})
	}
	return list, nil
}
