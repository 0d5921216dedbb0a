package scenario

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Load reads the cases of a scenario file, strictly (SCN-2): one, or those of its
// matrix in their order (SCN-18); of a property file it reads the property, in place
// of a case. What is wrong with the file itself or with a file
// that it includes is a [LoadError] that carries all problems.
//
// Where fsys tells symbolic links, as [fs.ReadLinkFS] does, a fragment may not be
// one. Its Stat must not open what it looks at.
func Load(fsys fs.FS, path string) ([]*File, error) {
	source, err := readFile(fsys, path)
	if err != nil {
		return nil, failed(path, nil, []Problem{{Text: err.Error()}})
	}
	if strings.HasSuffix(path, PropertySuffix) {
		f, err := loadProperty(fsys, path, source)
		if err != nil {
			return nil, err
		}
		return []*File{f}, nil
	}
	cases, err := load(fsys, path, source)
	if err != nil {
		return nil, err
	}
	if err := failed(path, cases[0].doc.sources, readGoldens(fsys, cases)); err != nil {
		return nil, err
	}
	return cases, nil
}

// LoadOne is Load for a file of one case.
func LoadOne(fsys fs.FS, path string) (*File, error) {
	cases, err := Load(fsys, path)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

// Parse is LoadOne for a file that is in memory and includes nothing; path is only
// for errors.
func Parse(path string, source []byte) (*File, error) {
	cases, err := load(nil, path, source)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

func only(path string, cases []*File) (*File, error) {
	if len(cases) != 1 {
		return nil, failed(path, nil, []Problem{{Text: fmt.Sprintf("has %d cases; name a file of one", len(cases))}})
	}
	if cases[0].property != nil {
		return nil, failed(path, nil, []Problem{{Text: "is a property, which is no case; name a scenario"}})
	}
	return cases[0], nil
}

// document is a scenario file before its variables are put in: the root of all its
// cases. What it holds is not changed by reading a case.
type document struct {
	path     string
	sources  sources
	files    map[*yaml.Node]string // that the nodes of fragments are in; only looked up
	includes []string              // the fragments' paths
	root     *yaml.Node            // with the keys of the fragments
	places   map[string]Pos        // of each variable and each name of the matrix
	names    []string              // of the variables, then those of the matrix
	index    map[string]int        // of a name; only looked up
	vars     []*yaml.Node          // the values of the variables
	problems []Problem
}

func load(fsys fs.FS, path string, source []byte) ([]*File, error) {
	doc := &document{path: path, sources: sources{"": source}}
	var problem *Problem
	if doc.root, problem = parse(source, "a scenario"); problem != nil {
		return nil, failed(path, doc.sources, []Problem{*problem})
	}
	doc.include(fsys)
	rows := doc.variables()
	if len(doc.problems) > 0 {
		return nil, failed(path, doc.sources, append(doc.problems, doc.others()...))
	}
	cases, err := doc.cases(rows)
	nameGoldens(cases)
	return cases, err
}

// others are the problems of a document whose fragments, variables or matrix have
// some already: those of what does not depend on them.
func (doc *document) others() []Problem {
	d := decoder{doc: doc, row: &row{}, where: map[string]Pos{}, unfilled: true}
	d.read(doc.root, &File{doc: doc})
	return d.problems
}

// cases reads a case for each row.
func (doc *document) cases(rows []row) ([]*File, error) {
	var cases []*File
	var total size
	told := tally{}
	for i := range rows {
		d := decoder{doc: doc, row: &rows[i], where: map[string]Pos{}}
		f := d.file()
		told.add(&rows[i], d.problems)
		cases = append(cases, f)
		if total.add(d.size); total.nodes > FileNodesMax || total.bytes > FileTextBytesMax {
			told.add(&rows[i], []Problem{{Pos: doc.places["matrix"], Path: "matrix", Text: fmt.Sprintf(
				"the cases together have too many values, or too much text; the limits are %d and %d MiB", FileNodesMax, FileTextBytesMax>>20)}})
			break
		}
		if d.stopped || len(told.list) > problemsMax {
			break
		}
	}
	return cases, failed(doc.path, doc.sources, told.problems(len(cases)))
}

// file reads the document as one case.
func (d *decoder) file() *File {
	f := &File{doc: d.doc, row: d.row, where: d.where}
	d.read(d.doc.root, f)
	f.used = d.used
	if !d.stopped {
		broken := len(d.problems)
		d.check(f)
		d.problems = append(d.problems[:broken], apart(d.problems[:broken], d.problems[broken:])...)
	}
	f.settle()
	f.Name += d.row.label
	return f
}

// apart returns of what a check of the values found what does not come of a value
// that could not be read: problems of other keys.
func apart(broken, found []Problem) []Problem {
	var rest []Problem
	for _, p := range found {
		if !slices.ContainsFunc(broken, func(b Problem) bool { return within(p.Path, b.Path) || within(b.Path, p.Path) }) {
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
	list  []Problem
	first []*row // whose problem it was first
	count map[Problem]int
}

func (t *tally) add(r *row, problems []Problem) {
	if t.count == nil {
		t.count = map[Problem]int{}
	}
	for _, p := range problems {
		if t.count[p]++; t.count[p] == 1 {
			t.list, t.first = append(t.list, p), append(t.first, r)
		}
	}
}

// problems returns what was gathered. A problem that not all of the cases have says
// which the first is that has it.
func (t *tally) problems(cases int) []Problem {
	for i, p := range t.list {
		if t.count[p] < cases && t.first[i].label != "" {
			t.list[i].Text += "; so in the case" + t.first[i].label
		}
	}
	return t.list
}
