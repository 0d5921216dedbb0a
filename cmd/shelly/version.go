package main

import (
	"fmt"
	"runtime"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/version"
)

type versionCmd struct{}

// Run implements the subcommand (CLI-12).
func (versionCmd) Run(t *terminal.Terminal) error {
	fmt.Fprintln(t.Out, versionLine())
	return nil
}

// versionLine is what version and --version print.
func versionLine() string {
	return fmt.Sprintf("shelly %s %s %s/%s", version.Text(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
