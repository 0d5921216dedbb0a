package doctor

import (
	"fmt"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/terminal"
)

// foundAt is the column that what was found begins at.
const foundAt = len("fail  ") + 13 + len("  ")

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
			columns := terminal.Width(t.Out)
			fmt.Fprint(t.Out, listing.Beside(fmt.Sprintf("%-4s  %-13s  %s\n", f.Level, f.What, terminal.Printable(f.Found)), foundAt, columns))
			if strings.HasPrefix(f.Mend, "run: ") {
				columns = 0 // a command can be copied from one line
			}
			if f.Mend != "" {
				fmt.Fprint(t.Out, listing.Beside(fmt.Sprintf("      %-13s  → %s\n", "", terminal.Printable(f.Mend)), foundAt, columns))
			}
		}
	}
	if slices.ContainsFunc(x.findings, func(f finding) bool { return f.Level == "fail" }) {
		return exit.Silent(exit.Failed)
	}
	return nil
}
