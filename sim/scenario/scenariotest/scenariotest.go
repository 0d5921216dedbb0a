// Package scenariotest plays scenario and property files as tests of go test (SCN-66):
//
//	func TestAgent(t *testing.T) {
//		scenariotest.Load(os.DirFS("."), "scenarios").Run(t)
//	}
//
// Each case is a subtest of its name, so that go test -run 'TestAgent/disk' plays those
// that it matches. What does not hold is reported as shelly test reports it. A case is skipped,
// with the reason, if its file says so, or if it needs what only the program has: a live
// model or the daemon's own tools.
//
// The simulator has no clock and starts nothing, so that the subtests of a case are the
// same on every machine.
package scenariotest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/property"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// Suite is the cases of some files.
type Suite struct {
	fsys   fs.FS
	paths  []string
	tags   string
	given  document.Given
	budget time.Duration
	err    error // the first mistake of whoever made it
}

// Load names what is played: files, FILE:LINE, and folders with all that is below them,
// by slash-separated paths in fsys; with none, all of fsys. Nothing is read before Run.
func Load(fsys fs.FS, paths ...string) *Suite {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	return &Suite{fsys: fsys, paths: paths}
}

// Tags plays only the cases whose tags match an expression such as "smoke and not slow".
func (s *Suite) Tags(expr string) *Suite {
	s.tags = expr
	return s
}

// Var gives a variable of the files another value, as NAME=VALUE with the value as YAML
// (SCN-61).
func (s *Suite) Var(text string) *Suite {
	if err := s.given.Give(text); err != nil && s.err == nil {
		s.err = err
	}
	return s
}

// Budget bounds how long on the wall the cases of each property may take, in place of what
// its file says. The deadline of the test bounds them in any case.
func (s *Suite) Budget(d time.Duration) *Suite {
	s.budget = d
	return s
}

// Run plays each case as a subtest (SCN-66). A file that does not load fails a subtest of its path,
// and the other files still run. Nothing is ever written: a golden that differs fails its
// case, and shelly test --update renews it.
func (s *Suite) Run(t *testing.T) {
	t.Helper()
	cases, broken, err := s.load()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Run(b.path, func(t *testing.T) { t.Fatal("\n" + b.text) })
	}
	for _, f := range cases {
		t.Run(f.Name, func(t *testing.T) {
			text, skipped := s.play(t, f)
			switch {
			case skipped != "":
				t.Skip(skipped)
			case text != "":
				t.Error("\n" + text)
			}
		})
	}
}

// Cases reads the files and returns their cases and properties, for whoever wants more of
// them than Run does. The error is that of the first file that does not load.
func (s *Suite) Cases() ([]*scenario.File, error) {
	cases, broken, err := s.load()
	if err == nil && len(broken) > 0 {
		err = errors.New(broken[0].text)
	}
	return cases, err
}

// broken is a file that does not load.
type broken struct{ path, text string }

// load reads the files.
func (s *Suite) load() (cases []*scenario.File, wrong []broken, err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	var tags *choose.TagExpr
	if s.tags != "" {
		if tags, err = choose.ParseTags(s.tags); err != nil {
			return nil, nil, fmt.Errorf("tags: %w", err)
		}
	}
	targets, err := choose.Find(s.fsys, s.paths)
	if err != nil {
		return nil, nil, err
	}
	var all []*document.Case
	for _, target := range targets {
		loaded, err := scenario.LoadFound(s.fsys, target, s.given)
		if err != nil {
			wrong = append(wrong, broken{target.Path, detail(err)})
		}
		for _, f := range choose.Pick(target, []*scenario.File(loaded)) {
			all = append(all, f.Case)
			if tags == nil || tags.Match(f.Tags) {
				cases = append(cases, f)
			}
		}
	}
	switch name, _, _ := s.given.Unused(all); {
	case name != "" && len(wrong) == 0:
		return nil, nil, fmt.Errorf("no file has the variable %s", name)
	case len(cases) == 0 && len(wrong) == 0:
		return nil, nil, fmt.Errorf("no case matches the tags %s", s.tags)
	}
	return cases, wrong, nil
}

// detail is an error with the source that it blames, where it blames any.
func detail(err error) string {
	if load, ok := errors.AsType[*strict.Error](err); ok {
		return load.Detail()
	}
	return err.Error()
}

// timed is what of a test bounds it: [testing.T].
type timed interface {
	Context() context.Context
	Deadline() (deadline time.Time, ok bool)
}

// play plays a case. It returns what is wrong as people read it, or why it is skipped.
func (s *Suite) play(t timed, f *scenario.File) (wrong, skipped string) {
	c := report.Case{}
	if f.Property() != nil && f.Skipped == "" {
		c = s.check(t, f)
	} else {
		c.Outcome, c.Differs = f.RunTwice(false, func() sim.Options { return sim.Options{} })
	}
	if c.Skipped != "" {
		return "", c.Skipped
	}
	if !c.Status().Fails() {
		return "", ""
	}
	var b strings.Builder
	_ = report.PrettyCase(&b, &c, report.Options{Broken: true}) // a builder takes all
	return b.String(), ""
}

// deadlineReserve is how long before the test's deadline a property ends, so that it can
// still say what it found.
const deadlineReserve = 2 * time.Second

// check checks a property, for as long as its budget and the test's deadline allow.
func (s *Suite) check(t timed, f *scenario.File) report.Case {
	runs, shrink := f.Property().Runs.Budgets()
	all := wall(runs)
	if s.budget > 0 {
		all = s.budget
	}
	ctx, end := within(t, all)
	defer end()
	var shrinking context.CancelFunc = func() {}
	defer func() { shrinking() }()
	r := property.Check(f, property.Options{
		Stop: func() bool { return ctx.Err() != nil },
		Shrink: func() func() bool {
			var ctx context.Context
			ctx, shrinking = within(t, wall(shrink))
			return func() bool { return ctx.Err() != nil }
		},
	})
	c := report.Case{Outcome: f.Unplayed()}
	c.Err = r.Err
	for _, i := range r.Tame(f.Property()) {
		cover := &f.Property().Cover[i]
		c.Failures = append(c.Failures, f.Blame(fmt.Sprintf("cover[%d]", i), fmt.Sprintf(
			"%s was in %d of %d cases, fewer than %s: what is generated is too tame", r.Cover[i].Name, r.Cover[i].Runs, r.Runs, cover.AtLeast)))
	}
	if failed := r.Failed; failed != nil && failed.Regression != nil {
		c.Failures = append(c.Failures, f.Blame("regressions", failed.Fails()))
		c.Failures = append(c.Failures, failed.Outcome.Failures...)
		c.Err = failed.Outcome.Err
	} else if failed != nil {
		blame := f.Blame("invariants", fmt.Sprintf("%s does not hold in the case of seed %d; shrunk %s", failed.Invariant, failed.Seed, failed.Shrunk))
		blame.Again += fmt.Sprintf(" --seed %d", failed.Seed)
		c.Failures = append(c.Failures, blame)
		c.Property = &report.Property{Source: string(failed.Source)}
	}
	return c
}

func wall(d fsm.Millis) time.Duration { return time.Duration(d) * time.Millisecond }

// within is the context of a test for some time, and no longer than until shortly before
// its deadline.
func within(t timed, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithTimeout(t.Context(), d)
	deadline, ok := t.Deadline()
	if !ok {
		return ctx, end
	}
	earlier, stop := context.WithDeadline(ctx, deadline.Add(-deadlineReserve))
	return earlier, func() { stop(); end() }
}
