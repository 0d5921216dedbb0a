package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Part is a report of some of the cases, and where it comes from.
type Part struct {
	Name string // of the file
	*Run
}

// Merge joins the reports of several parts of one run (SCN-65). Missing says what is not
// in them: a shard, or cases that a run left out. An error says which two reports hold the
// same, so that nobody knows which of them counts.
func Merge(parts []Part) (r *Run, missing []string, err error) {
	missing, err = shardsOf(parts)
	if err != nil {
		return nil, nil, err
	}
	r = &Run{Times: true}
	seen, broken := map[string]int{}, map[string]bool{}
	for n, p := range parts {
		r.Times = r.Times && p.Times
		r.Took += p.Took
		for i := range p.Cases {
			c := p.Cases[i]
			key := c.File + "\x00" + c.Name
			if c.Name == "" { // each shard reports a file that does not load
				if !broken[key] {
					r.Cases = append(r.Cases, c)
				}
				broken[key] = true
				continue
			}
			if other, ok := seen[key]; ok && other != n { // the same name may have been given twice
				return nil, nil, fmt.Errorf("%s of %s is in %s and in %s; name reports of different cases", c.Title(), c.File, parts[other].Name, p.Name)
			}
			seen[key] = n
			r.Cases = append(r.Cases, c)
		}
		if p.LeftOut > 0 {
			r.LeftOut += p.LeftOut
			missing = append(missing, fmt.Sprintf("%s: its run left out %s", p.Name, wording.Count(p.LeftOut, "case")))
		}
	}
	if !r.Times {
		r.Took = 0
	}
	slices.SortStableFunc(r.Cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	r.Coverage = mergeCoverage(parts)
	return r, missing, nil
}

// shardsOf checks that shards are those of one division, each once, and says which are
// missing.
func shardsOf(parts []Part) (missing []string, err error) {
	from := map[string]string{}
	divided := ""
	for _, p := range parts {
		if p.Shard == "" {
			continue
		}
		_, of, _ := strings.Cut(p.Shard, "/")
		switch {
		case from[p.Shard] != "":
			return nil, fmt.Errorf("shard %s is in %s and in %s; name the report that counts", p.Shard, from[p.Shard], p.Name)
		case divided != "" && divided != of:
			return nil, fmt.Errorf("%s is of shard %s, but other reports are of %s shards; name the reports of one run", p.Name, p.Shard, divided)
		}
		divided, from[p.Shard] = of, p.Name
	}
	if divided == "" {
		return nil, nil
	}
	if len(from) < len(parts) {
		return nil, errors.New("some of the reports are of shards and some of whole runs; name the reports of one run")
	}
	count := 0
	if _, err := fmt.Sscanf(divided, "%d", &count); err != nil || count < 1 {
		return nil, fmt.Errorf("%q is no number of shards", divided)
	}
	for i := 1; i <= count; i++ {
		if name := fmt.Sprintf("%d/%d", i, count); from[name] == "" {
			missing = append(missing, "shard "+name+" is missing")
		}
	}
	return missing, nil
}

// mergeCoverage joins what the parts took; nil unless all of them say. What some part took
// is taken. A part without cases, such as an empty shard, knows no rules and says nothing about
// them; if one with cases knows none, neither does the whole.
func mergeCoverage(parts []Part) *Coverage {
	var all Coverage
	var rules *Share
	for i, p := range parts {
		c := p.Coverage
		if c == nil {
			return nil
		}
		if i == 0 {
			all = Coverage{Transitions: c.Transitions, States: c.States, Faults: c.Faults}
		}
		all.Transitions.join(c.Transitions)
		all.States.join(c.States)
		all.Faults.join(c.Faults)
		switch {
		case c.NoRules != "":
			if all.NoRules == "" && slices.ContainsFunc(p.Cases, func(c Case) bool { return c.Name != "" }) {
				all.NoRules = c.NoRules
			}
		case rules == nil:
			first := c.Rules
			rules = &first
		default:
			rules.join(c.Rules)
		}
	}
	if rules == nil {
		all.NoRules = cmp.Or(all.NoRules, parts[0].Coverage.NoRules)
	} else if all.NoRules == "" {
		all.Rules = *rules
	}
	return &all
}

// join takes in what another part took of the same.
func (s *Share) join(o Share) {
	var missing []string
	for _, name := range s.Missing {
		if slices.Contains(o.Missing, name) {
			missing = append(missing, name)
		}
	}
	s.Missing, s.Taken = missing, s.Of-len(missing)
}
