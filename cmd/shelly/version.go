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
	fmt.Fprintf(t.Out, "shelly %s %s %s/%s\n", version.Text(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
