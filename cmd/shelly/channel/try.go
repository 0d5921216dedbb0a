package channel

import (
	"context"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm/client"
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
func (c *tryCmd) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	if strings.TrimSpace(c.Chat) == "" {
		return exit.Errorf(exit.Usage, "the chat to send to is empty")
	}
	tried, err := client.New(cfg.Data, client.Options{}).TryChannel(context.Background(), c.Channel, c.Chat, c.Text)
	if err != nil {
		return exit.Daemon(err)
	}
	if tried.Failed != "" {
		return exit.Errorf(exit.Failed, "%s did not accept it: %s", terminal.Printable(c.Channel), terminal.Printable(tried.Failed))
	}
	_, err = fmt.Fprintf(t.Out, "%s accepted it, as %s\n", terminal.Printable(c.Channel), tried.ID)
	return err
}
