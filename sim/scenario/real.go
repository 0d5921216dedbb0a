package scenario

import (
	"io/fs"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Tools are the stub tools, or that the tools are the daemon's own.
type Tools struct {
	Real  bool
	Stubs strict.ByName[Entries]
}

const realTools = "real"

func (v *Tools) Read(d *strict.Decoder, n *strict.Node, path string) {
	if !n.Scalar() {
		v.Stubs.Read(d, n, path)
		return
	}
	if word, ok := d.Text(n, path); ok && word != realTools {
		d.Add(n, path, wording.Unknown("word", word, []string{realTools})+", or give stubs by name")
	}
	v.Real = true
}

// FileTools are the names of the daemon's file tools, which tools: real offers (TOL-1).
// exec is none: what a command does is not the same on every machine.
func FileTools() []string { return []string{"read_file", "list_dir"} }

// names are the tools that the file has beside the profile's own.
func (v Tools) names() []string {
	if v.Real {
		return FileTools()
	}
	list := make([]string, len(v.Stubs))
	for i, t := range v.Stubs {
		list[i] = t.Name
	}
	return list
}

// checkReal wants the world of the real tools to be files in the workspace (SCN-30).
func (k *checker) checkReal(f *File) {
	if !f.Tools.Real {
		return
	}
	if w := f.about().Workspace; !strings.HasPrefix(w, "/") {
		k.at("about.workspace", "wants an absolute path, since the real tools go by it, not "+wording.Word(w))
	}
	for i, t := range f.World {
		at := "world." + wording.Word(t.Name)
		switch text, _ := valueOfJSON(string(t.Value)); {
		case !isFilePath(t.Name):
			k.at(at, "wants the path of a file in the workspace, such as src/main.go, and none that leads out of it")
		case text.kind != textKind:
			k.at(at, "wants the text of the file; other data is for stub tools")
		}
		for _, other := range f.World[:i] {
			if inFolder(t.Name, other.Name) || inFolder(other.Name, t.Name) {
				k.at(at, "and "+wording.Word(other.Name)+" cannot both be files: one is in the folder of the other's name")
			}
		}
	}
}

// isFilePath reports whether a name can be a file's path from the workspace.
func isFilePath(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsRune(name, 0)
}

// inFolder reports whether a path is below one that is a folder then.
func inFolder(name, folder string) bool { return strings.HasPrefix(name, folder+"/") }
