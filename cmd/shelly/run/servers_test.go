package run

import (
	"reflect"
	"testing"

	"shelly/runtime/config"
	"shelly/sim/strict"
)

// A running program keeps the sandbox in which it was started, so a reload that changes that must restart it.
func TestTOL90AProgramIsAnotherInAnotherSandbox(t *testing.T) {
	cfg := config.Config{Workspace: t.TempDir(), Data: t.TempDir()}
	cfg.Tools.MCP = []strict.Named[config.Server]{
		{Name: "program", Value: config.Server{Command: []string{"sh"}}}, {Name: "address", Value: config.Server{URL: "http://127.0.0.1:1"}},
	}
	before, err := serversOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*config.Config)
		other  bool
	}{
		{"a folder to read", func(c *config.Config) { c.Tools.Exec.Reads = []string{"/opt"} }, true},
		{"a limit", func(c *config.Config) { c.Tools.Exec.Memory = 1 << 20 }, true},
		{"no sandbox", func(c *config.Config) { c.Tools.Exec.Allow = config.Unsandboxed }, true},
		{"exec offered to the model", func(c *config.Config) { c.Tools.Exec.Allow = "true" }, false},
		{"the time of a command", func(c *config.Config) { c.Tools.Exec.Timeout = 1 }, false},
	} {
		next := cfg
		c.change(&next)
		after, err := serversOf(next)
		if err != nil {
			t.Fatal(err)
		}
		if other := !reflect.DeepEqual(before[0], after[0]); other != c.other {
			t.Errorf("%s: the program is another: %v", c.name, other)
		}
		if !reflect.DeepEqual(before[1], after[1]) {
			t.Errorf("%s: the server at an address is another", c.name)
		}
	}
}
