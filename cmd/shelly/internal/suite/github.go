package suite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/report"
)

// stepSummaryBytesMax is GitHub's limit on a step's summary.
const stepSummaryBytesMax = 1 << 20

// onGitHub reports whether GitHub looks for workflow commands in the log: with --format github,
// and in GitHub's own runs (SCN-43).
func (c *Command) onGitHub() bool {
	return c.Format == "github" || c.Format == "pretty" && os.Getenv("GITHUB_ACTIONS") == "true"
}

// log returns where the report for people goes.
func (c *Command) log(t *terminal.Terminal) io.Writer {
	if c.onGitHub() {
		return report.Guard(t.Out)
	}
	return t.Out
}

// errors returns where what a case or a file says goes in an error, if not by way of [exit.Code]:
// GitHub looks for workflow commands there, too.
func (c *Command) errors(t *terminal.Terminal) io.Writer {
	if c.onGitHub() {
		return report.Guard(t.Err)
	}
	return t.Err
}

// tellGitHub annotates the source and writes the step's summary. A failure to write the summary
// is reported and has no other effect.
func (c *Command) tellGitHub(t *terminal.Terminal, r *report.Run) error {
	if !c.onGitHub() {
		return nil
	}
	if err := report.Annotations(t.Out, r, pathOnGitHub); err != nil {
		return err
	}
	if name := os.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
		if err := appendSummary(name, r); err != nil {
			fmt.Fprintln(t.Err, "shelly: cannot write the step's summary:", err)
		}
	}
	return nil
}

// appendSummary writes the summary after those of other commands of the step.
func appendSummary(name string, r *report.Run) (err error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	at, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, report.StepSummary(r, pathOnGitHub, max(0, stepSummaryBytesMax-int(at.Size()))))
	return err
}

// pathOnGitHub returns a file's path from the root of the repository if it is in it, else the
// path as it is.
func pathOnGitHub(file string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if whole, err := filepath.Abs(file); err == nil && root != "" {
		if below, err := filepath.Rel(root, whole); err == nil && filepath.IsLocal(below) {
			file = below
		}
	}
	return filepath.ToSlash(file)
}
