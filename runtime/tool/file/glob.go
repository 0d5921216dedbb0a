package file

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/descriptor"
	"shelly/runtime/tool"
)

const pathsMax = 500 // paths that glob shows

// globDecl declares glob, which changes nothing (TOL-30).
func globDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        "glob",
		Description: "Find files by name, such as *.go or src/**/test_*.py" + reach(everywhere) + ". Obeys .gitignore.",
		Parameters: `{"type":"object","properties":{` +
			`"pattern":{"type":"string"},` +
			`"path":{"type":"string"},` +
			`"newest":{"type":"boolean"}},` +
			`"required":["pattern"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

// hit is a file that was found.
type hit struct {
	path    string
	changed time.Time
}

// hitAt returns a file that was found, if dated with the time of its last change.
func hitAt(ctx context.Context, shown string, e entry, dated bool) hit {
	h := hit{path: shown}
	if dated {
		if info, err := descriptor.Get(ctx, e.at.lstat); err == nil {
			h.changed = info.ModTime()
		}
	}
	return h
}

func (t *Tools) glob(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	text, from := a.Text("pattern", ""), cmp.Or(strings.TrimSpace(a.Text("path", "")), ".")
	want, err := t.newFilter(text, from)
	if err != nil {
		return tool.Undone(err)
	}
	searching, cancel := t.searching(ctx)
	defer cancel()
	where, dir, err := t.folder(ctx, a)
	if err != nil {
		return tool.Undone(err)
	}
	defer dir.Close()
	filters := append([]filter{want}, otherFilters(t.fromWhere(text, from), from, want)...)
	found := make([][]hit, len(filters))
	w := walk{t: t, ctx: searching, depth: walkDepth}
	w.visit = func(e entry) bool {
		for i, f := range filters {
			if !e.ignored && !e.IsDir() && f.fits(e.path) {
				found[i] = append(found[i], hitAt(searching, path.Join(where, e.path), e, a.Is("newest")))
			}
			if len(found[0]) > 0 { // the others do not count
				break
			}
		}
		want.miss(e)
		return !e.ignored
	}
	if err := w.from(dir); err != nil {
		return tool.Failed("%v", explain(where, err))
	}
	if ctx.Err() != nil {
		return tool.Stopped()
	}
	counts := max(0, slices.IndexFunc(found, func(hits []hit) bool { return len(hits) > 0 }))
	hits := found[counts]
	if a.Is("newest") {
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path)) })
	}
	return tool.Result{Text: w.unseen(t.showHits(hits, want.missed(where), filters[counts].note+w.cut("not all folders were looked into")))}
}

// showHits lists what was found, with remarks below it, and a mark if that is not everything.
func (t *Tools) showHits(hits []hit, missed, below string) string {
	if len(hits) == 0 && below == "" {
		return "(no such file" + missed + ")"
	}
	var b strings.Builder
	for i, h := range hits {
		line := wording.PathLine(h.path) + "\n"
		if i == pathsMax || b.Len()+len(line)+len(below) > t.room() {
			fmt.Fprintf(&b, "[cut: %d of %d files are shown; narrow the pattern or path]\n", i, len(hits))
			break
		}
		b.WriteString(line)
	}
	return b.String() + below
}

// folder opens the folder that the argument path names, or the workspace if it was left out, and
// returns the prefix of the paths in it.
func (t *Tools) folder(ctx context.Context, a tool.Arguments) (string, opened, error) {
	where := a.Text("path", "")
	if strings.TrimSpace(where) == "" {
		where = "."
	}
	dir, err := t.open(ctx, where)
	if err == nil && !dir.info.IsDir() {
		dir.Close()
		err = tool.Refuse("%s is a file, not a directory", strconv.Quote(where))
	}
	return path.Clean(where), dir, err
}
