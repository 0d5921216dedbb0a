package spec

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// Problem is something in the project that contradicts its specification.
type Problem struct {
	File string
	Line int
	Text string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// Check returns all problems of the project in fsys, ordered by file and line: generated
// blocks that are missing or out of date, ids of no rule, rules that no code cites, rules
// that neither a test nor a scenario cites, and links in Markdown that lead nowhere. For
// the families LIM (limits) and EXC (exclusions) one citation of any kind is enough. An
// error means that the project could not be read, or that the specification is not sound.
func Check(fsys fs.FS) ([]Problem, error) {
	docs, err := Documents(fsys)
	if err != nil {
		return nil, err
	}
	rules, err := Rules(docs)
	if err != nil {
		return nil, err
	}
	problems, err := checkBlocks(docs)
	if err != nil {
		return nil, err
	}
	citations, err := scan(fsys)
	if err != nil {
		return nil, err
	}
	b := newBook(rules)
	dead, err := checkMarkdown(fsys, b)
	if err != nil {
		return nil, err
	}
	problems = slices.Concat(problems, dead, checkUnknown(b, citations), checkUncited(b, citations))
	slices.SortFunc(problems, func(p, q Problem) int {
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Text, q.Text))
	})
	return slices.Compact(problems), nil
}

// checkBlocks finds generated blocks that are missing or out of date.
func checkBlocks(docs []Document) ([]Problem, error) {
	var problems []Problem
	there := map[string]bool{}
	for _, d := range docs {
		blocks, err := d.blocks()
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			there[b.name] = true
			text, err := Render(b.name)
			switch {
			case err != nil:
				problems = append(problems, Problem{d.File, b.line, err.Error()})
			case text != string(d.Text[b.from:b.to]):
				problems = append(problems, Problem{d.File, b.line, "the generated block " + b.name + " is out of date; run make spec"})
			}
		}
	}
	for _, name := range Blocks() {
		if !there[name] {
			problems = append(problems, Problem{File, 1, "the generated block " + name + " is missing"})
		}
	}
	return problems, nil
}

// checkUnknown finds ids of no rule.
func checkUnknown(b book, citations []citation) []Problem {
	var problems []Problem
	for _, c := range citations {
		_, known := b.byID[c.id]
		if known || c.kind != inScenario && !b.unknown(c.id) {
			continue
		}
		problems = append(problems, Problem{c.File, c.Line, noRule(c.id)})
	}
	return problems
}

func noRule(id string) string { return "there is no rule " + id }

// checkUncited finds rules that are not cited as they must be.
func checkUncited(b book, citations []citation) []Problem {
	code, proof := map[string]bool{}, map[string]bool{}
	for _, c := range citations {
		if c.kind == inCode {
			code[c.id] = true
		} else {
			proof[c.id] = true
		}
	}
	var problems []Problem
	for _, r := range b.rules {
		either := r.Family() == "LIM" || r.Family() == "EXC"
		switch {
		case either && (code[r.ID] || proof[r.ID]):
		case either:
			problems = append(problems, Problem{r.File, r.Line, r.ID + " is cited nowhere"})
		default:
			if !code[r.ID] {
				problems = append(problems, Problem{r.File, r.Line, r.ID + " is cited by no code"})
			}
			if !proof[r.ID] {
				problems = append(problems, Problem{r.File, r.Line, r.ID + " is cited by no test and no scenario"})
			}
		}
	}
	return problems
}
