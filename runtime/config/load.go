package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

const variablePrefix = "SHELLY_"

// Sources is where a configuration comes from. In increasing precedence these are the profile, a
// file, the environment and overrides.
type Sources struct {
	File        string     // an explicit configuration file; it must exist
	DefaultFile string     // read if File is empty and it exists; see the function DefaultFile
	Environ     []string   // "NAME=value" pairs, as os.Environ returns them
	Overrides   []Override // the last one for a key wins
	Dir         string     // the current folder, an absolute path
	Home        string     // the user's home folder; one that is not absolute counts as none
	Anywhere    bool       // no tool will work in the workspace, so the current folder may be any (CLI-220)
}

// Override is a value given on the command line.
type Override struct {
	Flag  string // as the user typed it, for Explain and errors: "--model"
	Key   string // "brain.model"
	Value string // in the same form as in the file
}

// assignment is one value that a source sets.
type assignment struct {
	field  field
	text   string
	origin origin
	dir    string // relative paths are relative to this folder
}

// loading is the state of one Load.
type loading struct {
	sources     Sources
	schema      schema
	assignments []assignment // in increasing precedence
	problems    problems
	config      Config
	files       []string
	origins     map[string]origin // by key; never iterated over
}

// Load makes the effective configuration. Its error joins everything that is wrong in all sources,
// one problem a line (CFG-3).
func Load(s Sources) (Config, error) {
	if !filepath.IsAbs(s.Dir) {
		return Config{}, fmt.Errorf("current folder %s is not an absolute path", wording.Quote(s.Dir))
	}
	if !filepath.IsAbs(s.Home) {
		s.Home = "" // what it would lead to depends on the current folder
	}
	l := &loading{sources: s, schema: newSchema(), origins: map[string]origin{}}
	l.gatherFile()
	l.gatherEnvironment()
	l.gatherOverrides()
	l.assign()
	l.loadIdentity()
	l.tellSubagents()
	l.fitContext()
	l.fitSlots()
	l.fitResults()
	l.check()
	if err := l.problems.err(); err != nil {
		return Config{}, err
	}
	l.explain()
	return l.config, nil
}

// gatherFile reads the configuration file, if there is one.
func (l *loading) gatherFile() {
	name := cmp.Or(l.sources.File, l.sources.DefaultFile)
	if name == "" {
		return
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.sources.Dir, path)
	}
	l.files = []string{path}
	text, err := readFile(path, strict.FileBytesMax)
	if errors.Is(err, fs.ErrNotExist) && l.sources.File == "" {
		return
	}
	if err != nil {
		l.problems.add(origin{layer: layerFile, name: name}, "", err.Error())
		return
	}
	w := walker{file: name, schema: l.schema}
	w.walk(text)
	l.problems = append(l.problems, w.found()...)
	for _, a := range w.assignments {
		a.dir = filepath.Dir(path)
		l.assignments = append(l.assignments, a)
	}
}

// gatherEnvironment reads the variables (CFG-2) in the order of the schema, so that its reports do
// not depend on the order of the environment.
func (l *loading) gatherEnvironment() {
	if host, ok := lookup(l.sources.Environ, "OLLAMA_HOST"); ok {
		f, _ := l.schema.field("brain.url")
		l.give(f, host, origin{layer: layerEnvironment, name: "OLLAMA_HOST"})
	}
	known := map[string]bool{variablePrefix + "TOKEN": true}
	var names []string
	for _, f := range l.schema {
		names = append(names, strings.TrimPrefix(f.variable(), variablePrefix))
		known[f.variable()] = true
		if text, ok := lookup(l.sources.Environ, f.variable()); ok {
			l.give(f, text, origin{layer: layerEnvironment, name: f.variable()})
		}
	}
	for _, pair := range l.sources.Environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, variablePrefix) || known[name] {
			continue
		}
		known[name] = true // report it once
		meant := "a key such as brain.model is SHELLY_BRAIN_MODEL"
		if near := wording.Nearest(strings.TrimPrefix(name, variablePrefix), names); near != "" { // what all begin with makes nothing near
			meant = "did you mean " + variablePrefix + near + "?"
		}
		l.problems.add(origin{layer: layerEnvironment, name: wording.Word(name)}, "", "unknown variable; "+meant)
	}
}

func (l *loading) gatherOverrides() {
	for _, o := range l.sources.Overrides {
		at := origin{layer: layerFlag, name: o.Flag}
		f, ok := l.schema.field(o.Key)
		switch {
		case ok:
			l.give(f, o.Value, at)
		case l.schema.isSection(o.Key):
			l.problems.add(at, o.Key, "is a section; its keys are: "+strings.Join(l.schema.names(o.Key), ", "))
		default:
			l.problems.add(at, wording.Word(o.Key), l.schema.unknownKey(o.Key))
		}
	}
}

// give adds a value from outside the file.
func (l *loading) give(f field, text string, at origin) {
	l.assignments = append(l.assignments, assignment{field: f, text: text, origin: at, dir: l.sources.Dir})
}

// assign applies the assignments to the profile's values, so that the highest source wins (CFG-1).
// A value that a later source overrides must be valid all the same.
func (l *loading) assign() {
	l.config = defaults(l.sources, l.profile())
	l.config.files = l.files
	for _, f := range l.schema {
		name := "default"
		if f.fromProfile {
			name = "profile " + l.config.Profile
		}
		l.origins[f.key] = origin{layer: layerDefault, name: name}
	}
	root := reflect.ValueOf(&l.config).Elem()
	for _, a := range l.assignments {
		v, err := a.field.parse(a.text, place{dir: a.dir, home: l.sources.Home})
		if err != nil {
			l.problems.add(a.origin, a.field.key, err.Error())
			continue
		}
		root.FieldByIndex(a.field.index).Set(v)
		l.origins[a.field.key] = a.origin
	}
}

// profile returns the profile that the highest source names.
func (l *loading) profile() string {
	name := builtinProfile
	for _, a := range l.assignments {
		if a.field.key == "profile" {
			name = a.text
		}
	}
	return name
}

// readFile reads a regular file of at most limit bytes. Its errors do not name the file; for a
// missing file the error is fs.ErrNotExist.
func readFile(path string, limit int) ([]byte, error) {
	return strict.ReadFile(os.DirFS("/"), cmp.Or(strings.TrimLeft(path, "/"), "."), limit)
}
