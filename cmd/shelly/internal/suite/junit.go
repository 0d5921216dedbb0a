package suite

import (
	"cmp"
	"io"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/runs"
	"shelly/runtime/durable"
	"shelly/sim/report"
)

// filesReady checks, before anything runs, that the files of the other reports can be written.
func (c *Command) filesReady() error {
	return cmp.Or(c.ready("--junit", c.JUnit), c.ready("--html", c.HTML))
}

// ready checks that the file of a flag can be written, and creates its folder if necessary
// (SCN-42, CLI-162).
func (c *Command) ready(flag, name string) error {
	switch {
	case name == "":
		return nil
	case c.List:
		return exit.Errorf(exit.Usage, "%s reports what ran, but --list runs nothing; leave one out", flag)
	case name == "-":
		return output.Other(flag, name, "the other report")
	}
	if at, err := os.Stat(name); err == nil && !at.Mode().IsRegular() {
		return exit.Errorf(exit.Usage, "%s: %s is not a file that can be replaced", flag, name)
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return exit.Errorf(exit.Disk, "%s: %w", flag, err)
	}
	probe, err := os.CreateTemp(dir, ".report.*")
	if err != nil {
		return exit.Errorf(exit.Disk, "%s: write %s: %w", flag, name, bare(err))
	}
	_ = probe.Close() // nothing was written to it
	return os.Remove(probe.Name())
}

// writeJUnit writes the JUnit file, if one is asked for.
func (c *Command) writeJUnit(r *report.Run) error {
	return written("--junit", c.JUnit, func(w io.Writer) error { return report.JUnit(w, r) })
}

// writeHTML writes the HTML file, if one is asked for (CLI-162).
func (c *Command) writeHTML(r *report.Run, kept *runs.Recorder) error {
	return written("--html", c.HTML, func(w io.Writer) error { return kept.Write(w, r) })
}

// written writes the file of a flag, if it names one.
func written(flag, name string, content func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	if err := (durable.As{Perm: 0o644}).File(name, content); err != nil {
		return exit.Errorf(exit.Disk, "%s: %w", flag, err)
	}
	return nil
}
