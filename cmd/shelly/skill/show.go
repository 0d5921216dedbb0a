package skill

import (
	"context"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
)

type showCmd struct {
	place
	Name string `arg:"" help:"Name of the skill."`
	File string `arg:"" optional:"" help:"One of its files, as load_skill_reference gives it."`
	flags.AsJSON
}

// Run implements the subcommand (CLI-90).
func (c *showCmd) Run(t *terminal.Terminal) error {
	cfg, l, problems, err := c.open()
	if err != nil {
		return err
	}
	s, err := named(l, problems, c.Name)
	if err != nil {
		c.tellElsewhere(t, cfg)
		return err
	}
	text, err := l.Load(context.Background(), c.Name, c.File)
	if err != nil {
		return exit.With(exit.NoMatch, err)
	}
	if c.JSON {
		return t.JSON(struct {
			row
			Text   string `json:"text"`
			Tokens int    `json:"tokens"` // an estimate
		}{rowOf(&s), text, fsm.TextTokens(text)})
	}
	if c.File == "" {
		for _, line := range []struct{ what, says string }{
			{"description", s.Description}, {"license", s.License}, {"compatibility", s.Compatibility},
			{"allowed-tools (not granted)", strings.Join(s.AllowedTools, " ")},
		} {
			if line.says != "" {
				fmt.Fprintf(t.Out, "%s: %s\n", line.what, terminal.Printable(line.says))
			}
		}
		for _, e := range s.Metadata {
			fmt.Fprintf(t.Out, "metadata.%s: %s\n", terminal.Printable(e.Key), terminal.Printable(e.Value))
		}
		fmt.Fprintf(t.Out, "size: about %s\n\n", wording.Count(fsm.TextTokens(text), "token"))
	}
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		fmt.Fprintln(t.Out, terminal.Printable(strings.TrimSuffix(line, "\n")))
	}
	return nil
}
