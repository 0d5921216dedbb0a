// Package version knows the version of this build.
package version

import "runtime/debug"

// stamp is set by the Makefile; without it, the commit recorded in the build is used.
var stamp string

// Text returns the version: the stamp, a commit, or unknown.
func Text() string {
	if stamp != "" {
		return stamp
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
