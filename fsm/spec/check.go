package spec

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// Problem is something in the project that is at odds with SPEC.md.
type Problem struct {
	File string
	Line int
	Text string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// Check returns all problems of the project in fsys, ordered by file and line:
// generated blocks that are missing or out of date, ids of no rule, rules that no
// code cites, and rules that neither a test nor a scenario cites. Of the families
// LIM (limits) and EXC (what is excluded) one citation of any kind is enough. An
// error says that the project could not be read, or SPEC.md is not sound.
func Check(fsys fs.FS) ([]Problem, error) {
	md, err := fs.ReadFile(fsys, File)
	if err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
	}
	rules, err := Rules(md)
	if err != nil {
		return nil, err
	}
	problems, err := checkBlocks(md)
	if err != nil {
		return nil, err
	}
	citations, err := scan(fsys)
	if err != nil {
		return nil, err
	}
	b := newBook(rules)
	problems = append(problems, checkUnknown(b, citations)...)
	problems = append(problems, checkUncited(b, citations)...)
	slices.SortFunc(problems, func(p, q Problem) int {
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Text, q.Text))
	})
	return slices.Compact(problems), nil
}

// checkBlocks finds generated blocks that are missing or out of date.
func checkBlocks(md []byte) ([]Problem, error) {
	blocks, err := findBlocks(md)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	there := map[string]bool{}
	for _, b := range blocks {
		there[b.name] = true
		text, err := Render(b.name)
		switch {
		case err != nil:
			problems = append(problems, Problem{File, b.line, err.Error()})
		case text != string(md[b.from:b.to]):
			problems = append(problems, Problem{File, b.line, "the generated block " + b.name + " is out of date; run make spec"})
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
		problems = append(problems, Problem{c.File, c.Line, c.id + " is no rule of " + File})
	}
	return problems
}

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
			problems = append(problems, Problem{File, r.Line, r.ID + " is cited nowhere"})
		default:
			if !code[r.ID] {
				problems = append(problems, Problem{File, r.Line, r.ID + " is cited by no code"})
			}
			if !proof[r.ID] {
				problems = append(problems, Problem{File, r.Line, r.ID + " is cited by no test and no scenario"})
			}
		}
	}
	return problems
}
