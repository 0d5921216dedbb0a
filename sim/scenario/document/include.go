package document

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Include is the paths of the fragments. They are read before all other keys.
type Include struct{}

func (*Include) Read(*strict.Decoder, *strict.Node, string) {}

// including reads the fragments of a scenario.
type including struct {
	*document
	fsys  fs.FS
	reads int // files that were read to find a cycle
}

// include reads the fragments and joins their keys to the root (SCN-16).
func (doc *document) include(fsys fs.FS) {
	list := doc.key("include")
	if list == nil {
		return
	}
	list = list.Follow()
	in := including{document: doc, fsys: fsys}
	entries, at := []*strict.Node{list}, func(int) string { return "include" }
	if list.Kind == strict.ListKind {
		entries, at = list.Content, func(i int) string { return strict.Element("include", i) }
	}
	switch {
	case len(entries) == 0:
		in.problem(list, "include", "wants the path of a file, or a list of them; found an empty list")
	case len(entries) > IncludesMax:
		in.problem(list, "include", fmt.Sprintf("includes %d files; the limit is %d", len(entries), IncludesMax))
		return
	}
	var roots []*strict.Node
	for i, n := range entries {
		if root := in.fragment(n.Follow(), at(i)); root != nil {
			roots = append(roots, root)
		}
	}
	if len(doc.problems) == 0 {
		doc.root = in.joined("", append(roots, doc.root), in.pickKey)
	}
}

func (in *including) problem(n *strict.Node, key, text string) {
	in.problems = append(in.problems, strict.Problem{Pos: n.Pos, Path: key, Text: text})
}

// fragment returns the root of a fragment, or nil after a problem.
func (in *including) fragment(n *strict.Node, key string) *strict.Node {
	if n.Kind != strict.TextKind {
		in.problem(n, key, "wants the path of a file, found "+n.String())
		return nil
	}
	name, wrong := in.inFolder(".", n.Value)
	file := path.Join(path.Dir(in.path), name)
	switch {
	case wrong != "":
	case in.fsys == nil:
		wrong = "a scenario that is not read from a file cannot include one"
	case file == path.Clean(in.path):
		wrong = fmt.Sprintf("include cycle: %s -> %s", name, name)
	case slices.Contains(in.includes, file):
		wrong = "is included already"
	case strings.HasSuffix(name, Suffix):
		wrong = "is a scenario of its own; the name of a fragment does not end in " + Suffix
	default:
		wrong = in.reachable(name)
	}
	if wrong != "" {
		in.problem(n, key, wrong)
		return nil
	}
	in.includes = append(in.includes, file)
	source, err := strict.ReadFile(in.fsys, file, strict.FileBytesMax)
	if err != nil {
		in.problem(n, key, name+": "+err.Error())
		return nil
	}
	return in.parsed(n, key, name, file, source)
}

// inFolder returns the path, from the scenario's folder, of a file that is named in
// a folder there, or what is wrong with it.
func (in *including) inFolder(folder, name string) (file, wrong string) {
	switch {
	case name == "":
		return "", "is empty"
	case strings.Contains(name, "://"):
		return "", "wants a file path, not the address " + wording.Word(name) + ": a fragment is in the scenario's folder or below"
	case strings.Contains(name, `\`):
		return "", `wants / between folders, not \`
	case path.IsAbs(name), len(name) > 1 && name[1] == ':':
		return "", "wants a relative path, not " + wording.Word(name) + ": a fragment is in the scenario's folder or below"
	case strings.Contains(name, "${"):
		return "", "wants a file path; variables are not put into it"
	}
	if file = path.Join(folder, name); file == ".." || strings.HasPrefix(file, "../") {
		return "", wording.Word(name) + " is outside the scenario's folder; a fragment is in that folder or below"
	}
	return file, ""
}

// reachable says what is wrong with the way to a file in the scenario's folder:
// neither it nor a folder before it may be a symbolic link, which could lead out.
func (in *including) reachable(name string) string {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(in.fsys, path.Join(path.Dir(in.path), name[:i]))
		switch {
		case errors.Is(err, fs.ErrNotExist) && i < len(name):
			return name + ": there is no folder " + name[:i]
		case err != nil:
			return name[:i] + ": " + strict.WithoutPath(err).Error()
		case info.Mode()&fs.ModeSymlink != 0:
			return name[:i] + " is a symbolic link; a fragment is in the scenario's folder or below"
		}
	}
	return ""
}

// parsed returns the root of a fragment that was read.
func (in *including) parsed(n *strict.Node, key, name, file string, source []byte) *strict.Node {
	in.sources[file] = source
	root, problem := rootOf(source, "a fragment", file)
	if problem != nil {
		in.problems = append(in.problems, *problem)
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch word := root.Content[i]; word.Value {
		case "scenario", "name", "matrix":
			in.problem(word, word.Value, "belongs to the scenario, not to a fragment")
		case "include":
			if cycle := in.cycle([]string{path.Base(in.path), name}, root.Content[i+1]); cycle != "" {
				in.problem(n, key, "include cycle: "+cycle)
			} else {
				in.problem(word, word.Value, "a fragment includes nothing; let the scenario include the files that it needs")
			}
		}
	}
	return root
}

// cycle follows the includes of the last file of a chain and returns the way round
// that it meets, or "". Paths are from the scenario's folder.
func (in *including) cycle(chain []string, include *strict.Node) string {
	include = include.Follow()
	entries := []*strict.Node{include}
	if include.Kind == strict.ListKind {
		entries = include.Content
	}
	for _, n := range entries {
		name, wrong := in.inFolder(path.Dir(chain[len(chain)-1]), n.Follow().Value)
		if wrong != "" {
			continue
		}
		longer := append(slices.Clip(chain), name)
		if first := slices.Index(chain, name); first >= 0 {
			return strings.Join(longer[first:], " -> ")
		}
		if inner := in.includeOf(name); inner != nil {
			if found := in.cycle(longer, inner); found != "" {
				return found
			}
		}
	}
	return ""
}

// includeOf returns what a file includes, or nil. It reads no more than IncludesMax
// files.
func (in *including) includeOf(name string) *strict.Node {
	if in.reads++; in.reads > IncludesMax || in.reachable(name) != "" {
		return nil
	}
	source, err := strict.ReadFile(in.fsys, path.Join(path.Dir(in.path), name), strict.FileBytesMax)
	if err != nil {
		return nil
	}
	root, _ := strict.Parse(source, "a fragment", "")
	if root == nil {
		return nil
	}
	return root.Get("include")
}
