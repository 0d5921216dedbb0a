// Command analysis is the checks of staticcheck as a tool of go vet, which compiles only what a
// package needs to be read. The command of that name has every test package compiled as well: two
// thirds of its time, and for nothing else.
//
//	go vet -vettool=bin/analysis ./...
package main

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/facts/directives"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	checks := []*analysis.Analyzer{unusedCode()}
	for _, a := range slices.Concat(simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers) {
		if !a.Doc.NonDefault {
			checks = append(checks, heeding(a.Analyzer))
		}
	}
	unitchecker.Main(checks...)
}

// heeding returns a check that says nothing of a line on which //lint:ignore names it, and that
// such a directive is needless where it has nothing to say.
func heeding(of *analysis.Analyzer) *analysis.Analyzer {
	check := *of
	check.Requires = append([]*analysis.Analyzer{directives.Analyzer}, of.Requires...)
	check.Run = func(pass *analysis.Pass) (any, error) {
		needless := ignoring(pass, of.Name)
		found := map[place]bool{}
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			at := placeOf(pass, d)
			if _, ignored := needless[at]; ignored {
				found[at] = true
				return
			}
			d.Message += " (" + of.Name + ")"
			report(d)
		}
		result, err := of.Run(pass)
		for at, directive := range needless {
			if !found[at] {
				report(analysis.Diagnostic{Pos: directive.Directive.Pos(), Message: "nothing is ignored here (" + of.Name + ")"})
			}
		}
		return result, err
	}
	return &check
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func placeOf(pass *analysis.Pass, d analysis.Diagnostic) place {
	at := pass.Fset.Position(d.Pos)
	return place{at.Filename, at.Line}
}

// ignoring returns the directives that name a check, by the lines that they are about.
func ignoring(pass *analysis.Pass, check string) map[place]lint.Directive {
	found := map[place]lint.Directive{}
	for _, d := range pass.ResultOf[directives.Analyzer].([]lint.Directive) {
		if d.Command == "ignore" && len(d.Arguments) > 1 && slices.Contains(strings.Split(d.Arguments[0], ","), check) {
			found[placeOf(pass, analysis.Diagnostic{Pos: d.Node.Pos()})] = d
		}
	}
	return found
}

// unusedCode returns a check for what nothing of its package uses, its tests included.
func unusedCode() *analysis.Analyzer {
	check := unused.Analyzer.Analyzer
	return &analysis.Analyzer{
		Name: "U1000", Doc: "unused code", Requires: []*analysis.Analyzer{check},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, o := range pass.ResultOf[check].(unused.Result).Unused {
				for _, f := range pass.Files {
					file := pass.Fset.File(f.Pos())
					if filepath.Base(file.Name()) == filepath.Base(o.Position.Filename) {
						pass.Reportf(file.LineStart(o.Position.Line), "%s %s is unused (U1000)", o.Kind, o.Name)
					}
				}
			}
			return nil, nil
		},
	}
}
