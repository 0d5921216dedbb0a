package fsm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// room is a part of the project with one set of restrictions.
type room struct {
	dirs    []string // relative to the project's folder, with everything below
	except  []string // folders left out
	imports []string // beyond the standard library and the room itself
	time    bool     // package time, for durations and formats
	rand    bool     // math/rand/v2, with an explicit source
	reflect bool
	floats  bool
}

// walls returns the packages of the machine in the order of their imports: none imports one
// that comes after it, and profile and machine do not import each other.
func walls() []string {
	return []string{
		"shelly/fsm", "shelly/fsm/alike", "shelly/fsm/cron", "shelly/fsm/reading", "shelly/fsm/grant", "shelly/fsm/state",
		"shelly/fsm/prompt", "shelly/fsm/turn", "shelly/fsm/fit", "shelly/fsm/queue", "shelly/fsm/heartbeat",
		"shelly/fsm/profile", "shelly/fsm/machine", "shelly/fsm/check",
	}
}

// rooms returns the parts that must be deterministic.
func rooms() []room {
	return []room{
		{dirs: []string{"fsm"}, except: []string{"fsm/alike", "fsm/cron", "fsm/described", "fsm/reading", "fsm/heard", "fsm/grant", "fsm/state", "fsm/prompt", "fsm/offer", "fsm/turn", "fsm/fit", "fsm/queue", "fsm/heartbeat", "fsm/profile", "fsm/machine", "fsm/check", "fsm/engine", "fsm/spec"}, imports: []string{"shelly/fsm/alike"}},
		{dirs: []string{"fsm/alike"}},
		{dirs: []string{"fsm/cron"}, imports: []string{"shelly/fsm"}},
		{dirs: []string{"fsm/described"}, imports: []string{"shelly/fsm"}},
		{dirs: []string{"fsm/reading"}, imports: []string{"shelly/fsm", "shelly/fsm/alike", "shelly/fsm/textcall", "shelly/fsm/textcall/mend"}},
		{dirs: []string{"fsm/heard"}, imports: []string{"shelly/fsm/textcall/mend"}},
		{dirs: []string{"fsm/grant"}, imports: []string{"shelly/fsm"}},
		{dirs: []string{"fsm/state"}, imports: []string{"shelly/fsm", "shelly/fsm/grant"}},
		{dirs: []string{"fsm/offer"}, imports: []string{"shelly/fsm", "shelly/fsm/wording"}},
		{dirs: []string{"fsm/prompt"}, imports: []string{"shelly/fsm", "shelly/fsm/state", "shelly/fsm/offer"}},
		{dirs: []string{"fsm/turn"}, imports: []string{"shelly/fsm", "shelly/fsm/state"}},
		{dirs: []string{"fsm/fit"}, imports: []string{"shelly/fsm", "shelly/fsm/state", "shelly/fsm/prompt"}},
		{dirs: []string{"fsm/queue"}, imports: []string{"shelly/fsm", "shelly/fsm/state"}},
		{dirs: []string{"fsm/heartbeat"}, imports: []string{"shelly/fsm", "shelly/fsm/state"}},
		{dirs: []string{"fsm/profile"}, imports: []string{"shelly/fsm", "shelly/fsm/state"}},
		{
			dirs: []string{"fsm/machine"},
			imports: []string{
				"shelly/fsm", "shelly/fsm/cron", "shelly/fsm/reading", "shelly/fsm/grant", "shelly/fsm/state",
				"shelly/fsm/prompt", "shelly/fsm/offer", "shelly/fsm/turn", "shelly/fsm/fit", "shelly/fsm/queue", "shelly/fsm/heartbeat", "github.com/looplab/fsm",
			},
		},
		{dirs: []string{"fsm/check"}, imports: []string{"shelly/fsm", "shelly/fsm/reading", "shelly/fsm/grant", "shelly/fsm/state", "shelly/fsm/machine"}},
		{dirs: []string{"fsm/engine"}, except: []string{"fsm/engine/journaltest"}, imports: walls(), floats: true},
		{dirs: []string{"fsm/spec"}, imports: walls(), reflect: true, floats: true},
		{
			dirs: []string{"sim"}, except: []string{"sim/strict", "sim/server", "sim/history", "sim/scenario/casetest", "sim/scenario/scenariotest"},
			imports: append(walls(),
				"shelly/fsm/engine", "shelly/fsm/described", "shelly/fsm/heard", "shelly/fsm/wording", "shelly/sim/strict", "shelly/sim/server",
				"github.com/expr-lang/expr", "github.com/expr-lang/expr/ast", "github.com/expr-lang/expr/file", "github.com/expr-lang/expr/vm",
				"github.com/aymanbagabas/go-udiff",
			),
			time: true, rand: true, reflect: true, floats: true,
		},
		{dirs: []string{"sim/server"}, imports: []string{"shelly/fsm"}},
		{dirs: []string{"runtime/event/settle"}, imports: []string{"shelly/fsm"}},
		{dirs: []string{"sim/strict"}, imports: []string{"shelly/fsm/wording", yamlLibrary}, reflect: true},
		{dirs: []string{"sim/history"}, except: []string{"sim/history/fork", "sim/history/export", "sim/history/trace", "sim/history/casetrace", "sim/history/htmlreport"}, imports: append(walls(), "shelly/fsm/engine", "shelly/fsm/wording"), floats: true},
		{dirs: []string{"sim/history/trace"}, imports: append(walls(), "shelly/fsm/engine", "shelly/fsm/wording", "shelly/sim/history"), time: true, reflect: true},
		{
			dirs:    []string{"sim/history/htmlreport"},
			imports: append(walls(), "shelly/fsm/engine", "shelly/fsm/wording", "shelly/sim/history", "shelly/sim/history/trace", "shelly/sim/history/stategraph", "github.com/aymanbagabas/go-udiff"), floats: true,
		},
		{
			dirs: []string{"sim/history/fork", "sim/history/export", "sim/history/casetrace"},
			imports: append(walls(),
				"shelly/fsm/engine", "shelly/fsm/heard", "shelly/fsm/wording", "shelly/sim/history", "shelly/sim/history/fork", "shelly/sim/history/redact", "shelly/sim/history/regression", "shelly/sim/history/trace",
				"shelly/sim", "shelly/sim/explore", "shelly/sim/scenario", "shelly/sim/scenario/compile", "shelly/sim/scenario/data", "shelly/sim/scenario/format", "shelly/sim/scenario/judge", "shelly/sim/scenario/layout", "shelly/sim/strict",
			),
			time: true, reflect: true, floats: true,
		},
	}
}

// yamlLibrary is imported only by sim/strict.
const yamlLibrary = "go.yaml.in/yaml/v4"

// globals returns the package-level variables that are not errors, each with the reason why it is
// allowed.
func globals() map[string]string {
	return map[string]string{
		"fsm.facts":               "a literal table, read only",
		"fsm.effects":             "a literal table, read only",
		"fsm.calls":               "a literal table, read only",
		"state.Lifecycle":         "a literal table, read only",
		"state.HandleTable":       "a literal table, read only",
		"state.InferenceTable":    "a literal table, read only",
		"machine.lifecyclePhases": "a literal, read only",
		"machine.handlePhases":    "a literal, read only",
		"machine.inferencePhases": "a literal, read only",
		"machine.shipped":         "made of the tables and the phases; TablesChanged, which only cmd/mutants calls, makes it again",
		"fsm.dictionary":          "a literal table, read only",
		"htmlreport.assets":       "embedded files, read only",
		"script.Nothing":          "a constant in all but name",
	}
}

// source is one parsed file.
type source struct {
	name string // relative to the project's folder
	file *ast.File
	fset *token.FileSet
}

// sourcesIn parses the files below the folders, without tests.
func sourcesIn(t *testing.T, project fs.FS, dirs, except []string) []source {
	t.Helper()
	var sources []source
	fset := token.NewFileSet()
	for _, dir := range dirs {
		err := fs.WalkDir(project, dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && name == dir:
				return fs.SkipDir // not built yet
			case err != nil:
				return err
			case d.IsDir() && (slices.Contains(except, name) || d.Name() == "testdata"):
				return fs.SkipDir
			case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := fs.ReadFile(project, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			sources = append(sources, source{name: name, file: file, fset: fset})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sources
}

func TestTheCoreIsPure(t *testing.T) {
	project := os.DirFS("..")
	unused := globals()
	for _, r := range rooms() {
		t.Run(r.dirs[0], func(t *testing.T) {
			sources := sourcesIn(t, project, r.dirs, r.except)
			if len(sources) == 0 {
				t.Fatalf("there are no files in %v", r.dirs)
			}
			var files []*ast.File
			for _, s := range sources {
				files = append(files, s.file)
			}
			maps := learnMaps(files)
			for _, s := range sources {
				c := checker{room: r, source: s, maps: maps, globals: globals(), used: unused}
				for _, problem := range c.check() {
					t.Error(problem)
				}
			}
		})
	}
	for name := range unused {
		t.Errorf("%s is allowed as a package-level variable but there is none", name)
	}
}

// TestArrowsPointOneWay: cmd → runtime, sim → fsm/engine → fsm/check → fsm/machine → fsm/state →
// fsm. What fsm and sim may import is in their rooms. Runtime may also import two packages below
// sim, which import nothing from sim themselves: sim/strict, which reads the YAML that people
// write, and sim/server, on which the mock server is built.
func TestArrowsPointOneWay(t *testing.T) {
	for _, s := range sourcesIn(t, os.DirFS(".."), []string{"runtime"}, nil) {
		for _, imp := range s.file.Imports {
			if p := importPath(imp); within(p, "shelly/sim") && p != "shelly/sim/strict" && p != "shelly/sim/server" || within(p, "shelly/cmd") || strings.HasPrefix(p, "shelly/sim/history/") {
				t.Errorf("%s imports %s", s.name, p)
			}
		}
	}
}

// TestYAMLIsReadInOnePlace: one package wraps the library, so that all files that people write
// are read in the same way.
func TestYAMLIsReadInOnePlace(t *testing.T) {
	for _, s := range sourcesIn(t, os.DirFS(".."), []string{"fsm", "sim", "runtime", "cmd"}, []string{"sim/strict"}) {
		for _, imp := range s.file.Imports {
			if importPath(imp) == yamlLibrary {
				t.Errorf("%s imports %s; read and write YAML by shelly/sim/strict", s.name, yamlLibrary)
			}
		}
	}
}

// snippet is a file that the checker must refuse, or accept if want is empty.
type snippet struct {
	name string
	dir  string
	want string
	code string // after the package clause
}

func snippets() []snippet {
	return []snippet{
		{"a plain function", "fsm", "", `func f(a []int) int { for _, n := range a { return n }; return 0 }`},
		{"a goroutine", "fsm", "goroutine", `func f() { go f() }`},
		{"a channel type", "fsm", "channel", `func f(c chan int) {}`},
		{"a send", "sim", "channel", `func f() { c <- 1 }`},
		{"a receive", "sim", "channel", `func f() { <-c }`},
		{"a select", "fsm/engine", "select", `func f() { select {} }`},
		{"os", "fsm", `import of "os"`, `import "os"`},
		{"os/exec in sim", "sim", `import of "os/exec"`, `import "os/exec"`},
		{"net", "fsm/engine", `import of "net"`, `import "net"`},
		{"net/http", "sim/report", `import of "net/http"`, `import "net/http"`},
		{"unsafe", "sim", `import of "unsafe"`, `import "unsafe"`},
		{"sync", "sim", `import of "sync"`, `import "sync"`},
		{"sync/atomic", "fsm", `import of "sync/atomic"`, `import "sync/atomic"`},
		{"log", "sim", `import of "log/slog"`, `import "log/slog"`},
		{"testing", "sim", `import of "testing"`, `import "testing"`},
		{"a dot import", "fsm", "dot import", `import . "strings"`},
		{"reflect in fsm", "fsm", `import of "reflect"`, `import "reflect"`},
		{"reflect in sim", "sim", "", `import "reflect"`},
		{"time in fsm", "fsm", `import of "time"`, `import "time"`},
		{"time in the engine", "fsm/engine", `import of "time"`, `import "time"`},
		{"a duration in sim", "sim", "", "import \"time\"\nconst d = 3 * time.Second"},
		{"a clock", "sim", "time.Now", "import \"time\"\nfunc f() { time.Now() }"},
		{"a renamed clock", "sim", "time.Since", "import clock \"time\"\nfunc f() { clock.Since(x) }"},
		{"a clock as a value", "sim", "time.Now", "import \"time\"\nfunc f() { g(time.Now) }"},
		{"a sleep", "sim", "time.Sleep", "import \"time\"\nfunc f() { time.Sleep(1) }"},
		{"a timer", "sim", "time.NewTimer", "import \"time\"\nfunc f() { time.NewTimer(1) }"},
		{"a deadline", "fsm", "context.WithTimeout", "import \"context\"\nfunc f() { context.WithTimeout(x, 1) }"},
		{"random numbers in fsm", "fsm", `import of "math/rand/v2"`, `import "math/rand/v2"`},
		{"a source of one's own", "sim", "", "import \"math/rand/v2\"\nfunc f() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }"},
		{"the global source", "sim", "rand.IntN", "import \"math/rand/v2\"\nfunc f() { rand.IntN(3) }"},
		{"another package", "fsm", `import of "github.com/cockroachdb/pebble/v2"`, `import "github.com/cockroachdb/pebble/v2"`},
		{"the table library", "fsm/machine", "", `import loop "github.com/looplab/fsm"`},
		{"the table library among the facts", "fsm", `import of "github.com/looplab/fsm"`, `import loop "github.com/looplab/fsm"`},
		{"the machine among the facts", "fsm", `import of "shelly/fsm/machine"`, `import "shelly/fsm/machine"`},
		{"a profile in the machine", "fsm/machine", `import of "shelly/fsm/profile"`, `import "shelly/fsm/profile"`},
		{"the invariants in the machine", "fsm/machine", `import of "shelly/fsm/check"`, `import "shelly/fsm/check"`},
		{"the table library in sim", "sim", `import of "github.com/looplab/fsm"`, `import loop "github.com/looplab/fsm"`},
		{"the machine in sim", "sim", "", `import "shelly/fsm/machine"`},
		{"sim in sim", "sim/scenario", "", `import "shelly/sim"`},
		{"the engine in fsm", "fsm", `import of "shelly/fsm/engine"`, `import "shelly/fsm/engine"`},
		{"runtime in sim", "sim", `import of "shelly/runtime/store"`, `import "shelly/runtime/store"`},
		{"YAML in sim", "sim/scenario", `import of "go.yaml.in/yaml/v4"`, `import "go.yaml.in/yaml/v4"`},
		{"sim in the reader", "sim/strict", `import of "shelly/sim/scenario"`, `import "shelly/sim/scenario"`},
		{"rapid", "sim", `import of "pgregory.net/rapid"`, `import "pgregory.net/rapid"`},
		{"printing", "sim", "fmt.Println", "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"printing to a writer", "sim", "", "import \"fmt\"\nfunc f() { fmt.Fprintln(w) }"},
		{"the builtin", "fsm", "println", `func f() { println() }`},
		{"a global", "fsm", "package-level variable fsm.n", `var n int`},
		{"a global map", "sim", "package-level variable sim.m", `var m = map[string]int{}`},
		{"an error", "fsm", "", "import \"errors\"\nvar errX = errors.New(\"x\")"},
		{"a table", "fsm/state", "", `var Lifecycle = Table{}`},
		{"an interface check", "sim", "", `var _ I = T{}`},
		{"an init", "sim", "init", `func init() {}`},
		{"a float", "fsm", "float", `func f(x float64) {}`},
		{"a float literal", "fsm", "float", `const x = 0.5`},
		{"a float in sim", "sim", "", `func f(x float64) {}`},
		{"a map field", "sim", "range over a map", `type t struct{ m map[string]int }; func (t t) f() { for range t.m {} }`},
		{"a map parameter", "fsm", "range over a map", `func f(m map[string]int) { for k := range m { _ = k } }`},
		{"a made map", "fsm", "range over a map", `func f() { m := make(map[string]int); for k := range m { _ = k } }`},
		{"a literal map", "fsm", "range over a map", `func f() { for k := range map[string]int{} { _ = k } }`},
		{"a declared map", "fsm", "range over a map", `func f() { var m map[string]int; for k := range m { _ = k } }`},
		{"a named map", "fsm", "range over a map", `type set map[string]bool; func f(s set) { for k := range s { _ = k } }`},
		{"a converted map", "fsm", "range over a map", `type set map[string]bool; func f() { s := set{}; for k := range s { _ = k } }`},
		{"a returned map", "fsm", "range over a map", `func g() map[string]int { return nil }; func f() { for k := range g() { _ = k } }`},
		{"a returned map in a variable", "fsm", "range over a map", `func g() map[string]int { return nil }; func f() { m := g(); for k := range m { _ = k } }`},
		{"a slice of a map's name elsewhere", "fsm", "", `func g() { m := map[string]int{}; _ = m }; func f(m []int) { for range m {} }`},
		{"a global map is ranged over", "fsm", "range over a map", `var m = map[string]int{}; func f() { for range m {} }`},
		{"a map in a map", "fsm", "range over a map", `func f(m map[string]map[string]int) { for k := range m["a"] { _ = k } }`},
		{"unsorted keys", "fsm", "maps.Keys", "import (\"maps\"; \"slices\")\nfunc f() { slices.Collect(maps.Keys(m)) }"},
		{"sorted keys", "fsm", "", "import (\"maps\"; \"slices\")\nfunc f() { slices.Sorted(maps.Keys(m)) }"},
		{"order-free above", "fsm", "", "func f(m map[string]int) int {\n\tn := 0\n\t// order-free: a sum\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}"},
		{"order-free behind", "fsm", "", "func f(m map[string]int) {\n\tfor k := range m { // order-free: deletes all\n\t\tdelete(m, k)\n\t}\n}"},
		{"order-free without a reason", "fsm", "range over a map", "func f(m map[string]int) {\n\tfor k := range m { // order-free:\n\t\tdelete(m, k)\n\t}\n}"},
		{"order-free too far above", "fsm", "range over a map", "func f(m map[string]int) {\n\t// order-free: deletes all\n\n\tfor k := range m {\n\t\tdelete(m, k)\n\t}\n}"},
	}
}

func TestTheCheckOfTheCoreCanFail(t *testing.T) {
	for _, tt := range snippets() {
		t.Run(tt.name, func(t *testing.T) {
			fset := token.NewFileSet()
			pkg := path.Base(tt.dir)
			file, err := parser.ParseFile(fset, tt.dir+"/x.go", "package "+pkg+"\n"+tt.code, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			c := checker{
				room: roomOf(t, tt.dir), source: source{tt.dir + "/x.go", file, fset}, maps: learnMaps([]*ast.File{file}),
				globals: globals(), used: globals(),
			}
			found := c.check()
			if tt.want == "" && len(found) > 0 || tt.want != "" && !slices.ContainsFunc(found, func(p string) bool { return strings.Contains(p, tt.want) }) {
				t.Errorf("the check says %q, want %q", found, tt.want)
			}
		})
	}
}

// roomOf returns the room of a folder: the one whose own folder is longest.
func roomOf(t *testing.T, dir string) room {
	t.Helper()
	var best room
	for _, r := range rooms() {
		if within(dir, r.dirs[0]) && (best.dirs == nil || len(r.dirs[0]) > len(best.dirs[0])) {
			best = r
		}
	}
	if best.dirs == nil {
		t.Fatalf("no room has %s", dir)
	}
	return best
}
