package main

import "shelly/scenarios"

// scenarioCmd is what helps to write scenario files (CLI-13).
type scenarioCmd struct {
	Lint   lintCmd   `cmd:"" help:"Say what loads but is doubtful."`
	Schema schemaCmd `cmd:"" help:"Print the JSON Schema of scenario files, for editors."`
}

type schemaCmd struct{}

// Help is what follows the usage.
func (schemaCmd) Help() string {
	return "Editors that know YAML complete and check a scenario whose first line names the schema:\n\n" +
		"  # yaml-language-server: $schema=schema/scenario.v1.json"
}

// Run implements the subcommand (SCN-20).
func (c *schemaCmd) Run(t *terminal) error {
	_, err := t.out.Write(scenarios.Schema)
	return err
}
