// Command analysis is the checks of go vet and of staticcheck as one tool of go vet, so that each
// package is read once for both. Vet compiles only what a package needs to be read; staticcheck's
// own command has every test package compiled as well: two thirds of its time, and for nothing else.
//
//	go vet -vettool=bin/analysis ./...
package main

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/cgocall"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/facts/directives"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	checks := append(vet(), unusedCode())
	for _, a := range slices.Concat(simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers) {
		if !a.Doc.NonDefault {
			checks = append(checks, heeding(a.Analyzer))
		}
	}
	unitchecker.Main(checks...)
}

// vet returns the checks of go vet itself, those that "go tool vet help" lists.
func vet() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		appends.Analyzer,
		asmdecl.Analyzer,
		assign.Analyzer,
		atomic.Analyzer,
		bools.Analyzer,
		buildtag.Analyzer,
		cgocall.Analyzer,
		composite.Analyzer,
		copylock.Analyzer,
		defers.Analyzer,
		directive.Analyzer,
		errorsas.Analyzer,
		framepointer.Analyzer,
		hostport.Analyzer,
		httpresponse.Analyzer,
		ifaceassert.Analyzer,
		loopclosure.Analyzer,
		lostcancel.Analyzer,
		nilfunc.Analyzer,
		printf.Analyzer,
		shift.Analyzer,
		sigchanyzer.Analyzer,
		slog.Analyzer,
		stdmethods.Analyzer,
		stdversion.Analyzer,
		stringintconv.Analyzer,
		structtag.Analyzer,
		testinggoroutine.Analyzer,
		tests.Analyzer,
		timeformat.Analyzer,
		unmarshal.Analyzer,
		unreachable.Analyzer,
		unsafeptr.Analyzer,
		unusedresult.Analyzer,
		waitgroup.Analyzer,
	}
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
