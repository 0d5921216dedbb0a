package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// titleBytesMax is how much of its main argument the title of a call shows.
const titleBytesMax = 200

// diffBytesMax bounds the texts of a call that are sent as diffs.
const diffBytesMax = 256 << 10

// kinds are what the tools do, in the protocol's words; any other is "other".
var kinds = map[string]string{
	"read_file": "read", "list_dir": "search", "glob": "search", "grep": "search",
	"write_file": "edit", "edit_file": "edit", "exec": "execute", "web_fetch": "fetch", "web_search": "fetch",
	"memory_search": "search", "memory_read": "read", "read_more": "read", "load_skill": "read", "tool_help": "read", "spawn": "think",
}

// changes reports whether a tool changes the file that it names.
func changes(tool string) bool { return kinds[tool] == "edit" }

// arguments are those of a call that are looked at.
type arguments struct {
	Path       string
	Offset     int
	Content    string
	Old, New   string
	Edits      []struct{ Old, New string }
	Command    string
	Argv       []string
	URL, Query string
	Pattern    string
	Task, Name string
}

// describe says what a call is (FRT-52). The id, and how it is, are left to the caller.
func describe(tool, args, workspace string) Call {
	a := parse(args)
	c := Call{Title: tool, Kind: cmp.Or(kinds[tool], "other"), Input: json.RawMessage(args)}
	if !json.Valid(c.Input) {
		c.Input, _ = json.Marshal(args) // a text is always JSON
	}
	if about := a.about(); about != "" {
		c.Title += ": " + wording.Clip(about, titleBytesMax)
	}
	if a.Path != "" && (c.Kind == "read" || c.Kind == "edit" || c.Kind == "search") {
		c.Locations = []Location{{Path: absolute(workspace, a.Path), Line: a.Offset}}
	}
	return c
}

// path is the file that the call is about; empty: it is about none.
func (c Call) path() string {
	if len(c.Locations) == 0 {
		return ""
	}
	return c.Locations[0].Path
}

// parse reads the arguments of a call, as far as they are of the kinds that are looked at.
func parse(args string) (a arguments) {
	_ = json.Unmarshal([]byte(args), &a) // what a model has written may be anything
	return a
}

// about is the argument that says most.
func (a arguments) about() string {
	all := []string{a.Command, strings.Join(a.Argv, " "), a.Path, a.URL, a.Query, a.Task, a.Name}
	if a.Pattern != "" {
		all = slices.Insert(all, 0, a.Pattern)
	}
	text, _, more := strings.Cut(cmp.Or(all...), "\n")
	if more {
		text += " …"
	}
	return text
}

// diffs are what a call is to change in its file, as its arguments say; before is what the
// file held, nil where that is not known or there was none.
func diffs(tool, args, workspace string, before *string) []Part {
	a := parse(args)
	if !changes(tool) || a.Path == "" || len(args) > diffBytesMax {
		return nil
	}
	path := absolute(workspace, a.Path)
	if tool == "write_file" {
		return []Part{{Type: "diff", Path: path, Old: before, New: &a.Content}}
	}
	edits := a.Edits
	if len(edits) == 0 {
		edits = append(edits, struct{ Old, New string }{a.Old, a.New})
	}
	var parts []Part
	for _, e := range edits {
		part := Part{Type: "diff", Path: path, Old: &e.Old, New: &e.New}
		if e.Old == "" { // it makes a new file
			part.Old = nil
		}
		parts = append(parts, part)
	}
	return parts
}

// absolute is a path as the protocol wants it.
func absolute(workspace, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(workspace, path)
}
