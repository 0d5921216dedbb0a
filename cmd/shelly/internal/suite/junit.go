package suite

import (
	"io"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/durable"
	"shelly/sim/report"
)

// junitReady makes sure, before anything runs, that the JUnit file can be written,
// and makes its folder where there is none (SCN-42).
func (c *Command) junitReady() error {
	switch {
	case c.JUnit == "":
		return nil
	case c.List:
		return exit.Errorf(exit.Usage, "--junit tells what ran, and --list runs nothing: leave one out")
	case c.JUnit == "-":
		return exit.Errorf(exit.Usage, "--junit: standard output has the other report; name a file")
	}
	if at, err := os.Stat(c.JUnit); err == nil && !at.Mode().IsRegular() {
		return exit.Errorf(exit.Usage, "--junit: %s is no file that can be replaced", c.JUnit)
	}
	dir := filepath.Dir(c.JUnit)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return exit.Errorf(exit.Usage, "--junit: %w", err)
	}
	probe, err := os.CreateTemp(dir, ".junit.*")
	if err != nil {
		return exit.Errorf(exit.Usage, "--junit: %w", err)
	}
	_ = probe.Close() // nothing was written to it
	return os.Remove(probe.Name())
}

// writeJUnit writes the JUnit file, where one is wanted.
func (c *Command) writeJUnit(r *report.Run) error {
	if c.JUnit == "" {
		return nil
	}
	err := durable.As{Perm: 0o644, Follow: true}.File(c.JUnit, func(w io.Writer) error { return report.JUnit(w, r) })
	if err != nil {
		return exit.Errorf(exit.Disk, "--junit: %w", err)
	}
	return nil
}
