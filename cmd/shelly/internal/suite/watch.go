package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// caseWatch runs cases again when the files that they consist of change (SCN-39).
type caseWatch struct {
	*Command
	t      *terminal.Terminal
	wanted selection
	disk   *fsnotify.Watcher
	loaded map[string]*loadedFile // by path; never ranged over; nil before the first round

	keys    *terminal.Keys // nil: there is no keyboard
	all     []*scenario.File
	pattern *regexp.Regexp  // the pattern given with p; nil: all
	failed  map[string]bool // cases that failed when they were last played, by path and name
	nothing string          // why there is no file, as it was last said; empty: there are some
}

// loadedFile is a scenario file as it was last loaded.
type loadedFile struct {
	files  []*scenario.File
	broken []report.Case
}

// watchFlags refuses flags that cannot be combined with --watch.
func (c *Command) watchFlags() error {
	if !c.Watch {
		return nil
	}
	return c.without("--watch runs until ^C, with some of the cases each time",
		flag{"--list", c.List}, flag{"--shard", c.Shard != nil}, flag{"--junit", c.JUnit != ""},
		flag{"--last-failed", c.LastFailed}, flag{"--only-changed", c.OnlyChanged.given}, flag{"--ci", c.CI != nil && *c.CI}, flag{"--min-transitions", c.MinTransitions != nil})
}

// watch runs the cases, and then those that a change affects, until ctx ends.
func (c *Command) watch(ctx context.Context, t *terminal.Terminal, wanted selection) error {
	disk, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch: %w", err)
	}
	defer disk.Close()
	w := &caseWatch{Command: c, t: t, wanted: wanted, disk: disk, failed: map[string]bool{}}
	c.played = w.took
	if _, err := c.find(); err != nil { // later the files may come and go
		return err
	}
	w.keys = terminal.ReadKeys(t.In, t.Out)
	defer w.keys.End()
	for seen := (changes{}); ; seen = w.wait(ctx) {
		switch {
		case ctx.Err() != nil, seen.key == 'q':
			return nil
		case seen.key != 0:
			w.press(ctx, seen.key)
			continue
		}
		if err := errors.Join(w.follow(), w.again(ctx, seen)); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
	}
}

// again loads what has changed and runs the affected cases. The error means that files cannot be
// watched.
func (w *caseWatch) again(ctx context.Context, seen changes) error {
	targets, err := w.find()
	if err != nil {
		if err.Error() != w.nothing { // what is said may be a change itself: a log in the folder
			exit.Code(err, w.t.Err)
		}
		w.nothing, w.loaded, w.all = err.Error(), map[string]*loadedFile{}, nil
		return nil
	}
	w.nothing = ""
	before := w.loaded
	all, broken, fresh := w.load(targets, seen)
	if err := w.followParts(); err != nil {
		return err
	}
	if before != nil && len(fresh) == 0 && len(w.loaded) == len(before) {
		return nil // nothing that a case consists of
	}
	if before != nil {
		w.rule(seen, before)
	}
	w.tellBroken(w.t, broken)
	w.all = all
	files, _, err := w.wanted.pick(all)
	files = slices.DeleteFunc(files, func(f *scenario.File) bool { return !fresh[f.Path()] || !w.matches(f) })
	if err == nil || len(broken) > 0 {
		err = w.play(ctx, w.t, files, all, broken)
	}
	exit.Code(err, w.t.Err) // prints an error that no report shows
	w.waiting()
	return nil
}

// waiting prints that the watch continues, and which keys there are.
func (w *caseWatch) waiting() {
	text := "watching " + wording.Count(len(w.loaded), "scenario file")
	if w.pattern != nil {
		text += ", cases that match " + w.pattern.String()
	}
	if w.keys != nil {
		text += "; a all, f failed, u update goldens, p pattern, Enter again, q quit"
	} else {
		text += "; ^C ends"
	}
	fmt.Fprintln(w.notes(w.t), text)
}

// took records the results of cases.
func (w *caseWatch) took(cases []report.Case) {
	for i := range cases {
		if c := &cases[i]; c.Status() != report.Skipped {
			w.failed[c.File+"\x00"+c.Name] = c.Status().Fails()
		}
	}
}

func (w *caseWatch) matches(f *scenario.File) bool {
	return w.pattern == nil || w.pattern.MatchString(f.Name)
}

// press handles a key (SCN-69). An unknown key shows which keys there are.
func (w *caseWatch) press(ctx context.Context, key byte) {
	wanted, what := w.matches, "all cases"
	switch key {
	case 'a':
		w.pattern = nil
	case '\n', '\r':
	case 'f':
		wanted, what = func(f *scenario.File) bool { return w.failed[f.Path()+"\x00"+f.Name] }, "the cases that failed"
	case 'u':
		what = "update goldens"
		w.Update = updateAll
		defer func() { w.Update = "" }()
	case 'p':
		line, ok := w.keys.Line(ctx, w.t.Out, "pattern (a regular expression; empty for all): ")
		if !ok {
			return
		}
		pattern, err := regexp.Compile(strings.TrimSpace(line))
		if err != nil {
			fmt.Fprintf(w.t.Err, "shelly: the pattern %s\n", wording.Regexp(err))
			w.waiting()
			return
		}
		if w.pattern = pattern; pattern.String() == "" {
			w.pattern = nil
		}
	default:
		w.waiting()
		return
	}
	if w.pattern != nil && what == "all cases" {
		what = "cases that match " + w.pattern.String()
	}
	w.line(what)
	w.replay(ctx, wanted)
	w.waiting()
}

// replay plays the loaded cases that are wanted.
func (w *caseWatch) replay(ctx context.Context, wanted func(*scenario.File) bool) {
	files, _, err := w.wanted.pick(w.all)
	files = slices.DeleteFunc(slices.Clone(files), func(f *scenario.File) bool { return !wanted(f) })
	var broken []report.Case
	for _, path := range slices.Sorted(maps.Keys(w.loaded)) {
		broken = append(broken, w.loaded[path].broken...)
	}
	w.tellBroken(w.t, broken)
	switch {
	case len(files) == 0 && len(broken) == 0:
		fmt.Fprintln(w.notes(w.t), "no case to play")
	case err == nil || len(broken) > 0:
		err = w.play(ctx, w.t, files, w.all, broken)
	}
	exit.Code(err, w.t.Err)
}

// load updates the loaded files. It returns all cases, those of the files loaded now that are
// broken, and the set of the files loaded now, which is never ranged over.
func (w *caseWatch) load(targets []choose.Target, seen changes) (all []*scenario.File, broken []report.Case, fresh map[string]bool) {
	before := w.loaded
	w.loaded, fresh = map[string]*loadedFile{}, map[string]bool{}
	for _, t := range targets {
		l := before[t.Path]
		if l == nil || l.concerns(t.Path, seen) {
			l = &loadedFile{}
			l.files, l.broken = load([]choose.Target{t}, w.given)
			broken = append(broken, l.broken...)
			fresh[t.Path] = true
		}
		w.loaded[t.Path] = l
		all = append(all, l.files...)
	}
	return all, broken, fresh
}

// concerns reports whether the file or something that it consists of has changed. For a file
// that does not load that is unknown, so any change counts.
func (l *loadedFile) concerns(path string, c changes) bool {
	switch {
	case c.all, slices.Contains(c.paths, path):
		return true
	case len(l.broken) > 0:
		return slices.ContainsFunc(c.paths, isYAML)
	}
	return slices.ContainsFunc(l.parts(), func(p string) bool { return slices.Contains(c.paths, p) })
}

// parts returns the other files that the cases consist of.
func (l *loadedFile) parts() []string {
	var parts []string
	for _, f := range l.files {
		parts = append(parts, partsOf(f)...)
	}
	return parts
}

const (
	ruleColumns  = 80
	rulePathsMax = 3 // changed files that the rule names
)

// rule draws a line that names what has changed since the last round.
func (w *caseWatch) rule(seen changes, before map[string]*loadedFile) {
	var paths []string
	for _, p := range seen.paths {
		if isYAML(p) {
			paths = append(paths, p)
		}
	}
	for path := range w.loaded { // order-free: sorted below
		if before[path] == nil {
			paths = append(paths, path) // it appeared with its folder
		}
	}
	for path := range before { // order-free: sorted below
		if w.loaded[path] == nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	named := paths[:min(len(paths), rulePathsMax)]
	text := strings.Join(named, ", ")
	switch more := len(paths) - len(named); {
	case seen.all:
		text = "too many changes to name"
	case more > 0:
		text += fmt.Sprintf(" and %d more", more)
	}
	w.line(text)
}

// line draws a line with a title for what is below it.
func (w *caseWatch) line(text string) {
	text = "── " + text + " "
	text += strings.Repeat("─", max(2, ruleColumns-len([]rune(text))))
	fmt.Fprintf(w.notes(w.t), "\n%s\n", text)
}

func isYAML(path string) bool { return filepath.Ext(path) == ".yaml" }
