package suite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/changed"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/lastrun"
	"shelly/fsm/wording"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// since is a flag that may have a commit as its value: --only-changed or --only-changed=REF.
type since struct {
	given bool
	ref   string
}

// IsBool implements [kong.BoolMapperValue]: the flag needs no value.
func (*since) IsBool() bool { return true }

// Decode implements [kong.MapperValue].
func (s *since) Decode(ctx *kong.DecodeContext) error {
	s.given = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		if s.ref = ctx.Scan.Pop().String(); s.ref == "" {
			return fmt.Errorf("wants a commit after =, such as --only-changed=main")
		}
	}
	return nil
}

// String returns the flag as it was given.
func (s *since) String() string {
	if s.ref == "" {
		return "--only-changed"
	}
	return "--only-changed=" + s.ref
}

// narrow selects cases by what is not in their names and tags: the results of an earlier run, and
// which files have changed. It may select none, which is not a mistake of the user.
type narrow struct {
	last   *lastrun.Run    // nil: --last-failed is not given, or no run is known
	files  map[string]bool // files that have changed, by absolute path; nil: --only-changed is not given
	note   string          // note to print before the run
	nobody string          // note to print if no case is left
}

// narrowed evaluates --last-failed and --only-changed for the targets (SCN-62, SCN-63).
func narrowed(lastFailed bool, only *since, targets []choose.Target) (n narrow, err error) {
	if lastFailed {
		switch n.last, err = lastrun.Of("."); {
		case err != nil:
			return n, exit.Errorf(exit.Usage, "--last-failed: cannot read which cases failed last: %v", err)
		case !n.last.Known:
			n.last, n.note = nil, "--last-failed: no earlier run is known here, so all cases run"
		default:
			n.nobody = "--last-failed: none of the cases failed when it was last played" + elsewhere(n.last)
		}
	}
	if only.given {
		if n.files, err = only.files(targets); err != nil {
			return n, exit.Errorf(exit.Usage, "--only-changed: %v", err)
		}
		n.nobody = only.String() + ": none of the cases has changed"
	}
	return n, nil
}

// elsewhere names the files that have cases which failed: if none of these is to run, a run that
// ends with 0 does not mean that all is well.
func elsewhere(r *lastrun.Run) string {
	files, here := r.Files(), filepath.Dir(whole("any"))
	for i, file := range files {
		if near, err := filepath.Rel(here, file); err == nil {
			files[i] = near
		}
	}
	more := ""
	if n := len(files) - elsewhereMax; n > 0 {
		files, more = files[:elsewhereMax], fmt.Sprintf(" and %s", wording.Count(n, "other file"))
	}
	if len(files) == 0 {
		return ""
	}
	return "; cases that this run leaves out did, in " + strings.Join(files, ", ") + more
}

// elsewhereMax is how many files are named.
const elsewhereMax = 3

// files returns the files that have changed in the repositories of the targets.
func (s *since) files(targets []choose.Target) (map[string]bool, error) {
	all := map[string]bool{}
	var asked []string
	for _, t := range targets {
		dir := lastrun.Project(filepath.Dir(t.Path))
		if slices.Contains(asked, dir) {
			continue
		}
		asked = append(asked, dir)
		files, err := changed.Files(dir, s.ref)
		if err != nil {
			return nil, err
		}
		for name := range files { // order-free: a set
			all[name] = true
		}
	}
	return all, nil
}

// has reports whether a case is selected.
func (n *narrow) has(f *scenario.File) bool {
	path := whole(f.Path())
	if n.last != nil && !n.last.Failed(path, f.Name) {
		return false
	}
	if n.files == nil || n.files[path] {
		return true
	}
	return slices.ContainsFunc(partsOf(f), func(part string) bool { return n.files[whole(part)] })
}

// partsOf returns the other files that a case consists of: fragments, its golden, and the
// regressions of a property.
func partsOf(f *scenario.File) []string {
	parts := f.Includes()
	if golden := f.GoldenPath(); golden != "" {
		parts = append(parts, golden)
	}
	for _, r := range f.Regressions() {
		parts = append(append(parts, r.Path()), partsOf(r)...)
	}
	return parts
}

// whole returns a file's path in the form that is the same in every run of the project: absolute,
// with the links in its folder resolved.
func whole(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(dir, filepath.Base(abs))
	}
	return abs
}
