package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/store"
)

type doctorCmd struct {
	settings
	Measure bool `help:"Ask the model for a short answer, and tell how fast it is."`
	JSON    bool `name:"json" help:"Print as JSON."`
}

// Help says what no flag does.
func (doctorCmd) Help() string {
	return "Behind → is what to do. What is recommended follows from what server and machine say of themselves."
}

// finding is one thing that was looked at.
type finding struct {
	Level string `json:"level"` // ok, warn or fail
	What  string `json:"what"`
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"` // what to do about it
}

// examination gathers findings.
type examination struct{ findings []finding }

func (x *examination) ok(what, found string)         { x.add("ok", what, found, "") }
func (x *examination) warn(what, found, mend string) { x.add("warn", what, found, mend) }
func (x *examination) fail(what, found, mend string) { x.add("fail", what, found, mend) }
func (x *examination) add(level, what, found, mend string) {
	x.findings = append(x.findings, finding{level, what, found, mend})
}

// doctorTimeout bounds the whole examination, but for a measurement.
const doctorTimeout = 30 * time.Second

// Run implements the subcommand (CLI-10).
func (c *doctorCmd) Run(t *terminal) error {
	all, stop := exit.Interruptible()
	defer stop()
	cfg, err := c.load()
	limit := doctorTimeout
	if c.Measure {
		limit += cfg.Brain.Timeouts.Load + cfg.Brain.Timeouts.Total
	}
	ctx, cancel := context.WithTimeout(all, limit)
	defer cancel()
	x := &examination{}
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			x.fail("configuration", line, "correct it, then run shelly doctor again")
		}
	} else {
		x.ok("configuration", "loads")
		running := x.daemon(ctx, cfg)
		x.data(cfg, running)
		x.workspace(cfg)
		x.reserve(cfg)
		x.stop(cfg)
		x.brain(ctx, cfg, c.Measure)
	}
	return x.report(t, c.JSON)
}

// daemon returns how the daemon is that serves from the data folder, or nil.
func (x *examination) daemon(ctx context.Context, cfg config.Config) *comm.Status {
	s, err := client.New(cfg.Data, client.Options{}).Status(ctx)
	if err != nil {
		x.warn("daemon", err.Error(), "")
		return nil
	}
	x.ok("daemon", fmt.Sprintf("%s, %d waiting, %s", s.Lifecycle, s.Waiting, s.Brain))
	return &s
}

const mendSpace = "free some space, or lower reserve"

func (x *examination) data(cfg config.Config, running *comm.Status) {
	switch {
	case running == nil:
	case running.NoSpace != "":
		x.fail("data folder", running.NoSpace, mendSpace)
		return
	default:
		x.ok("data folder", cfg.Data+" is the daemon's")
		return
	}
	dir := filepath.Join(cfg.Data, "store")
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		x.ok("data folder", cfg.Data+" will be made at the first start")
		return
	}
	s, err := store.Open(dir, store.Options{ReserveBytes: uint64(cfg.Reserve)})
	switch {
	case errors.Is(err, store.ErrLocked):
		x.fail("data folder", err.Error(), "stop the other process, or name another folder with --data")
		return
	case errors.Is(err, store.ErrNewerFormat):
		x.fail("data folder", err.Error(), "use the shelly that wrote it, or name another folder with --data")
		return
	case errors.Is(err, engine.ErrNoSpace):
		x.fail("data folder", err.Error(), mendSpace)
		return
	case err != nil:
		x.fail("data folder", err.Error(), "restore it from a backup, or name another folder with --data")
		return
	}
	defer s.Close()
	if err := s.Space(); errors.Is(err, engine.ErrNoSpace) {
		x.fail("data folder", err.Error(), mendSpace)
		return
	}
	x.ok("data folder", cfg.Data+" opens")
}

func (x *examination) workspace(cfg config.Config) {
	info, err := os.Stat(cfg.Workspace)
	switch {
	case err != nil:
		x.fail("workspace", err.Error(), "make the folder, or name another with --workspace")
	case !info.IsDir():
		x.fail("workspace", cfg.Workspace+" is not a folder", "name a folder with --workspace")
	default:
		x.ok("workspace", cfg.Workspace)
	}
	if cfg.Tools.Exec.Allow {
		x.warn("exec", "is allowed, and is not sandboxed: a command has all rights of the daemon's user",
			"set tools.exec.allow to false unless you trust the model with that")
	} else {
		x.ok("exec", "is not offered to the model (tools.exec.allow)")
	}
}

// report prints the findings; one that fails makes the exit code 1.
func (x *examination) report(t *terminal, asJSON bool) error {
	failed := false
	for _, f := range x.findings {
		failed = failed || f.Level == "fail"
	}
	if asJSON {
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(x.findings); err != nil {
			return err
		}
	} else {
		for _, f := range x.findings {
			fmt.Fprintf(t.out, "%-4s  %-13s  %s\n", f.Level, f.What, f.Found)
			if f.Mend != "" {
				fmt.Fprintf(t.out, "      %-13s  → %s\n", "", f.Mend)
			}
		}
	}
	if failed {
		return exit.Silent(exit.Failed)
	}
	return nil
}
