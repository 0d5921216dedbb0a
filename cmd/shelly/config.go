package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type configCmd struct {
	settings
	JSON bool `name:"json" help:"Print as JSON."`
}

// Run implements the subcommand (CLI-11).
func (c *configCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	list := cfg.Explain()
	if c.JSON {
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	key, value := 0, 0
	for _, s := range list {
		key, value = max(key, len(s.Key)), max(value, min(len(oneLine(s.Value)), 40))
	}
	for _, s := range list {
		fmt.Fprintf(t.out, "%-*s  %-*s  # %s\n", key, s.Key, value, oneLine(s.Value), s.Source)
	}
	return nil
}

// oneLine shortens a value to what fits a table.
func oneLine(s string) string {
	s = strings.ReplaceAll(s, "\n", `\n`)
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
