// Package version knows which shelly this is.
package version

import "runtime/debug"

// stamp is set by the Makefile; without it the build's own record of its commit serves.
var stamp string

// Text is the version: the stamp, a commit, or unknown.
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
