package report

import (
	"fmt"
	"slices"
	"strings"

	"shelly/sim/coverage"
)

// Coverage is what the cases of a run took of what there is (SCN-44). Every case
// that was played counts, also one that failed: coverage tells what was reached, and
// the failure tells that it was not right. A crash matrix counts its faults, and of
// the tables what its uninterrupted run took.
type Coverage struct {
	Transitions Share  // rows of the three tables
	States      Share  // of the three tables
	Faults      Share  // of [sim.FaultPoints]
	Rules       Share  // of SPEC.md, by the cases that say they cover them
	NoRules     string // why Rules is empty, where there is no specification to be found
}

// Share is how much of something was taken, and what was not, in a fixed order.
type Share struct {
	Taken   int      `json:"taken"`
	Of      int      `json:"of"`
	Missing []string `json:"missing"`
}

// add counts one thing that there is.
func (s *Share) add(name string, taken bool) {
	s.Of++
	if taken {
		s.Taken++
	} else {
		s.Missing = append(s.Missing, name)
	}
}

// Percent is the share with one decimal, rounded down: only all is 100.0.
func (s Share) Percent() string {
	permille := 1000
	if s.Of > 0 {
		permille = s.Taken * 1000 / s.Of
	}
	return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
}

// NewCoverage counts what cases took. The rules are the ids of the specification's;
// without one noRules says why there are none.
func NewCoverage(cases []Case, rules []string, noRules string) *Coverage {
	took := coverage.New()
	c := &Coverage{NoRules: noRules}
	covered := map[string]bool{} // only looked up
	for i := range cases {
		if cases[i].Covered == nil {
			continue
		}
		took.Join(cases[i].Covered)
		for _, id := range cases[i].Covers {
			covered[id] = true
		}
	}
	for _, r := range took.Rows() {
		c.Transitions.add(fmt.Sprintf("%s: %s --%s→ %s (%s)", r.Table, r.From, r.On, r.To, r.Rule), r.Taken > 0)
	}
	for _, s := range took.States() {
		c.States.add(s.Table+": "+string(s.State), s.Taken > 0)
	}
	for _, f := range took.Faults() {
		c.Faults.add(f.Name, f.Taken > 0)
	}
	for _, id := range rules {
		c.Rules.add(id, covered[id])
	}
	return c
}

// String is the coverage as people read it: what is missing, then how much is there.
func (c *Coverage) String() string {
	var b strings.Builder
	missing := func(what string, s Share) {
		for _, name := range s.Missing {
			fmt.Fprintf(&b, "no case %s %s\n", what, name)
		}
	}
	missing("takes", c.Transitions)
	missing("is in", c.States)
	missing("meets the fault", c.Faults)
	for _, line := range families(c.Rules.Missing) {
		fmt.Fprintf(&b, "no case covers %s\n", line)
	}
	b.WriteString("coverage:\n")
	for _, part := range []struct {
		name string
		Share
	}{{"transitions", c.Transitions}, {"states", c.States}, {"faults", c.Faults}, {"rules", c.Rules}} {
		if part.name == "rules" && c.NoRules != "" {
			fmt.Fprintf(&b, "  %-12s %s\n", part.name, c.NoRules)
		} else {
			fmt.Fprintf(&b, "  %-12s %7s  %d of %d\n", part.name, part.Percent(), part.Taken, part.Of)
		}
	}
	return b.String()
}

// families puts the ids of each family of rules on one line: HND-1, HND-4, HND-9.
func families(ids []string) []string {
	var names, lines []string
	for _, id := range ids {
		family, _, _ := strings.Cut(id, "-")
		i := slices.Index(names, family)
		if i < 0 {
			names, lines = append(names, family), append(lines, id)
			continue
		}
		lines[i] += ", " + id
	}
	return lines
}
