package main

import (
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/profile"
)

type configCmd struct {
	flags.Settings
	Profile string `placeholder:"NAME" help:"Print this profile in full, with the settings of other flags, as a configuration file: default, shelly, countbot, nanobot or omniemployee."`
	flags.AsJSON
}

// Run implements the subcommand (CLI-11, CFG-11).
func (c *configCmd) Run(t *terminal.Terminal) error {
	if c.Profile != "" {
		return c.profile(t)
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	list := cfg.Explain()
	if c.JSON {
		return t.JSON(list)
	}
	key, value := 0, 0
	for _, s := range list {
		key, value = max(key, len(s.Key)), max(value, min(len(oneLine(s.Value)), 40))
	}
	for _, s := range list {
		fmt.Fprintf(t.Out, "%-*s  %-*s  # %s\n", key, s.Key, value, oneLine(s.Value), s.Source)
	}
	return nil
}

// profile prints a profile, with the settings of the command line.
func (c *configCmd) profile(t *terminal.Terminal) error {
	if c.JSON {
		return exit.Errorf(exit.Usage, "--profile prints a configuration file: leave --json out")
	}
	if _, ok := profile.Named(c.Profile); !ok {
		return exit.Errorf(exit.Usage, "--profile %s: the profiles are %s", c.Profile, strings.Join(profile.Names(), ", "))
	}
	cfg, err := c.LoadGiven(flags.Given("--profile", "profile", c.Profile)...)
	if err != nil {
		return err
	}
	_, err = io.WriteString(t.Out, cfg.Print())
	return err
}

// oneLine shortens a value to what fits a table.
func oneLine(s string) string {
	s = strings.ReplaceAll(s, "\n", `\n`)
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
