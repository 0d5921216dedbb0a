package markdown

import (
	"strings"
	"testing"
)

func TestCLI151WhatWouldTakeLongIsOnlyWrapped(t *testing.T) {
	many := strings.Repeat("[a](\n", bracketsMax+1)
	for name, c := range map[string]struct { // order-free
		source string
		want   bool
	}{
		"quotes":                         {strings.Repeat(">", depthMax+1), true},
		"as many as may be":              {strings.Repeat("> ", depthMax) + "x", false},
		"lists in quotes":                {"x\n\n" + strings.Repeat("> - 1. ", depthMax/3+1) + "x", true},
		"a rule":                         {strings.Repeat("- ", 20) + "\n" + strings.Repeat("*", 200), false},
		"numbers":                        {strings.Repeat("1. ", depthMax+1) + "x", true},
		"brackets":                       {many, true},
		"brackets of several paragraphs": {strings.Repeat(strings.Repeat("[a]", 1000)+"\n\n", 10), false},
		"brackets in a fence":            {"x\n```json\n" + many + "```\n", false},
		"brackets after a fence":         {"```json\n```\n" + many, true},
		"a fence in a list":              {"- x\n  ```\n" + many, true},
		"a fence in HTML":                {"<div>\n```\n\n" + many, true},
	} {
		got := heavy(c.source)
		if got != c.want {
			t.Errorf("%s: heavy: %v", name, got)
		}
		if lines := Render(c.source, 40, Style{}); got && strings.Join(lines, "\n") != strings.Join(Wrap(c.source, 40), "\n") {
			t.Errorf("%s: it is rendered: %.200q", name, lines)
		}
	}
}
