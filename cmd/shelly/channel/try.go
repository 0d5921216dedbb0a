package channel

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
)

type tryCmd struct {
	Channel string `arg:"" help:"Name of the channel."`
	Chat    string `arg:"" help:"Chat to send to, such as mia@example.org."`
	Text    string `arg:"" optional:"" help:"Text of the message. Default: a text that says it is a test."`
	flags.Place
}

// Help is what follows the usage.
func (tryCmd) Help() string {
	return "The running daemon sends the message once. Exit code 1 if the other side does not accept it."
}

// Run implements the subcommand (CLI-200).
func (c *tryCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	if strings.TrimSpace(c.Chat) == "" {
		return exit.Errorf(exit.Usage, "the chat to send to is empty")
	}
	daemon := client.New(cfg.Data, client.Options{})
	tried, err := daemon.TryChannel(context.Background(), c.Channel, c.Chat, c.Text)
	if errors.Is(err, client.ErrNotFound) {
		return c.unknown(daemon)
	}
	if err != nil {
		return exit.Daemon(err)
	}
	if tried.Failed != "" {
		return exit.Errorf(exit.Failed, "%s did not accept it: %s", terminal.Printable(c.Channel), terminal.Printable(tried.Failed))
	}
	_, err = fmt.Fprintf(t.Out, "%s accepted it, as %s\n", terminal.Printable(c.Channel), tried.ID)
	return err
}

// unknown returns the error for a channel that the daemon does not have, which lists those that
// it has.
func (c *tryCmd) unknown(daemon *client.Client) error {
	list, err := daemon.Channels(context.Background())
	if err != nil {
		return exit.Daemon(err)
	}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return exit.Errorf(exit.NoMatch, "there is no channel %s, and no other; docs/channels.md says how to add one", wording.Word(c.Channel))
	}
	return exit.Errorf(exit.NoMatch, "there is no channel %s; there are: %s", wording.Word(c.Channel), strings.Join(names, ", "))
}
