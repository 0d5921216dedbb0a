package scenario

import (
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Tools are the stub tools, or that the tools are the daemon's own.
type Tools struct {
	Real  bool
	Stubs Map[Entries]
}

const realTools = "real"

func (v *Tools) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode {
		v.Stubs.read(d, n, path)
		return
	}
	if word, ok := d.text(n, path); ok && word != realTools {
		d.add(n, path, unknown("word", word, []string{realTools})+", or give stubs by name")
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
func (d *decoder) checkReal(f *File) {
	if !f.Tools.Real {
		return
	}
	if w := f.about().Workspace; !strings.HasPrefix(w, "/") {
		d.at("about.workspace", "wants an absolute path, since the real tools go by it, not "+shown(w))
	}
	for i, t := range f.World {
		at := "world." + shown(t.Name)
		switch text, _ := valueOfJSON(string(t.Value)); {
		case !isFilePath(t.Name):
			d.at(at, "wants the path of a file in the workspace, such as src/main.go, and none that leads out of it")
		case text.kind != textKind:
			d.at(at, "wants the text of the file; other data is for stub tools")
		}
		for _, other := range f.World[:i] {
			if inFolder(t.Name, other.Name) || inFolder(other.Name, t.Name) {
				d.at(at, "and "+shown(other.Name)+" cannot both be files: one is in the folder of the other's name")
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
