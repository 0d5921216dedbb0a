// Package chat is shelly chat, which talks to the running daemon on a terminal.
//
// It is a view of the machine: what happens is decided there, and what a person types is sent
// there. Package talk is the conversation as it is shown, without any input or output; this
// package has the keyboard, the screen and the connection to the daemon.
//
// The screen is drawn in place, not in an alternate one: what is finished scrolls away above
// as the output of any program does, so that it can be scrolled to, searched and copied with
// the terminal's own means and stays there afterwards. Only what still changes is drawn again.
package chat

import (
	"errors"
	"os"

	"shelly/cmd/shelly/chat/talk"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// Command is the subcommand.
type Command struct {
	Session string `placeholder:"NAME" help:"Session to talk in. Default: the chat's."`
	Channel string `placeholder:"NAME" help:"Channel the requests come from."`
	Chat    string `placeholder:"NAME" help:"Chat in the channel, which the agent's messages go to."`
	flags.Place
}

// Help is the text after the usage.
func (Command) Help() string {
	return "/help lists the commands and keys. What shelly says stays in the terminal when the chat ends, " +
		"and running requests continue. Needs a terminal; in programs, use shelly ask."
}

// Run implements the subcommand (CLI-150).
func (c *Command) Run(t *terminal.Terminal, shell terminal.Shell) error {
	in, ok := terminal.File(t.In)
	out, is := terminal.File(t.Out)
	if !ok || !is || !terminal.Is(t.In) || !terminal.Is(t.Out) {
		return exit.Errorf(exit.Usage, "chat needs a terminal; in a program use shelly ask TEXT")
	}
	if os.Getenv("TERM") == "dumb" {
		return exit.Errorf(exit.Usage, "chat cannot use this terminal because it cannot move its cursor (TERM=dumb); use shelly ask TEXT")
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	if _, err := client.ReadEndpoint(cfg.Data); errors.Is(err, client.ErrNotRunning) {
		return exit.Daemon(err)
	}
	chat := comm.ChatOf(c.Channel, c.Chat)
	model := talk.New(talk.Options{
		Session: c.Session, Chat: chat.Key(), Earlier: loadPast(cfg.Data), Colours: terminal.Colours(t.Out), NewID: client.NewID,
	})
	d := newDesk(cfg, c, chat, shell)
	defer d.leave()
	return (&loop{in: in, out: out, model: model, desk: d}).run()
}
