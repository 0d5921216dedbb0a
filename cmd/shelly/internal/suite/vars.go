package suite

import (
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/wording"
	"shelly/sim/scenario"
	"shelly/sim/scenario/document"
)

// readVars parses --var (SCN-61).
func readVars(texts []string) (vars document.Given, err error) {
	for _, text := range texts {
		if err := vars.Give(text); err != nil {
			return nil, exit.Errorf(exit.Usage, "--var: %w", err)
		}
	}
	return vars, nil
}

// unusedVar returns an error if a variable is given that no file has.
func unusedVar(vars document.Given, all []*scenario.File) error {
	if len(vars) == 0 {
		return nil
	}
	cases := make([]*document.Case, len(all))
	for i, f := range all {
		cases[i] = f.Case
	}
	name, known, matrix := vars.Unused(cases)
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
