package machine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// The work of a phase is started by a row that leads to it, and by nothing else: no code
// calls an entry directly, and none sets a state except through a row.
func TestTAB1OnlyARowStartsThePhaseThatItLeadsTo(t *testing.T) {
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	var entries []string
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				key, named := kv.Key.(*ast.Ident)
				of, method := kv.Value.(*ast.SelectorExpr)
				if named && method && (key.Name == "enter" || key.Name == "resume") {
					entries = append(entries, of.Sel.Name)
				}
			}
			return true
		})
	}
	if len(entries) < 20 {
		t.Fatalf("the phases have only the entries %v", entries)
	}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					called, ok := n.Fun.(*ast.SelectorExpr)
					if ok && slices.Contains(entries, called.Sel.Name) && !(f.Name.Name == "done" && called.Sel.Name == "ended") {
						if on, ok := called.X.(*ast.Ident); ok && on.Name == "m" {
							t.Errorf("%s calls the entry %s", f.Name.Name, called.Sel.Name)
						}
					}
				case *ast.AssignStmt:
					for _, to := range n.Lhs {
						if set, ok := to.(*ast.SelectorExpr); ok && set.Sel.Name == "State" && f.Name.Name != "admit" {
							t.Errorf("%s sets a state", f.Name.Name)
						}
					}
				}
				return true
			})
		}
	}
}

// Whoever plays the world fires the timer of a phase that pauses: nothing else comes there. In
// the others with a wait a call may be answered first, or a person may decide.
func TestTAB1OnlyTheEndOfAWaitIsAwaitedInAPhaseThatPauses(t *testing.T) {
	var pauses []fsm.State
	for _, table := range state.Tables() {
		for _, p := range Phases(table.Name) {
			if p.Pauses() {
				pauses = append(pauses, p.State)
			}
		}
	}
	if want := []fsm.State{state.Idling, state.Postponed, state.BackingOff, state.Retrying}; !slices.Equal(pauses, want) {
		t.Errorf("%s pause, not %s", pauses, want)
	}
}

// A report of a call's progress sets its next deadline in each phase in which the model is awaited.
func TestINF50APhaseThatAwaitsTheModelHasAWait(t *testing.T) {
	for _, table := range state.Tables() {
		for _, p := range Phases(table.Name) {
			if p.awaits(fsm.CallBrain) && (p.Wait.Purpose == "" || p.Wait.For == nil) {
				t.Errorf("%s has none", p.State)
			}
		}
	}
}
