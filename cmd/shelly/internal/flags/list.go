package flags

import (
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
)

// List has the flags of every subcommand that lists the newest of something. What happens over
// time is listed with the newest last, anything else with the newest first; the tag
// set:"order=first" on the embedding field selects the latter (CLI-210), and set:"limit=…" sets
// another default.
type List struct {
	Limit int `short:"n" default:"${limit=20}" placeholder:"N" help:"At most N, the newest ${order=last} (default ${default}; 0 for all)."`
	AsJSON
}

// Validate refuses a negative limit. The parser calls it.
func (l List) Validate() error {
	if l.Limit < 0 {
		return exit.Errorf(exit.Usage, "--limit: give a number, or 0 for all")
	}
	return nil
}

// Recent has the flag of subcommands that can leave out old items.
type Recent struct {
	Since string `placeholder:"WHEN" help:"Since a date or a time, or the last 7d, 12h, …"`
}

// From returns the time that --since names; 0 if it is not given. Its error has an exit code.
func (r Recent) From() (fsm.Millis, error) { return moment.At("--since", r.Since) }
