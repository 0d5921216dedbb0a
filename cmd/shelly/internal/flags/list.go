package flags

import (
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
)

// List is the flags of every subcommand that lists the newest of what there is: of what
// happened, the newest last, of all else the newest first, which set:"order=first" on the
// embedding field says (CLI-210). So set:"limit=…" gives another default.
type List struct {
	Limit int `short:"n" default:"${limit=20}" placeholder:"N" help:"At most N, the newest ${order=last} (default ${default}; 0 for all)."`
	AsJSON
}

// Validate refuses a limit that says nothing. The parser calls it.
func (l List) Validate() error {
	if l.Limit < 0 {
		return exit.Errorf(exit.Usage, "--limit: give a number, or 0 for all")
	}
	return nil
}

// Recent is the flag of those that can leave out what is old.
type Recent struct {
	Since string `placeholder:"WHEN" help:"Since a date or a time, or the last 7d, 12h, …"`
}

// From is the time that --since names; 0 if it is not given. Its error has its exit code.
func (r Recent) From() (fsm.Millis, error) { return moment.At("--since", r.Since) }
