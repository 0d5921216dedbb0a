// Package grants keeps the grants for every session in a file that a person can read and edit
// (APR-14).
//
// The machine gets the file's content with a boot and with a reload of the configuration. It is
// written before a decision is recorded, and a person's edits and comments are kept as far as
// possible.
package grants

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/wording"
	"shelly/runtime/durable"
	"shelly/sim/strict"
)

// Name is the file's name in the data folder.
const Name = "approvals.yaml"

// Max is the most grants in the file (APR-18).
const Max = 1000

const fileBytesMax = 4 << 20

// header begins a file that the daemon makes.
const header = `# Calls of tools that start without a question, in every session.
# "match" has a pattern for each argument that counts: * is any text, \* a star. "any: true"
# is every call of the tool. Read at each start and reload (SIGHUP); see also:
# shelly approval list
`

// File is the file of a data folder. It is not safe for concurrent use.
type File struct{ path string }

// Of returns the file of a data folder. It reads nothing yet.
func Of(data string) File { return File{filepath.Join(data, Name)} }

// whole is the content of the file.
type whole struct {
	Approvals []entry `key:"approvals,required"`
}

// entry is one grant.
type entry struct {
	Tool  string                 `key:"tool,required"`
	Match *strict.ByName[string] `key:"match"`
	Any   bool                   `key:"any"`
	By    string                 `key:"by"`
	At    string                 `key:"at"` // as 2026-01-31T09:00:00Z
}

// Load returns the grants, in the order of the file; none if there is no file. An error
// names the line.
func (f File) Load() ([]fsm.Grant, error) {
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	return f.parse(text)
}

func (f File) read() (string, error) {
	text, err := strict.ReadFile(os.DirFS("/"), strings.TrimLeft(f.path, "/"), fileBytesMax)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return string(text), nil
}

func (f File) parse(text string) ([]fsm.Grant, error) {
	list, _, err := f.placed(text)
	return list, err
}

// placed returns the grants in a text, and the line on which each begins.
func (f File) placed(text string) ([]fsm.Grant, []int, error) {
	root, problem := strict.Parse([]byte(text), "a file of approvals", "")
	switch {
	case problem != nil:
		return nil, nil, f.damaged(*problem)
	case root == nil:
		return nil, nil, nil
	}
	var d strict.Decoder
	var w whole
	if items := root.Get("approvals"); root.Kind == strict.MapKind && items != nil && items.Kind == strict.NullKind {
		return nil, nil, nil // all were removed by hand
	}
	d.Value(root, &w, "")
	if len(d.Problems) > 0 {
		return nil, nil, f.damaged(d.Problems[0])
	}
	if len(w.Approvals) > Max {
		return nil, nil, fmt.Errorf("%s has %d approvals; the most is %d", f.path, len(w.Approvals), Max)
	}
	items := root.Get("approvals").Follow().Content
	var list []fsm.Grant
	var lines []int
	for i, e := range w.Approvals {
		g, wrong := e.grant()
		if wrong != "" {
			return nil, nil, f.damaged(strict.Problem{Pos: items[i].Pos, Path: strict.Element("approvals", i), Text: wrong})
		}
		list, lines = append(list, g), append(lines, items[i].Line)
	}
	return list, lines, nil
}

// damaged words what is wrong with the file.
func (f File) damaged(p strict.Problem) error {
	at := ""
	if p.Path != "" {
		at = p.Path + ": "
	}
	return fmt.Errorf("%s:%d: %s%s; mend the file, or move it away to be asked about everything again", f.path, p.Pos.Line, at, wording.Line(p.Text))
}

// grant returns the entry as a grant of the machine, or what is wrong with it.
func (e entry) grant() (_ fsm.Grant, wrong string) {
	g := fsm.Grant{Tool: e.Tool, Any: e.Any, By: e.By}
	switch {
	case e.Tool == "":
		return g, "the tool's name is empty"
	case e.Any && e.Match != nil:
		return g, "match and any: true exclude each other"
	case !e.Any && e.Match == nil:
		return g, "give match, with a pattern for each argument, or any: true for every call of the tool"
	}
	if e.At != "" {
		at, err := time.Parse(time.RFC3339, e.At)
		if err != nil {
			return g, "at wants a time such as 2026-01-31T09:00:00Z"
		}
		g.At = fsm.Millis(at.UnixMilli())
	}
	if e.Match == nil {
		return g, ""
	}
	for _, m := range *e.Match {
		g.Match = append(g.Match, fsm.ArgMatch{Argument: m.Name, Like: m.Value})
	}
	slices.SortFunc(g.Match, func(a, b fsm.ArgMatch) int { return strings.Compare(a.Argument, b.Argument) })
	return g, ""
}

// Add durably writes a grant into the file, and returns all grants that it has then. A grant that
// is there already changes nothing.
func (f File) Add(g fsm.Grant) ([]fsm.Grant, error) {
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	list, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(list, func(o fsm.Grant) bool { return grant.ID(&o) == grant.ID(&g) }) {
		return list, nil
	}
	if len(list) >= Max {
		return nil, fmt.Errorf("%s has %d approvals already, the most there may be; take some back with shelly approval revoke", f.path, len(list))
	}
	all := append(slices.Clip(list), g)
	return all, f.write(text, strings.TrimRight(text, "\n")+"\n"+written(g), all)
}

// Remove durably removes the grant with an id from the file, and reports whether it was
// there.
func (f File) Remove(id string) (bool, error) {
	text, err := f.read()
	if err != nil {
		return false, err
	}
	list, lines, err := f.placed(text)
	if err != nil {
		return false, err
	}
	all := grant.Without(list, func(g *fsm.Grant) bool { return grant.ID(g) == id })
	if len(all) == len(list) {
		return false, nil
	}
	return true, f.write(text, without(text, lines, func(i int) bool { return grant.ID(&list[i]) == id }), all)
}

// without returns a text without the lines of some entries. An entry's lines end where the next entry
// begins, or before the comments above that.
func without(text string, lines []int, gone func(int) bool) string {
	all := strings.SplitAfter(text, "\n")
	for i, first := range lines {
		if !gone(i) {
			continue
		}
		end := len(all)
		if i+1 < len(lines) {
			end = lines[i+1] - 1
		}
		for end > first && isComment(all[end-1]) {
			end--
		}
		for n := first - 1; n < end; n++ {
			all[n] = ""
		}
	}
	return strings.Join(all, "")
}

// isComment reports whether a line has nothing but a comment, or nothing.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// write writes an edited text if it parses as the wanted grants; otherwise it writes the whole
// file from scratch, after the comments at its beginning.
func (f File) write(was, text string, want []fsm.Grant) error {
	if got, err := f.parse(text); err != nil || !same(got, want) || text == was {
		text = opening(was)
		for _, g := range want {
			text += written(g)
		}
		if len(want) == 0 {
			text = strings.TrimSuffix(text, "\n") + " []\n"
		}
	}
	if got, err := f.parse(text); err != nil || !same(got, want) {
		return fmt.Errorf("%s cannot be written with these approvals: %w", f.path, err)
	}
	return durable.As{Alone: true, Follow: true}.File(f.path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func same(a, b []fsm.Grant) bool {
	return slices.EqualFunc(a, b, func(x, y fsm.Grant) bool { return grant.ID(&x) == grant.ID(&y) })
}

// opening returns the comments at the beginning of a text, or the usual ones, and the key.
func opening(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			break
		}
		out.WriteString(line)
	}
	if out.Len() == 0 {
		return header + "approvals:\n"
	}
	return out.String() + "approvals:\n"
}

// written returns a grant as an entry of the file.
func written(g fsm.Grant) string {
	n := strict.Map()
	n.Put("tool", strict.Text(g.Tool))
	if g.Any {
		n.Put("any", strict.True())
	} else {
		match := strict.Map().OnOneLine()
		for _, m := range g.Match {
			match.Put(m.Argument, strict.Text(m.Like))
		}
		n.Put("match", match)
	}
	if g.By != "" {
		n.Put("by", strict.Text(g.By))
	}
	if g.At != 0 {
		at := strict.Text(time.UnixMilli(int64(g.At)).UTC().Format(time.RFC3339))
		at.Style = strict.DoubleQuoted
		n.Put("at", at)
	}
	text, err := strict.Write(strict.List(n), 0)
	if err != nil {
		return "" // write then finds that the file does not parse as wanted
	}
	return string(text)
}
