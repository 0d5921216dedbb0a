package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"shelly/fsm"
	"shelly/runtime/descriptor"
	"shelly/runtime/tool"
)

// listDirDecl declares list_dir, which changes nothing (TOL-1).
func listDirDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name: "list_dir",
		Description: "List a folder" + reach(everywhere) + ", sorted, one entry a line: " +
			"a folder ends with /, a file has its size in bytes.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string","description":"The folder, relative to the workspace; the workspace itself if left out"}},` +
			`"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

// listDir is the tool list_dir.
func (t *Tools) listDir(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	path := a.Text("path", ".")
	if path == "" {
		path = "."
	}
	dir, err := t.open(ctx, path)
	if err != nil {
		return tool.Undone(err)
	}
	defer dir.Close()
	if !dir.info.IsDir() {
		return tool.Invalid("%s is a file, not a directory; use read_file", strconv.Quote(path))
	}
	entries, err := dir.ReadDir(entriesReadMax + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Failed("%v", explain(path, err))
	}
	if len(entries) == 0 {
		return tool.Result{Text: "(empty)"}
	}
	return t.show(ctx, dir.at, entries)
}

// show lists the entries of a folder.
func (t *Tools) show(ctx context.Context, folder spot, entries []fs.DirEntry) tool.Result {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for i, e := range entries {
		if ctx.Err() != nil {
			return tool.Stopped()
		}
		line := entryLine(ctx, folder, e)
		if i < entriesMax && b.Len()+len(line) <= t.room() {
			b.WriteString(line)
			continue
		}
		if len(entries) > entriesReadMax {
			fmt.Fprintf(&b, "[cut: %d of more than %d entries are shown]", i, entriesReadMax)
		} else {
			fmt.Fprintf(&b, "[cut: %d of %d entries are shown]", i, len(entries))
		}
		break
	}
	return tool.Result{Text: b.String()}
}

// entryLine is one entry of a list. What the entry is comes from the folder's
// spot, so that no name leads out of the workspace.
func entryLine(ctx context.Context, folder spot, e fs.DirEntry) string {
	at, name := folder.in(e.Name()), display(e.Name())
	if e.IsDir() {
		return name + "/\n"
	}
	info, err := descriptor.Get(ctx, at.lstat)
	switch {
	case err != nil:
		return name + "  (unreadable)\n"
	case info.Mode().IsRegular():
		return name + "  " + strconv.FormatInt(info.Size(), 10) + " bytes\n"
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := descriptor.Get(ctx, at.readlink)
		if err != nil {
			return name + "  (symbolic link)\n"
		}
		return name + " -> " + display(target) + "\n"
	default:
		return name + "  (" + special(info.Mode()) + ")\n"
	}
}

// display shows a name on one line; a name with anything odd in it is quoted.
func display(name string) string {
	odd := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
	if odd || strings.TrimSpace(name) != name || strings.Contains(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}
