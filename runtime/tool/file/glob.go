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

	"github.com/bmatcuk/doublestar/v4"

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

// filter matches paths against a pattern; a pattern without a slash matches names in any folder.
type filter struct {
	pattern string
	out     string // what .gitignore leaves out, and a folder, that the pattern may have meant
	folder  string
}

// newFilter parses a pattern, which begins at a folder; an empty one matches every path.
func (t *Tools) newFilter(pattern, where string) (filter, error) {
	pattern = strings.TrimPrefix(strings.TrimSpace(pattern), "./")
	if path.Clean(where) == "." && path.IsAbs(pattern) {
		pattern = t.relative(pattern)
	}
	if pattern == "" || pattern == "." {
		return filter{pattern: "**"}, nil
	}
	switch {
	case len(pattern) > patternMax: // braces in braces take the square of it at each path
		return filter{}, tool.Refuse("a pattern for names has at most %d bytes, and this one %d", patternMax, len(pattern))
	case strings.HasPrefix(pattern, "/"):
		return filter{}, tool.Refuse("a pattern begins at path; give the folder as path, and the pattern from there, such as **/*.go")
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return filter{}, tool.Refuse("%s has .., which no pattern may have; give the folder as path, and the pattern from there", strconv.Quote(pattern))
	case strings.HasSuffix(pattern, "/"):
		return filter{}, tool.Refuse("%s means folders, and a pattern finds files: %s finds those in them; list_dir shows folders", strconv.Quote(pattern), strconv.Quote(pattern+"**"))
	}
	if !doublestar.ValidatePattern(pattern) {
		return filter{}, tool.Refuse("%s is not a pattern; it may contain *, **, ?, [a-z] and {a,b}, such as src/**/*.go", strconv.Quote(pattern))
	}
	if alternatives(pattern) > alternativesMax {
		return filter{}, tool.Refuse("the braces of %s stand for more than %d patterns; use fewer of them", strconv.Quote(wording.Clip(pattern, wording.ShownMax)), alternativesMax)
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	return filter{pattern: pattern}, nil
}

// alternativesMax bounds the patterns for which one with braces stands: each may be tried at each path.
const alternativesMax = 1000

// alternatives returns for how many patterns one with braces stands at most, or a number above the
// bound.
func alternatives(pattern string) int {
	all := 1
	var open []int // how many alternatives the open braces have
	for i := 0; i < len(pattern) && all <= alternativesMax; i++ {
		last := len(open) - 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			all, open = all*open[last], open[:last]
		}
	}
	return all
}

func (f filter) fits(path string) bool {
	ok, err := doublestar.Match(f.pattern, path)
	return err == nil && ok
}

// miss notes an entry that is no hit but may be what is meant.
func (f *filter) miss(e entry) {
	switch base, _ := doublestar.SplitPattern(f.pattern); {
	case e.ignored && f.out == "" && (f.fits(e.path) || base == e.path || strings.HasPrefix(base, e.path+"/")):
		f.out = e.path
	case e.IsDir() && f.folder == "" && f.fits(e.path):
		f.folder = e.path
	}
}

// missed returns a remark for a result without a hit in a folder.
func (f *filter) missed(where string) string {
	switch {
	case f.pattern == "**":
	case strings.EqualFold(path.Base(f.out), ".git"):
		return "; " + wording.PathLine(path.Join(where, f.out)) + " is left out"
	case f.out != "":
		return "; .gitignore leaves out " + wording.PathLine(path.Join(where, f.out))
	case f.folder != "":
		return "; " + wording.PathLine(path.Join(where, f.folder)) + " is a folder"
	case strings.ContainsAny(f.pattern, ",|") && !strings.Contains(f.pattern, "{"):
		return "; several patterns are written {*.a,*.b}"
	}
	return ""
}

// hit is a file that was found.
type hit struct {
	path    string
	changed time.Time
}

func (t *Tools) glob(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	want, err := t.newFilter(a.Text("pattern", ""), cmp.Or(strings.TrimSpace(a.Text("path", "")), "."))
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
	var hits []hit
	w := walk{t: t, ctx: searching, depth: walkDepth}
	w.visit = func(e entry) bool {
		if !e.ignored && !e.IsDir() && want.fits(e.path) {
			h := hit{path: path.Join(where, e.path)}
			if a.Is("newest") {
				if info, err := descriptor.Get(searching, e.at.lstat); err == nil {
					h.changed = info.ModTime()
				}
			}
			hits = append(hits, h)
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
	if a.Is("newest") {
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path)) })
	}
	return tool.Result{Text: w.unseen(t.showHits(hits, want.missed(where), w.cut("not all folders were looked into")))}
}

// showHits lists what was found, with a mark if that is not everything.
func (t *Tools) showHits(hits []hit, missed, cut string) string {
	if len(hits) == 0 && cut == "" {
		return "(no such file" + missed + ")"
	}
	var b strings.Builder
	for i, h := range hits {
		line := wording.PathLine(h.path) + "\n"
		if i == pathsMax || b.Len()+len(line)+len(cut) > t.room() {
			fmt.Fprintf(&b, "[cut: %d of %d files are shown; narrow the pattern or path]\n", i, len(hits))
			break
		}
		b.WriteString(line)
	}
	return b.String() + cut
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
