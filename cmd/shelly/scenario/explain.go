package scenario

import (
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/scenarios"
	"shelly/sim/scenario/reference"
)

type explainCmd struct {
	Key string `arg:"" help:"Key, such as expect.trace, brain[].sees, generate.faults, or just sees."`
}

// Help is the text after the usage.
func (explainCmd) Help() string {
	return "Prints what a key means, what it takes, its default, its rules and an example; docs/reference.md has all keys. Exit code 4 if there is no such key."
}

// Run implements the subcommand (SCN-67).
func (c *explainCmd) Run(t *terminal.Terminal) error {
	f, err := reference.New(scenarios.Schema)
	if err != nil {
		return err
	}
	examples, err := reference.ReadExamples(scenarios.Examples)
	if err != nil {
		return err
	}
	property, err := reference.Property(scenarios.PropertySchema, f)
	if err != nil {
		return err
	}
	keys, err := reference.Find(c.Key, f, property)
	if err != nil {
		return exit.With(exit.NoMatch, err)
	}
	for i := range keys {
		if i > 0 {
			fmt.Fprintln(t.Out)
		}
		fmt.Fprint(t.Out, keys[i].Text(examples))
	}
	return nil
}
