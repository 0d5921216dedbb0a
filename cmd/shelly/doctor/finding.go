package doctor

import (
	"fmt"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
)

// finding is the result of one check.
type finding struct {
	Level string `json:"level"` // ok, warn or fail
	What  string `json:"what"`
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"` // what to do about it
}

// examination collects findings.
type examination struct{ findings []finding }

func (x *examination) ok(what, found string) { x.add("ok", what, found, "") }

func (x *examination) warn(what, found, mend string) { x.add("warn", what, found, mend) }

func (x *examination) fail(what, found, mend string) { x.add("fail", what, found, mend) }

func (x *examination) add(level, what, found, mend string) {
	x.findings = append(x.findings, finding{level, what, found, mend})
}

// report prints the findings; if one fails, the exit code is 1.
func (x *examination) report(t *terminal.Terminal, asJSON bool) error {
	if asJSON {
		if err := t.JSON(x.findings); err != nil {
			return err
		}
	} else {
		for _, f := range x.findings {
			fmt.Fprintf(t.Out, "%-4s  %-13s  %s\n", f.Level, f.What, terminal.Printable(f.Found))
			if f.Mend != "" {
				fmt.Fprintf(t.Out, "      %-13s  → %s\n", "", terminal.Printable(f.Mend))
			}
		}
	}
	if slices.ContainsFunc(x.findings, func(f finding) bool { return f.Level == "fail" }) {
		return exit.Silent(exit.Failed)
	}
	return nil
}
