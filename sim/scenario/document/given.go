package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Given are values that variables have in place of those of their files (SCN-61). The
// zero value gives none.
type Given []given

type given struct {
	name string
	text string       // NAME=VALUE, as it was written
	node *strict.Node // the value
}

// Give adds a variable that is written NAME=VALUE, the value as YAML: what vars would
// have after the colon.
func (g *Given) Give(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || name == "":
		return errors.New("wants NAME=VALUE, not " + wording.Word(text))
	case !isVariableName(name):
		return errors.New("the name of a variable is a lower-case letter and up to 39 of a-z, 0-9 and _, not " + wording.Word(name))
	case slices.ContainsFunc(*g, func(o given) bool { return o.name == name }):
		return errors.New(name + " is given twice")
	}
	root, problem := strict.Parse([]byte("value: "+value), "a value", "")
	switch {
	case problem != nil:
		return fmt.Errorf("%s: %s is not a value of YAML: %s; a text may need quotes, as in %s='\"a: b\"'", name, wording.Word(value), problem.Text, name)
	case len(root.Content) != 2:
		return fmt.Errorf("%s: wants one value, not %s", name, wording.Word(value))
	case root.Content[1].Kind == strict.NullKind:
		return fmt.Errorf("%s: wants a value; %s='\"\"' is the empty text", name, name)
	}
	*g = append(*g, given{name, text, root.Content[1]})
	return nil
}

// Unused returns the first name that none of the cases has as a variable, and the names
// that they have; "" where each is some case's.
func (g Given) Unused(cases []*Case) (name string, known []string, matrix bool) {
	seen := map[*document]bool{}
	ofMatrix := map[string]bool{}
	for _, c := range cases {
		if seen[c.doc] {
			continue
		}
		seen[c.doc] = true
		known = append(known, c.doc.names[:len(c.doc.vars)]...)
		for _, n := range c.doc.names[len(c.doc.vars):] {
			ofMatrix[n] = true
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, v := range g {
		if !slices.Contains(known, v.name) {
			return v.name, known, ofMatrix[v.name]
		}
	}
	return "", known, false
}

// of returns the value that is given to a variable, as if it stood at a place, or nil.
func (g Given) of(name string, at strict.Pos) *strict.Node {
	i := slices.IndexFunc(g, func(v given) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return placed(g[i].node, at)
}

// placed is a copy of a value whose parts all stand at one place.
func placed(n *strict.Node, at strict.Pos) *strict.Node {
	out := *n
	out.Pos, out.Content = at, nil
	for _, inner := range n.Content {
		out.Content = append(out.Content, placed(inner, at))
	}
	return &out
}

// Given lists as NAME=VALUE the variables of the case's file that have another value
// than it says, in the order in which they were given.
func (c *Case) Given() []string {
	var list []string
	for _, v := range c.doc.given {
		if slices.Contains(c.doc.names[:len(c.doc.vars)], v.name) {
			list = append(list, v.text)
		}
	}
	return list
}
