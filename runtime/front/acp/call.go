package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"shelly/fsm/wording"
)

// titleBytesMax is the most bytes of its main argument that a call's title shows.
const titleBytesMax = 200

// diffBytesMax bounds the texts of a call that are sent as diffs.
const diffBytesMax = 256 << 10

// kinds are the protocol's kinds of the tools; any other tool is of kind "other".
var kinds = map[string]string{
	"read_file": "read", "list_dir": "search", "glob": "search", "grep": "search",
	"write_file": "edit", "edit_file": "edit", "exec": "execute", "web_fetch": "fetch", "web_search": "fetch",
	"memory_search": "search", "memory_read": "read", "read_more": "read", "load_skill": "read", "tool_help": "read", "spawn": "think",
}

// changes reports whether a tool changes the file that it names.
func changes(tool string) bool { return kinds[tool] == "edit" }

// arguments are the arguments of a call that matter here.
type arguments struct {
	Path       string
	Offset     int
	Content    string
	Old, New   string
	Edits      edits
	Command    string
	Argv       []string
	URL, Query string
	Pattern    string
	Task, Name string
}

type edit struct{ Old, New string }

// edits are a list of them. The tool takes it as a text, too, and a single one for a list (TOL-2).
type edits []edit

// UnmarshalJSON implements [json.Unmarshaler]. What the tool does not take is no edit.
func (l *edits) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		b = []byte(text)
	}
	var one edit
	if json.Unmarshal(b, &one) == nil && len(b) > 0 && strings.TrimSpace(string(b))[0] == '{' {
		*l = edits{one}
		return nil
	}
	_ = json.Unmarshal(b, (*[]edit)(l))
	return nil
}

// describe returns what a call is (FRT-52, APR-22). The caller sets its id and status.
func describe(tool, args, workspace string) Call {
	a := parse(args)
	c := Call{Title: tool, Kind: cmp.Or(kinds[tool], "other"), Input: json.RawMessage(args)}
	if !json.Valid(c.Input) {
		c.Input, _ = json.Marshal(args) // a text is always JSON
	}
	if about := a.about(); about != "" {
		c.Title += ": " + wording.Clip(wording.Visible(about), titleBytesMax)
	}
	if a.Path != "" && (c.Kind == "read" || c.Kind == "edit" || c.Kind == "search") {
		c.Locations = []Location{{Path: absolute(workspace, a.Path), Line: a.Offset}}
	}
	return c
}

// path is the file that the call is about; empty: none.
func (c Call) path() string {
	if len(c.Locations) == 0 {
		return ""
	}
	return c.Locations[0].Path
}

// parse reads the arguments of a call, as far as they matter here.
func parse(args string) (a arguments) {
	_ = json.Unmarshal([]byte(args), &a) // a model may write anything
	return a
}

// about is the most telling argument.
func (a arguments) about() string {
	telling := cmp.Or(a.Pattern, a.Command, strings.Join(a.Argv, " "), a.Path, a.URL, a.Query, a.Task, a.Name)
	text, _, more := strings.Cut(telling, "\n")
	if more {
		text += " …"
	}
	return text
}

// diffs are the changes that a call makes to its file, according to its arguments. Those of a whole
// file that is written can be told only if what it held before is known.
func diffs(tool, args, workspace string, before Earlier) []Part {
	a := parse(args)
	if !changes(tool) || a.Path == "" || len(args) > diffBytesMax {
		return nil
	}
	path := absolute(workspace, a.Path)
	if tool == "write_file" && !before.Known {
		return nil
	}
	if tool == "write_file" {
		return []Part{{Type: "diff", Path: path, Old: before.Text, New: &a.Content}}
	}
	edits := a.Edits
	if len(edits) == 0 {
		edits = append(edits, edit{a.Old, a.New})
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

// changed is what a call that has ended shows of its change: the diff, or its result if that is
// unknown. Sure is whether it has succeeded; if not, the record of changes says so.
func (p Place) changed(c *call, result string, sure bool) []Part {
	var before Earlier
	if a := parse(c.args); p.Before != nil {
		var after *string
		if c.tool == "write_file" {
			after = &a.Content
		}
		before = p.Before(absolute(p.Workspace, a.Path), after, result)
	}
	if parts := diffs(c.tool, c.args, p.Workspace, before); parts != nil && (sure || before.Known) {
		return parts
	}
	return shown(result)
}

// absolute returns a path as the protocol requires it.
func absolute(workspace, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(workspace, path)
}
