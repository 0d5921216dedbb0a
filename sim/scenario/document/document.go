// Package document makes the cases of one file: it joins the fragments that the file
// includes to it (SCN-16), counts the cases of its matrix (SCN-18), and puts the variables
// into what is read of each (SCN-17). What the keys mean is the reader's.
package document

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"shelly/sim/strict"
)

// The limits on one file (SCN-19), besides those of package strict.
const (
	IncludesMax      = 16        // fragments
	MatrixNamesMax   = 32        // names of a matrix
	CasesPerFileMax  = 1000      // cases of a matrix
	FileNodesMax     = 1_000_000 // values of all its cases
	ReplayNodesMax   = 250_000   // values of a replay: what fits into a file of 4 MiB, as an export writes it
	FileTextBytesMax = 64 << 20  // texts and keys of all its cases
)

// document is a scenario file before its variables are put in: the root of all its
// cases. What it holds is not changed by reading a case.
type document struct {
	path     string
	sources  strict.Sources
	includes []string              // the fragments' paths
	root     *strict.Node          // with the keys of the fragments
	places   map[string]strict.Pos // of each variable and each name of the matrix
	names    []string              // of the variables, then those of the matrix
	index    map[string]int        // of a name; only looked up
	vars     []*strict.Node        // the values of the variables
	given    Given                 // what some of them have in place of the file's
	problems []strict.Problem
}

// open parses a document. what names it: "a scenario" or "a property".
func open(path string, source []byte, what string) (*document, error) {
	doc := &document{path: path, sources: strict.Sources{"": source}, places: map[string]strict.Pos{}}
	var problem *strict.Problem
	if doc.root, problem = rootOf(source, what, ""); problem != nil {
		return nil, strict.Failed(path, doc.sources, []strict.Problem{*problem})
	}
	for _, other := range []struct{ key, what, suffix string }{{"property", "a property", PropertySuffix}, {"scenario", "a scenario", Suffix}} {
		if i := doc.root.Index(other.key); what != other.what && i >= 0 && doc.root.Index(strings.TrimPrefix(what, "a ")) < 0 {
			return nil, strict.Failed(path, doc.sources, []strict.Problem{{
				Pos: doc.root.Content[i].Pos, Path: other.key, Text: "this is " + other.what + ", whose file's name ends in " + other.suffix + "; rename the file",
			}})
		}
	}
	return doc, nil
}

// rootOf parses a text that must hold something.
func rootOf(source []byte, what, file string) (*strict.Node, *strict.Problem) {
	root, problem := strict.Parse(source, what, file)
	if root == nil && problem == nil {
		text := "is empty; " + what + " is a map"
		if what == "a scenario" {
			text += " that begins with scenario: 1"
		}
		problem = &strict.Problem{Pos: strict.Pos{Line: 1, Col: 1, File: file}, Text: text}
	}
	return root, problem
}

// Load reads the cases of a scenario file: the fragments that it includes are joined
// to it (SCN-16), its variables and its matrix say how many cases there are (SCN-18), and
// each is read from the same nodes by read, its variables put in on the way (SCN-17).
// check returns what is wrong with a case although each value has its type.
func Load[T any](fsys fs.FS, path string, source []byte, read func(*Case, *strict.Decoder) T, check func(T) []strict.Problem) ([]T, error) {
	return LoadGiven(nil, fsys, path, source, read, check)
}

// LoadGiven is [Load] with other values for some of the file's variables.
func LoadGiven[T any](vars Given, fsys fs.FS, path string, source []byte, read func(*Case, *strict.Decoder) T, check func(T) []strict.Problem) ([]T, error) {
	doc, err := open(path, source, "a scenario")
	if err != nil {
		return nil, err
	}
	doc.given = vars
	doc.include(fsys)
	rows := doc.variables()
	if len(doc.problems) > 0 { // tell those of what does not depend on them, too
		c := &Case{doc: doc, row: &row{}, where: map[string]strict.Pos{}}
		d := c.Decoder()
		d.Fill = func(*strict.Decoder, *strict.Node, string) *strict.Node { return nil }
		read(c, d)
		return nil, strict.Failed(path, doc.sources, append(doc.problems, d.Problems...))
	}
	var cases []T
	var total strict.Size
	told := tally{}
	for i := range rows {
		c := &Case{doc: doc, row: &rows[i], where: make(map[string]strict.Pos, bytes.Count(source, []byte("\n")))}
		d := c.Decoder()
		one := read(c, d)
		if !d.Stopped() {
			d.Problems = append(d.Problems, apart(d.Problems, check(one))...)
		}
		told.add(&rows[i], d.Problems)
		cases = append(cases, one)
		if total.Add(d.Size); total.Nodes > FileNodesMax || total.Bytes > FileTextBytesMax {
			told.add(&rows[i], []strict.Problem{{Pos: doc.places["matrix"], Path: "matrix", Text: fmt.Sprintf(
				"the cases together have too many values, or too much text; the limits are %d and %d MiB", FileNodesMax, FileTextBytesMax>>20)}})
			break
		}
		if d.Stopped() || len(told.list) > strict.ProblemsMax {
			break
		}
	}
	return cases, strict.Failed(doc.path, doc.sources, told.problems(len(cases)))
}

// Alone is the one case of a file that includes nothing and has no variables.
func Alone(path string, source []byte, what string) (*Case, error) {
	doc, err := open(path, source, what)
	if err != nil {
		return nil, err
	}
	return &Case{doc: doc, row: &row{}, where: map[string]strict.Pos{}}, nil
}

// Case is one case of a file, and what of the file is not in its values: where they stand.
type Case struct {
	doc   *document
	row   *row
	used  []bool                // of the document's names
	where map[string]strict.Pos // of every key and list entry, by its path; only looked up
}

func (c *Case) Decoder() *strict.Decoder {
	d := &strict.Decoder{Sources: c.doc.sources, Where: c.where, Fill: c.fill}
	if c.doc.root.Index("replay") >= 0 {
		d.Most = ReplayNodesMax
	}
	return d
}

func (c *Case) Root() *strict.Node { return c.doc.root }

// Path is the file's path as it was loaded.
func (c *Case) Path() string { return c.doc.path }

// Row is the line of the case where it is a row of its own in a matrix, or 0.
func (c *Case) Row() int { return c.row.line }

// Label tells the case from others of its matrix; empty without a matrix.
func (c *Case) Label() string { return c.row.label }

// Includes lists the paths of the fragments of the case's file, as they were opened.
func (c *Case) Includes() []string { return slices.Clone(c.doc.includes) }

// Where returns the place of a key or list entry by its path, such as brain[0].says;
// the zero place where the case has none.
func (c *Case) Where(path string) strict.Pos {
	if at, ok := c.where[path]; ok {
		return at
	}
	return c.doc.places[path]
}

// Sources are the texts of the file and its fragments.
func (c *Case) Sources() strict.Sources { return c.doc.sources }

// HasFrom reports whether anything of the case is from a fragment.
func (c *Case) HasFrom(file string) bool {
	for _, places := range []map[string]strict.Pos{c.where, c.doc.places} {
		for _, at := range places { // order-free: is there one
			if at.File == file {
				return true
			}
		}
	}
	return false
}

// UnusedVars lists the variables and the names of the matrix that no text names, by
// their paths, such as vars.wait. Those of fragments are not among them: others may
// use them.
func (c *Case) UnusedVars() []string {
	var list []string
	for i, name := range c.doc.names {
		path := "vars." + name
		if i >= len(c.doc.vars) {
			path = "matrix." + name
		}
		if (c.used == nil || !c.used[i]) && c.doc.places[path].File == "" {
			list = append(list, path)
		}
	}
	return list
}

// apart returns of what a check of the values found what does not come of a value
// that could not be read: problems of other keys.
func apart(broken, found []strict.Problem) []strict.Problem {
	var rest []strict.Problem
	for _, p := range found {
		if !slices.ContainsFunc(broken, func(b strict.Problem) bool { return within(p.Path, b.Path) || within(b.Path, p.Path) }) {
			rest = append(rest, p)
		}
	}
	return rest
}

// within reports whether a path is another one or leads into it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || of == "" || rest[0] == '.' || rest[0] == '[')
}

// tally gathers the problems of the cases of a file, equal ones once.
type tally struct {
	list  []strict.Problem
	first []*row // whose problem it was first
	count map[strict.Problem]int
}

func (t *tally) add(r *row, problems []strict.Problem) {
	if t.count == nil {
		t.count = map[strict.Problem]int{}
	}
	for _, p := range problems {
		if t.count[p]++; t.count[p] == 1 {
			t.list, t.first = append(t.list, p), append(t.first, r)
		}
	}
}

// problems returns what was gathered. A problem that not all of the cases have says
// which the first is that has it.
func (t *tally) problems(cases int) []strict.Problem {
	for i, p := range t.list {
		if t.count[p] < cases && t.first[i].label != "" {
			t.list[i].Text += "; so in the case" + t.first[i].label
		}
	}
	return t.list
}

// Suffix ends the name of every scenario file.
const Suffix = ".scenario.yaml"

// PropertySuffix ends the name of every property file.
const PropertySuffix = ".property.yaml"

// Misnamed is the suffix that the name of a file should end in where it ends almost as that of a
// scenario or property does, or "".
func Misnamed(path string) string {
	for _, suffix := range []string{Suffix, PropertySuffix} {
		stem := strings.TrimSuffix(suffix, ".yaml")
		for _, end := range []string{suffix, stem + ".yml", stem + "s.yaml", stem + "s.yml"} {
			if strings.HasSuffix(strings.ToLower(path), end) && !strings.HasSuffix(path, suffix) {
				return suffix
			}
		}
	}
	return ""
}
