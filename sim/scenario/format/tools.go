package format

import (
	"cmp"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Tools are the stub tools, or that the tools are the daemon's own.
type Tools struct {
	Real  bool
	Stubs strict.ByName[Entries]
}

const realTools = "real"

// ProbeTruth is the answer of a probe that knows whether its call was started.
const ProbeTruth = "truth"

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
func FileTools() []string {
	return []string{"read_file", "write_file", "edit_file", "list_dir", "grep", "glob"}
}

// Declared are the tools that the machine knows at the first start: the profile's and the
// file's, or those of them that config names.
func (f *File) Declared() []string {
	var names, own []string
	if profile, ok := profile.Named(cmp.Or(f.Profile, DefaultProfile)); ok {
		for _, t := range profile.Tools {
			names = append(names, t.Name)
		}
		if profile.Limits.OfferTokens > 0 {
			own = append(own, fsm.ToolHelp) // whatever tools are named
		}
	}
	return append(f.Config.Names(append(names, f.ToolNames()...)), own...)
}

// ToolNames are the tools that the file has beside the profile's own.
func (f *File) ToolNames() []string { return append(f.Tools.Names(), f.Servers.names()...) }

// NotDeclared says of a tool that it is not among those declared, and what to do.
func NotDeclared(tool string, declared []string) string {
	others := "nor is any other"
	if len(declared) > 0 {
		others = "declared are: " + strings.Join(declared, ", ")
	}
	return "the tool " + wording.Word(tool) + " is not declared (" + wording.Meant(tool, declared, others) + "); declare it under tools, or add undeclared: true if that is meant"
}

// DeclaresLater reports whether the timeline configures other tools.
func (f *File) DeclaresLater() bool {
	return slices.ContainsFunc(f.Timeline, func(m Moment) bool { return m.Configure != nil && m.Configure.Tools != nil })
}

// Names are the stubs, or the real tools.
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
