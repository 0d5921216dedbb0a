package session

import (
	"shelly/cmd/shelly/chat"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
)

type resumeCmd struct {
	ID string `arg:"" help:"Session to continue."`
	flags.Place
}

// Help names the alternatives.
func (resumeCmd) Help() string {
	return "The same as shelly chat --session ID, but the session must exist. In a chat, use /session ID."
}

// Run implements the subcommand (CLI-159).
func (c *resumeCmd) Run(t *terminal.Terminal, shell terminal.Shell) error {
	err := use(&c.Place, func(r reader) error {
		l, err := r.find(c.ID)
		c.ID = l.ID
		return err
	})
	if err != nil {
		return err
	}
	return (&chat.Command{Session: c.ID, Place: c.Place}).Run(t, shell)
}
