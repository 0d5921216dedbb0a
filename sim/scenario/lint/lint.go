// Package lint says what is doubtful in files that load (SCN-21). It plays none.
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"shelly/fsm/wording"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Finding is something doubtful in a file that loads.
type Finding struct {
	strict.Problem
	File    string // the scenario
	sources strict.Sources
}

// String is one line: FILE:LINE:COL: KEY: what is doubtful, and what to do.
func (f Finding) String() string { return f.loadError().Error() }

// Detail is String with the source and a caret under it.
func (f Finding) Detail() string { return f.loadError().Detail() }

func (f Finding) loadError() *strict.Error {
	return &strict.Error{File: f.File, Problems: []strict.Problem{f.Problem}, Sources: f.sources}
}

// Beside is what is known of a case beside its file.
type Beside struct {
	Property  *format.Property // nil: it is a case
	Unmatched string           // what is doubtful about the pattern of its regressions; empty: nothing
	Needless  []string         // the exceptions of its crash claims that it does not need (SCN-54)
}

// Cases returns what is doubtful in the cases of one run, by file and place (SCN-21).
// It plays none. rules are the ids of the rules that there are; where nil, covers is
// not looked at.
func Cases(cases []*format.File, rules []string, beside map[*format.File]Beside) []Finding {
	var found []Finding
	for begin := 0; begin < len(cases); {
		end := begin + 1
		if p := beside[cases[begin]].Property; p != nil {
			l := linter{file: cases[begin], property: p}
			l.generates(rules)
			if text := beside[cases[begin]].Unmatched; text != "" {
				l.at("regressions", text)
			}
			found = append(found, l.found...)
			begin = end
			continue
		}
		for end < len(cases) && cases[end].Path() == cases[begin].Path() {
			end++
		}
		found = append(found, lintFile(cases[begin:end], rules, beside)...)
		begin = end
	}
	found = append(found, sharedNames(cases)...)
	found = append(found, unnamedProfile(cases)...)
	found = append(found, invisible(cases)...)
	found = append(found, rareTags(cases)...)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return found
}

// lintFile looks at the cases of one file. What is found in some of them only is the
// matrix's doing: the others have a use for it.
func lintFile(cases []*format.File, rules []string, beside map[*format.File]Beside) []Finding {
	var first []Finding
	times := map[strict.Problem]int{}
	for i, f := range cases {
		l := linter{file: f}
		l.lint(rules)
		l.exceptions(beside[f].Needless)
		if i == 0 {
			first = l.found
		}
		for _, finding := range l.found {
			finding.Text = ""
			times[finding.Problem]++
		}
	}
	return slices.DeleteFunc(first, func(f Finding) bool {
		f.Text = ""
		return times[f.Problem] < len(cases)
	})
}

// linter gathers what is doubtful in one case, or in a property.
type linter struct {
	file     *format.File
	property *format.Property // nil: it is a case
	found    []Finding
}

func (l *linter) lint(rules []string) {
	l.unused()
	l.covers(rules)
	l.tools()
	l.undeclared()
	l.sessions()
	l.chances()
	l.optional()
	l.world()
	l.items()
	l.matchers()
	l.idle()
	l.exactTexts()
}

// at adds a finding at the place of a path.
func (l *linter) at(path, text string) {
	l.found = append(l.found, finding(l.file, l.file.Where(path), path, text))
}

func finding(f *format.File, pos strict.Pos, path, text string) Finding {
	return Finding{Problem: strict.Problem{Pos: pos, Path: path, Text: text}, File: f.Path(), sources: f.Sources()}
}

func (l *linter) covers(rules []string) {
	var before []string
	for i, id := range l.file.Covers {
		at := strict.Element("covers", i)
		switch {
		case slices.Contains(before, id):
			l.at(at, id+" is given twice; remove one")
		case rules != nil && !slices.Contains(rules, id):
			l.at(at, wording.Unknown("rule of SPEC.md", id, near(id, rules)))
		}
		before = append(before, id)
	}
}

// near are the rules of an id's family: to list all of them would say nothing.
func near(id string, rules []string) []string {
	return slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule[:3] != id[:3] })
}

// sharedNames finds cases of different files that have one name: neither --run nor a
// report tells them apart, and they are always in one shard.
func sharedNames(cases []*format.File) []Finding {
	var found []Finding
	first := map[string]*format.File{}
	for _, f := range cases {
		if other := first[f.Name]; other != nil {
			text := fmt.Sprintf("%s has the same name; no report tells the two apart, so rename one", other.Where("name").Of(other.Path()))
			found = append(found, finding(f, f.Where("name"), "name", text))
			continue
		}
		first[f.Name] = f
	}
	return found
}

const (
	tagUsesMin  = 3 // cases with the tag that a rare one may have been meant to be
	tagCharsMin = 5 // shorter tags are alike by chance
)

// rareTags finds tags of one case that are spelt almost as one of many: --tags would
// pass over the case.
func rareTags(cases []*format.File) []Finding {
	var tags []string
	uses := map[string]int{}
	for _, f := range cases {
		for _, tag := range f.Tags {
			if uses[tag]++; uses[tag] == tagUsesMin {
				tags = append(tags, tag)
			}
		}
	}
	var found []Finding
	for _, f := range cases {
		for i, tag := range f.Tags {
			if uses[tag] > 1 || len(tag) < tagCharsMin {
				continue
			}
			for _, common := range tags {
				if wording.Distance(tag, common) == 1 {
					at := strict.Element("tags", i)
					found = append(found, finding(f, f.Where(at), at, fmt.Sprintf("no other case has the tag %s; did you mean %s, as in %d others?", tag, common, uses[common])))
				}
			}
		}
	}
	return found
}
