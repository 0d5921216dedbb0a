package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/runs"
	"shelly/fsm"
	"shelly/runtime/durable"
	"shelly/sim/property"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// property checks a property as --seed and --seeds say, within its budgets (PRP-4), and writes
// the failing case that it finds (PRP-8).
func (c *Command) property(f *scenario.File, t *runs.Recorder) (out report.Case) {
	start := time.Now()
	out.Outcome = f.Unplayed()
	if c.On == "runtime" {
		out.Outcome = f.Skip("a property makes cases for the simulator")
		return out
	}
	if c.Seed != nil && *c.Seed == 0 {
		out.Outcome = f.Skip("the seeds of a property begin at 1")
		return out
	}
	runs := &f.Property().Runs
	budget, shrink := runs.Budgets()
	all := wall(budget)
	o := property.Options{}
	switch {
	case c.Seed != nil:
		o.First, o.Seeds = *c.Seed, 1
	case c.Seeds != nil:
		o.Seeds = int(*c.Seeds)
	}
	if c.Budget != nil {
		all = *c.Budget
	}
	o.Stop = over(all)
	o.Shrink = func() func() bool { return over(wall(shrink)) }
	var covered report.Case
	kept := t.Property()
	o.Observe = func(ran *scenario.Outcome) {
		if c.covers() {
			covered.Cover(ran)
		}
		kept.Made(ran)
	}
	r := property.Check(f, o)
	kept.Ended(f, max(o.First, 1), &r)
	out.Err, out.Steps, out.Covered = r.Err, r.Steps, covered.Covered
	out.Property = &report.Property{Seeds: r.Seeds, Runs: r.Runs, Regressions: r.Regressions}
	for i, reached := range r.Cover {
		out.Property.Cover = append(out.Property.Cover, report.Reached{Name: reached.Name, Runs: reached.Runs, AtLeast: f.Property().Cover[i].AtLeast.String()})
	}
	if r.Runs == r.Seeds {
		out.TraceHash = r.Hash
	}
	for _, i := range r.Tame(f.Property()) {
		out.Failures = append(out.Failures, f.Blame(fmt.Sprintf("cover[%d]", i), fmt.Sprintf(
			"%s was in %d of %d cases, fewer than %s: what is generated is too tame", r.Cover[i].Name, r.Cover[i].Runs, r.Runs, f.Property().Cover[i].AtLeast)))
	}
	if r.Failed != nil {
		c.failed(f, r.Failed, &out)
	}
	out.Took = time.Since(start)
	return out
}

func wall(d fsm.Millis) time.Duration { return time.Duration(d) * time.Millisecond }

// over returns a function that reports whether a duration from now has passed.
func over(after time.Duration) func() bool {
	end := time.Now().Add(after)
	return func() bool { return time.Now().After(end) }
}

// failed reports the case that failed: the file to which it was written, or the case itself if
// nothing may be written.
func (c *Command) failed(f *scenario.File, found *property.Failed, out *report.Case) {
	if found.Regression != nil {
		out.Failures = append(out.Failures, f.Blame("regressions", found.Fails()))
		out.Failures = append(out.Failures, found.Outcome.Failures...)
		if err := found.Outcome.Err; err != nil {
			out.Err = err
		}
		return
	}
	what := fmt.Sprintf("%s does not hold in the case of seed %d; shrunk %s", found.Invariant, found.Seed, found.Shrunk)
	file := propertyCase(f, found.Seed)
	if c.writes() {
		if err := writeCase(file, found.Source); err != nil {
			what += "; " + err.Error()
		} else {
			what += "; written to " + file
			out.Property.Wrote = file
		}
	}
	if out.Property.Wrote == "" {
		out.Property.Source = string(found.Source)
	}
	blame := f.Blame("invariants", what)
	blame.Again += fmt.Sprintf(" --seed %d", found.Seed)
	out.Failures = append(out.Failures, blame)
	for _, failure := range found.Outcome.Failures {
		failure.File = file
		if out.Property.Wrote == "" {
			failure.File, failure.Again = f.Path(), blame.Again
			failure.Pos, failure.Frame = strict.Pos{}, ""
		} else {
			failure.Again = judge.AgainAt(file, 0)
		}
		out.Failures = append(out.Failures, failure)
	}
	if err := found.Outcome.Err; err != nil {
		out.Failures[0].Text += ": " + err.Error()
	}
}

// writes reports whether a run may write what it finds.
func (c *Command) writes() bool {
	if c.CI != nil {
		return !*c.CI
	}
	return !inCI()
}

// propertyCase returns the path for a case that a property found: NAME.SEED.scenario.yaml in
// the folder of its regressions, or next to the property if it has none.
func propertyCase(f *scenario.File, seed uint64) string {
	folder, name := filepath.Split(f.Path())
	if pattern := f.Property().Regressions; pattern != "" {
		folder = filepath.Join(folder, filepath.Dir(filepath.FromSlash(pattern)))
	}
	stem := strings.TrimSuffix(name, document.PropertySuffix)
	return filepath.Join(folder, fmt.Sprintf("%s.%d%s", stem, seed, document.Suffix))
}

// writeCase writes a case, and creates its folder if necessary. A file that has the name and
// differs is kept: somebody may have edited it.
func writeCase(file string, source []byte) error {
	err := durable.As{Perm: 0o644, New: true, Folder: 0o755}.Text(file, source)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	folder, name := filepath.Split(file)
	if there, err := strict.ReadFile(os.DirFS(filepath.Clean(folder)), name, strict.FileBytesMax); err == nil && bytes.Equal(there, source) {
		return nil
	}
	return fmt.Errorf("%s differs and is kept; rename or remove it to have the case written", file)
}
