// Package chat is shelly chat, which talks to the running daemon on a terminal.
//
// It is a view of the one machine: what happens is decided there, and what a person types goes
// there. Package talk is the conversation as it is shown, without any input or output; here
// are the keyboard, the screen and the daemon.
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
	Session string `placeholder:"NAME" help:"Session to talk in. Default: that of the chat."`
	Channel string `placeholder:"NAME" help:"Channel the requests come from."`
	Chat    string `placeholder:"NAME" help:"Chat in the channel; the agent's messages go there."`
	flags.Place
}

// Help says what no flag does.
func (Command) Help() string {
	return "Talks to the running daemon: /help lists the commands and keys. What shelly says stays in the terminal when the chat ends, " +
		"and what is running continues. Needs a terminal; programs use shelly ask."
}

// Run implements the subcommand (CLI-150).
func (c *Command) Run(t *terminal.Terminal, shell terminal.Shell) error {
	in, ok := t.In.(*os.File)
	if !ok || !terminal.Is(t.In) || !terminal.Is(t.Out) {
		return exit.Errorf(exit.Usage, "chat needs a terminal; from a program use shelly ask TEXT")
	}
	if os.Getenv("TERM") == "dumb" {
		return exit.Errorf(exit.Usage, "this terminal (TERM=dumb) cannot move its cursor, which chat needs; use shelly ask TEXT")
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
	return (&loop{in: in, out: t.Out.(*os.File), model: model, desk: d}).run()
}
