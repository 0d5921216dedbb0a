package format

import (
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

// Names are the tools that the file has beside the profile's own.
func (v Tools) Names() []string {
	if v.Real {
		return FileTools()
	}
	list := make([]string, len(v.Stubs))
	for i, t := range v.Stubs {
		list[i] = t.Name
	}
	return list
}
