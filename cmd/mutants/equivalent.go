package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// list is the list of equivalents: under a heading "[tables]" or "[code]" the names of
// mutants, each followed by its reason, indented.
//
//go:embed equivalents.txt
var list string

// equivalents returns the mutants under a heading, which no test can tell from the unchanged
// machine, each with the reason.
func equivalents(scope string) (map[string]string, error) {
	all, heading, name := map[string]string{}, "", ""
	for i, line := range strings.Split(list, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case strings.HasPrefix(text, "["):
			heading, name = strings.Trim(text, "[]"), ""
		case heading != scope:
		case line == text:
			name = text
			all[name] = ""
		case name == "":
			return nil, fmt.Errorf("equivalents.txt:%d: the reason has no mutant", i+1)
		default:
			all[name] = strings.TrimSpace(all[name] + " " + text)
		}
	}
	for name, reason := range all {
		if reason == "" {
			return nil, fmt.Errorf("equivalents.txt: %s has no reason", name)
		}
	}
	return all, nil
}
