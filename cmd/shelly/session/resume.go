package session

import (
	"shelly/cmd/shelly/chat"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
)

type resumeCmd struct {
	ID string `arg:"" help:"Session to go on in."`
	flags.Place
}

// Help says what else can be done there.
func (resumeCmd) Help() string {
	return "The same as shelly chat --session ID, of a session that there is. In a chat, /session ID does it."
}

// Run implements the subcommand (CLI-159).
func (c *resumeCmd) Run(t *terminal.Terminal, shell terminal.Shell) error {
	err := use(&c.Place, func(r reader) error {
		_, err := r.find(c.ID)
		return err
	})
	if err != nil {
		return err
	}
	return (&chat.Command{Session: c.ID, Place: c.Place}).Run(t, shell)
}
