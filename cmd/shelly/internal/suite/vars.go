package suite

import (
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/wording"
	"shelly/sim/scenario"
	"shelly/sim/scenario/document"
)

// readVars reads --var (SCN-61).
func (c *Command) readVars() error {
	c.given = nil
	for _, text := range c.Vars {
		if err := c.given.Give(text); err != nil {
			return exit.Errorf(exit.Usage, "--var: %w", err)
		}
	}
	return nil
}

// unusedVar is the error about a variable that no file has.
func (c *Command) unusedVar(all []*scenario.File) error {
	if len(c.given) == 0 {
		return nil
	}
	cases := make([]*document.Case, len(all))
	for i, f := range all {
		cases[i] = f.Case
	}
	name, known, matrix := c.given.Unused(cases)
	switch {
	case name == "":
		return nil
	case matrix:
		return exit.Errorf(exit.Usage, "--var: %s is a name of a matrix, not a variable; choose among its cases with --run", name)
	case len(known) == 0:
		return exit.Errorf(exit.Usage, "--var: no file has the variable %s, or any other", name)
	}
	return exit.Errorf(exit.Usage, "--var: %s", wording.Unknown("variable", name, known))
}
