package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is stamped by the Makefile; without a stamp the build's own record of
// its commit serves.
var version string

type versionCmd struct{}

// Run implements the subcommand (CLI-12).
func (versionCmd) Run(t *terminal) error {
	fmt.Fprintf(t.out, "shelly %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return "unknown"
}
