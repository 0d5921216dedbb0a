package spec

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"shelly/fsm/state"
)

// TableRow is a row of one of the machine's tables.
type TableRow struct {
	Table string
	state.Row
}

// Explanation is one rule in all its places.
type Explanation struct {
	Rule      Rule
	Rows      []TableRow // whose reason is the rule
	Code      []Place
	Tests     []Place
	Scenarios []Place
}

// Explain returns a rule of the project in fsys with all its places, each line once. The id
// may be in lower case. An unknown id is an error that names the known ones.
func Explain(fsys fs.FS, id string) (Explanation, error) {
	id = strings.ToUpper(id)
	docs, err := Documents(fsys)
	if err != nil {
		return Explanation{}, err
	}
	rules, err := Rules(docs)
	if err != nil {
		return Explanation{}, err
	}
	b := newBook(rules)
	rule, ok := b.byID[id]
	if !ok {
		return Explanation{}, b.instead(id)
	}
	citations, err := scan(fsys)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Rule: rule}
	for _, t := range state.Tables() {
		for _, r := range t.Rows {
			if r.Rule == id {
				e.Rows = append(e.Rows, TableRow{t.Name, r})
			}
		}
	}
	places := []*[]Place{inCode: &e.Code, inTest: &e.Tests, inScenario: &e.Scenarios}
	for _, c := range citations {
		list := places[c.kind]
		if c.id == id && (len(*list) == 0 || (*list)[len(*list)-1] != c.Place) {
			*list = append(*list, c.Place)
		}
	}
	return e, nil
}

// instead returns an error that says which rules there are instead of id.
func (b book) instead(id string) error {
	wanted := Rule{ID: id}.Family()
	var ids, families []string
	seen := map[string]bool{}
	for _, r := range b.rules {
		if family := r.Family(); !seen[family] {
			seen[family] = true
			families = append(families, family)
		}
		if r.Family() == wanted {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 0 {
		return fmt.Errorf("%s; the rules of that family are: %s", noRule(id), strings.Join(ids, ", "))
	}
	return fmt.Errorf("%s; the families of rules are: %s", noRule(id), strings.Join(families, ", "))
}

// Print writes the explanation for a person.
func (e Explanation) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", e.Rule.ID, e.Rule.Text)
	if e.Rule.Why != "" {
		fmt.Fprintf(&b, "\nwhy  %s\n", e.Rule.Why)
	}
	fmt.Fprintf(&b, "\n%s:%d\n", e.Rule.File, e.Rule.Line)
	if len(e.Rows) > 0 {
		b.WriteString("\ntable\n")
		for _, r := range e.Rows {
			fmt.Fprintf(&b, "  %s: %s --%s--> %s\n", r.Table, r.From, r.On, r.To)
		}
	}
	for _, part := range []struct {
		name   string
		places []Place
	}{{"code", e.Code}, {"tests", e.Tests}, {"scenarios", e.Scenarios}} {
		b.WriteString("\n" + part.name + "\n")
		if len(part.places) == 0 {
			b.WriteString("  none\n")
		}
		for _, p := range part.places {
			fmt.Fprintf(&b, "  %s:%d: %s\n", p.File, p.Line, p.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Print writes every generated block in Markdown: the tables, the diagrams, the
// kinds of effects, the profiles' limits, switches and prompts, and the invariants.
func Print(w io.Writer) error {
	for i, name := range Blocks() {
		text, err := Render(name)
		if err != nil {
			return err
		}
		if i > 0 {
			text = "\n## " + name + "\n\n" + text
		} else {
			text = "## " + name + "\n\n" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}
