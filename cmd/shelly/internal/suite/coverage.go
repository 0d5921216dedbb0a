package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/checkout"
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/spec"
	"shelly/sim/report"
)

// percent is a percentage in thousandths of a percent, from 0 to 100,000.
type percent int

const (
	percentOne      = 1000 // 1 %
	percentAll      = 100 * percentOne
	percentDecimals = 3
)

// UnmarshalText implements [encoding.TextUnmarshaler]: a number from 0 to 100 with
// up to three decimals.
func (p *percent) UnmarshalText(text []byte) error {
	whole, decimals, dotted := strings.Cut(string(text), ".")
	wrong := fmt.Errorf("%q is not a percentage; give a number from 0 to 100, such as 97.5", text)
	if whole+decimals == "" || dotted && decimals == "" || len(decimals) > percentDecimals || strings.ContainsAny(string(text), "+-") {
		return wrong
	}
	n, err := strconv.Atoi(whole + decimals + strings.Repeat("0", percentDecimals-len(decimals)))
	if err != nil || n > percentAll {
		return wrong
	}
	*p = percent(n)
	return nil
}

// String returns the percentage as a person writes it.
func (p percent) String() string {
	text := fmt.Sprintf("%d.%03d", p/percentOne, p%percentOne)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + " %"
}

// coverageFlags refuses flags that exclude each other.
func (c *Command) coverageFlags() error {
	switch {
	case c.covers() && c.List:
		return exit.Errorf(exit.Usage, "--list runs nothing that could cover anything; leave it out")
	case c.MinTransitions != nil && c.Shard != nil:
		return exit.Errorf(exit.Usage, "--min-transitions is about all cases, but --shard runs only some; leave one out")
	}
	return nil
}

// covers reports whether coverage is asked for.
func (c *Command) covers() bool { return c.Coverage || c.MinTransitions != nil }

// cover counts the coverage, if it is asked for (SCN-44).
func (c *Command) cover(cases []report.Case) *report.Coverage {
	if !c.covers() {
		return nil
	}
	if len(cases) == 0 {
		return report.NewCoverage(cases, nil, "no case was played")
	}
	rules, err := rulesAbove(cases[0].File)
	if err != nil {
		return report.NewCoverage(cases, nil, err.Error())
	}
	return report.NewCoverage(cases, rules, "")
}

// tooFew returns an error if fewer transitions are taken than required.
func (c *Command) tooFew(coverage *report.Coverage) error {
	if c.MinTransitions == nil || coverage == nil {
		return nil
	}
	least, s := *c.MinTransitions, coverage.Transitions
	if s.Taken*percentAll >= int(least)*s.Of {
		return nil
	}
	return exit.Errorf(exit.Failed, "%d of %d transitions are taken (%s), fewer than --min-transitions %s", s.Taken, s.Of, s.Percent(), least)
}

// rulesAbove returns the ids of the rules in the SPEC.md in or above the folder of a file, or an
// error that says why there are none.
func rulesAbove(file string) ([]string, error) {
	root, err := checkout.Above(filepath.Dir(file))
	if err != nil {
		return nil, errors.New("no SPEC.md is above the scenarios")
	}
	docs, err := spec.Documents(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	rules, err := spec.Rules(docs)
	if err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s has none", filepath.Join(root, spec.File))
	}
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.ID
	}
	return ids, nil
}
