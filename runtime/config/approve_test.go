package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// tooled returns tools, some of which have effects.
func tooled() []fsm.ToolDecl {
	return []fsm.ToolDecl{
		{Name: "exec", Effects: fsm.EffectsUnsafe}, {Name: "read_file", Effects: fsm.EffectsNone}, {Name: "hub__push", Effects: fsm.EffectsUnsafe}, {Name: "hub__list", Effects: fsm.EffectsNone},
	}
}

func TestAPR10EachFormOfToolsApproveIsRead(t *testing.T) {
	asks := func(names ...string) map[string]bool {
		all := map[string]bool{}
		for _, name := range names {
			all[name] = true
		}
		return all
	}
	tests := []struct {
		name, file string
		want       map[string]bool // each tool whose every call asks
	}{
		{"names", "[exec, read_file]", asks("exec", "read_file")},
		{"a map", "{exec: always, read_file: never}", asks("exec")},
		{"unsafe", `{"*": unsafe}`, asks("exec", "hub__push")},
		{"a name that fits", `{"hub__*": always}`, asks("hub__push", "hub__list")},
		{"the own name counts before", `{"*": always, exec: never}`, asks("read_file", "hub__push", "hub__list")},
		{"the strictest that fits", `{"hub*": never, "*push": always}`, asks("hub__push")},
		{"none", "[]", asks()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.File = w.write("c.yaml", "tools: {approve: "+tt.file+"}\n")
			c := w.load()
			got := map[string]bool{}
			for _, tool := range c.Machine(tooled(), nil).Tools {
				if tool.Approve && !tool.Builtin {
					got[tool.Name] = true
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPR10EntriesWithAMatchBecomeRules(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", `tools:
  approve:
    - read_file
    - {tool: exec, match: {command: "git push*"}}
    - {tool: "*", match: {path: "/etc/*"}, approve: unsafe}
    - {tool: exec, match: {command: "git log"}, approve: never}
`)
	c := w.load()
	tools := c.Machine(tooled(), nil).Tools
	exec := tools[len(tools)-4]
	want := []fsm.ApproveRule{
		{Match: []fsm.ArgMatch{{Argument: "command", Like: "git push*"}}, Ask: true},
		{Match: []fsm.ArgMatch{{Argument: "path", Like: "/etc/*"}}, Ask: true},
		{Match: []fsm.ArgMatch{{Argument: "command", Like: "git log"}}},
	}
	if diff := cmp.Diff(want, exec.Rules); diff != "" || exec.Approve {
		t.Errorf("got Approve %t; want false; Rules (-want +got)\n%s", exec.Approve, diff)
	}
	if read := tools[len(tools)-3]; !read.Approve || len(read.Rules) != 1 || read.Rules[0].Ask {
		t.Errorf("got %+v; want Approve, 1 Rules, not Rules[0].Ask", read)
	}
	// What is printed means the same.
	again := newWorld(t)
	again.File = again.write("c.yaml", c.Print())
	if diff := cmp.Diff(c.Tools.Approve, again.load().Tools.Approve); diff != "" {
		t.Errorf("%s\n%s", diff, c.Print())
	}
}

// What is said of a name is said of it in both forms in which its letters and accents can be composed (TOL-3).
func TestAPR11ARuleIsAboutBothFormsOfAName(t *testing.T) {
	const composed, apart = "caf\u00e9/*", "cafe\u0301/*"
	for _, given := range []string{composed, apart} {
		w := newWorld(t)
		w.File = w.write("c.yaml", "tools: {approve: [{tool: exec, match: {command: \""+given+"\"}}]}\n")
		var likes []string
		for _, tool := range w.load().Machine(tooled(), nil).Tools {
			for _, rule := range tool.Rules {
				likes = append(likes, rule.Match[0].Like)
			}
		}
		if !slices.Contains(likes, composed) || !slices.Contains(likes, apart) || len(likes) != 2 {
			t.Errorf("of %q the rules are %q", given, likes)
		}
	}
}
