package spec

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Rule is one rule of the specification.
type Rule struct {
	ID   string // "HND-7"
	Text string // without the id, on one line
	Why  string // the reason given after it, on one line; most have none
	File string // the document that has it, from the project's root
	Line int    // in File, from 1
}

// Family returns the part of a rule's id before the dash.
func (r Rule) Family() string {
	family, _, _ := strings.Cut(r.ID, "-")
	return family
}

const idPattern = `[A-Z]{3}-[0-9]+`

// Rules returns the rules of a specification in their order. The error names every
// duplicate id, and every rule without a text.
func Rules(docs []Document) ([]Rule, error) {
	var rules []Rule
	for _, d := range docs {
		rules = append(rules, d.rules()...)
	}
	return rules, sound(rules)
}

// rules returns the rules of one document in their order.
func (d Document) rules() []Rule {
	head := regexp.MustCompile(`^(?:- )?\*\*(` + idPattern + `)\*\*(.*)$`)
	var rules []Rule
	var open *string // the text that the next line continues
	fenced := false
	for i, line := range strings.Split(string(d.Text), "\n") {
		line = strings.TrimSpace(line)
		why, reason := strings.CutPrefix(line, "*Why*:")
		found := head.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, open = !fenced, nil
		case fenced:
		case found != nil:
			rules = append(rules, Rule{ID: found[1], Text: strings.TrimSpace(found[2]), File: d.File, Line: i + 1})
			open = &rules[len(rules)-1].Text
		case reason && len(rules) > 0:
			open = &rules[len(rules)-1].Why
			*open = strings.TrimSpace(why)
		case line == "" || strings.ContainsAny(line[:1], "#|<"):
			open = nil
		case open != nil:
			*open = strings.TrimSpace(*open + " " + line)
		}
	}
	return rules
}

// sound returns an error for each rule that cannot be cited.
func sound(rules []Rule) error {
	var errs []error
	firsts := map[string]Rule{}
	for _, r := range rules {
		if first, ok := firsts[r.ID]; ok {
			errs = append(errs, fmt.Errorf("%s:%d: rule %s is already at %s:%d", r.File, r.Line, r.ID, first.File, first.Line))
			continue
		}
		firsts[r.ID] = r
		if r.Text == "" {
			errs = append(errs, fmt.Errorf("%s:%d: rule %s says nothing", r.File, r.Line, r.ID))
		}
	}
	return errors.Join(errs...)
}

// book is the rules by id.
type book struct {
	rules    []Rule
	byID     map[string]Rule
	families map[string]bool
}

func newBook(rules []Rule) book {
	b := book{rules: rules, byID: map[string]Rule{}, families: map[string]bool{}}
	for _, r := range rules {
		b.byID[r.ID] = r
		b.families[r.Family()] = true
	}
	return b
}

// unknown reports whether id looks like a rule of a known family but is not one.
func (b book) unknown(id string) bool {
	_, ok := b.byID[id]
	return !ok && b.families[Rule{ID: id}.Family()]
}
