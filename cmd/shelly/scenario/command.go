// Package scenario is shelly scenario, which helps to write scenario files.
package scenario

import (
	"shelly/cmd/shelly/internal/suite"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/scenarios"
)

// Command helps to write scenario files (CLI-13).
type Command struct {
	Init    initCmd     `cmd:"" help:"Write a first scenario, the schemas and a CI workflow."`
	Lint    suite.Lint  `cmd:"" help:"Report suspicious but valid scenarios."`
	Cost    suite.Cost  `cmd:"" help:"Show what the model calls of cases cost on a slow machine."`
	Merge   suite.Merge `cmd:"" help:"Merge the JSON reports of shards."`
	Format  formatCmd   `cmd:"" help:"Format scenario files: keys in order, no needless blanks."`
	Explain explainCmd  `cmd:"" help:"Explain a key of scenario files, with an example."`
	Schema  schemaCmd   `cmd:"" help:"Print the JSON Schema of scenario files, for editors."`
}

type schemaCmd struct {
	Property bool `xor:"which" help:"Print the schema of property files."`
	Fragment bool `xor:"which" help:"Print the schema of included files; it refers to scenario.v1.json in the same folder."`
}

// Help is what follows the usage.
func (schemaCmd) Help() string {
	return "Editors with YAML support complete and check a scenario whose first line names the schema:\n\n" +
		"  # yaml-language-server: $schema=schema/scenario.v1.json"
}

// Run implements the subcommand (SCN-20).
func (c *schemaCmd) Run(t *terminal.Terminal) error {
	schema := scenarios.Schema
	switch {
	case c.Fragment:
		schema = scenarios.FragmentSchema
	case c.Property:
		schema = scenarios.PropertySchema
	}
	_, err := t.Out.Write(schema)
	return err
}
