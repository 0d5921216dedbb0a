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

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/descriptor"
	"shelly/runtime/tool"
)

// listDirDecl declares list_dir, which changes nothing (TOL-28).
func listDirDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        "list_dir",
		Description: "List a folder" + reach(everywhere) + ": folders end with /, files have their size.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Default: the workspace"},` +
			fmt.Sprintf(`"depth":{"type":"integer","minimum":0,"maximum":%d,"description":"Levels"},`, listDepthMax) +
			`"dates":{"type":"boolean"}},"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

// listDepthMax is the greatest depth of list_dir.
const listDepthMax = 10

// listDir is the tool list_dir.
func (t *Tools) listDir(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	path := cmp.Or(a.Text("path", "."), ".")
	dir, err := t.open(ctx, path)
	if err != nil {
		return tool.Undone(err)
	}
	defer dir.Close()
	if !dir.info.IsDir() {
		return tool.Invalid("%s is a file, not a directory; use read_file", strconv.Quote(path))
	}
	if depth := a.Number("depth", 1); depth > 1 {
		return t.tree(ctx, path, dir, depth, a.Is("dates"))
	}
	entries, err := dir.ReadDir(entriesReadMax + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Failed("%v", explain(path, err))
	}
	if len(entries) == 0 {
		return tool.Result{Text: "(empty)"}
	}
	return t.show(ctx, dir.at, entries, a.Is("dates"))
}

// show lists the entries of a folder.
func (t *Tools) show(ctx context.Context, folder spot, entries []fs.DirEntry, dates bool) tool.Result {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for i, e := range entries {
		if ctx.Err() != nil {
			return tool.Stopped()
		}
		line := entryLine(ctx, folder.in(e.Name()), e, e.Name(), dates)
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

// tree lists a folder and the folders in it. Folders that .gitignore leaves out are shown
// without their contents.
func (t *Tools) tree(ctx context.Context, path string, dir opened, depth int, dates bool) tool.Result {
	searching, cancel := t.searching(ctx)
	defer cancel()
	var b strings.Builder
	n := 0
	w := walk{t: t, ctx: searching, depth: depth}
	w.visit = func(e entry) bool {
		if e.ignored && !e.IsDir() {
			return false
		}
		line := entryLine(searching, e.at, e, e.path, dates)
		if e.ignored {
			line = strings.TrimSuffix(line, "\n") + "  (ignored; list it by its path)\n"
		}
		if n++; n > entriesMax || b.Len()+len(line) > t.room() {
			w.stop("the result has no room for more")
			return false
		}
		b.WriteString(line)
		return !e.ignored
	}
	if err := w.from(dir); err != nil {
		return tool.Failed("%v", explain(path, err))
	}
	if ctx.Err() != nil {
		return tool.Stopped()
	}
	if b.Len() == 0 && w.why == "" {
		return tool.Result{Text: "(empty)"}
	}
	return tool.Result{Text: w.unseen(b.String() + w.cut("not all entries are shown"))}
}

// entryLine returns the line of one entry under a displayed name. What the entry is comes from
// its spot, so that no name leads out of the workspace.
func entryLine(ctx context.Context, at spot, e fs.DirEntry, name string, dates bool) string {
	name = wording.PathLine(name)
	if e.IsDir() {
		name += "/"
		if !dates {
			return name + "\n"
		}
	}
	info, err := descriptor.Get(ctx, at.lstat)
	if err != nil {
		return name + "  (unreadable)\n"
	}
	changed := ""
	if dates {
		changed = "  " + info.ModTime().Format("2006-01-02 15:04")
	}
	switch {
	case info.IsDir():
		return name + changed + "\n"
	case info.Mode().IsRegular():
		return name + "  " + wording.Count(int(info.Size()), "byte") + changed + "\n"
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := descriptor.Get(ctx, at.readlink)
		if err != nil {
			return name + "  (symbolic link)\n"
		}
		return name + " -> " + wording.PathLine(target) + changed + "\n"
	default:
		return name + "  (" + special(info.Mode()) + ")" + changed + "\n"
	}
}
