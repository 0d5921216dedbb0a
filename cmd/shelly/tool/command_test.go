package tool

import (
	"testing"

	"shelly/cmd/shelly/run"
	"shelly/runtime/config"
	"shelly/sim/strict"
)

func TestCLI100TheServersThatAreWaitedForAreSaid(t *testing.T) {
	cfg := config.Config{}
	for _, name := range []string{"files", "notes"} {
		cfg.Tools.MCP = append(cfg.Tools.MCP, strict.Named[config.Server]{Name: name})
	}
	for want, wanted := range map[string]run.Wanted{ // order-free: each by itself
		"": run.NoServer,
		"waiting for the MCP servers: files, notes…": run.AllOfThem,
		"waiting for the MCP servers: notes…":        run.ServerOf("notes_read"),
	} {
		if got := waiting(cfg, wanted); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}
