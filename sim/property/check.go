package property

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// Options says how a property is checked; the zero value as its file says, however long
// it takes.
type Options struct {
	First   uint64                    // the first seed; 0: 1
	Seeds   int                       // how many; 0: as the file says
	Stop    func() bool               // asked before each case: whether the time for all is over; one case is made all the same
	Shrink  func() (over func() bool) // called when shrinking begins; over is asked before each try
	Observe func(*scenario.Outcome)   // told of each case that was made and played, in order
}

// Report is what came of a property.
type Report struct {
	Seeds       int // cases that were to be made
	Runs        int // cases that were made and played
	Steps       int // of all
	Regressions int // cases that were played before
	Hash        uint64
	Cover       []Reached
	Judged      bool    // there were enough cases to judge the cover by
	Failed      *Failed // nil where all held
	Err         error   // the property could not be checked
}

// Reached is in how many cases a cover expression was true.
type Reached struct {
	Name string
	Runs int
}

// Failed is a case that failed.
type Failed struct {
	Regression *scenario.File // the regression that it is; nil for a case that was made
	Seed       uint64         // that it was made from
	Invariant  string         // what did not hold; of a regression trace alone, the rest is in its outcome
	Shrunk     string         // how far it was made smaller
	Source     []byte         // the scenario file
	Original   []byte         // that of the case before it was made smaller; nil for a regression
	Outcome    scenario.Outcome
}

// Check plays the regressions of a property, and then cases that it makes, one from
// each seed, until one fails (PRP-4, PRP-5, PRP-7).
func Check(f *scenario.File, o Options) Report {
	p := f.Property()
	r := Report{Seeds: o.Seeds}
	if r.Seeds == 0 {
		r.Seeds = int(p.Runs.Seeds)
	}
	for _, c := range p.Cover {
		r.Cover = append(r.Cover, Reached{Name: c.Name})
	}
	if r.Failed = regressions(f, &r); r.Failed != nil {
		return r
	}
	plan := f.Plan()
	g := &generator{file: f, of: p, tools: plan.Machine().Tools}
	for seed := max(o.First, 1); r.Runs < r.Seeds && (o.Stop == nil || !o.Stop() || r.Runs == 0); seed++ {
		c := g.play(sim.NewSeeded(seed), nil)
		if c.err != nil {
			r.Err = fmt.Errorf("%s: seed %d: %w", f.Path(), seed, c.err)
			return r
		}
		r.add(f, &c)
		if o.Observe != nil {
			o.Observe(&c.out)
		}
		if len(c.wrong) > 0 {
			r.Failed, r.Err = g.smallest(seed, c, o.Shrink)
			return r
		}
	}
	r.Judged = r.Runs == r.Seeds && r.Runs >= int(p.Runs.Seeds)
	return r
}

// regressions plays the cases that once failed. One that is skipped says why as a case of its own.
func regressions(f *scenario.File, r *Report) *Failed {
	for _, c := range f.Regressions() {
		out, differs := c.RunTwice(f.Property().All(), func() sim.Options { return sim.Options{} })
		if out.Skipped != "" {
			continue
		}
		r.Regressions++
		switch {
		case !out.OK():
			return &Failed{Regression: c, Outcome: out}
		case differs:
			return &Failed{Regression: c, Invariant: format.Trace, Outcome: out}
		}
	}
	return nil
}

// Fails says which regression fails.
func (f *Failed) Fails() string {
	if f.Invariant == format.Trace {
		return "the regression " + f.Regression.Path() + " fails: two runs gave two traces"
	}
	return "the regression " + f.Regression.Path() + " fails"
}

// add counts a case that was played.
func (r *Report) add(f *scenario.File, c *played) {
	r.Runs++
	r.Steps += c.out.Steps
	r.Hash = r.Hash*1099511628211 ^ c.out.Hash() // FNV-1
	if c.out.Result == nil {
		return
	}
	for i, met := range f.Meets(c.out.Result) {
		if met {
			r.Cover[i].Runs++
		}
	}
}

// Tame returns what was reached too seldom, as indices of the file's cover.
func (r *Report) Tame(p *format.Property) []int {
	var list []int
	for i, c := range p.Cover {
		if r.Judged && r.Failed == nil && r.Cover[i].Runs*thousand < int(c.AtLeast)*r.Runs {
			list = append(list, i)
		}
	}
	return list
}

// played is a case that was made and played.
type played struct {
	drawn  choices
	source []byte
	out    scenario.Outcome
	wrong  []string // what did not hold, in order
	err    error    // the case does not load, which is a mistake of this package
}

// play makes a case of choices and plays it, twice where the property asks for $all
// (PRP-5).
func (g *generator) play(from sim.Chooser, as *found) (c played) {
	c.drawn.from = from
	g.draw = &c.drawn
	var f *scenario.File
	if c.source, c.err = g.source(as); c.err != nil {
		return c
	}
	if f, c.err = scenario.Parse(g.path(), c.source); c.err != nil {
		c.err = fmt.Errorf("the case that was made does not load: %w\n%s", c.err, c.source)
		return c
	}
	differs := false
	if c.out, differs = f.RunTwice(g.of.All(), func() sim.Options { return sim.Options{} }); differs {
		c.wrong = append(c.wrong, format.Trace)
	}
	if c.out.Err != nil {
		c.wrong = append(c.wrong, "rest")
	}
	for i := range c.out.Failures {
		c.wrong = append(c.wrong, g.reason(&c.out.Failures[i]))
	}
	return c
}

// path is what the case is called in what is printed of it.
func (g *generator) path() string {
	return strings.TrimSuffix(g.file.Path(), document.PropertySuffix) + document.Suffix
}

// reason says what did not hold, so that two cases which fail for one reason have the
// same.
func (g *generator) reason(f *judge.Failure) string {
	id, _, _ := strings.Cut(f.Text, ":")
	switch {
	case id == "unexpected":
		return "unexpected call"
	case f.Want == g.stepsBound():
		return "max_steps"
	case strings.HasPrefix(f.Path, "always"):
		return f.Want
	default:
		return id
	}
}

// found says in a case where it comes from (PRP-8).
type found struct {
	invariant string
	seed      uint64
	shrunk    string
}

func (p *found) node(f *scenario.File) *strict.Node {
	return flow(
		text("by"), text(path.Base(f.Path())), text("invariant"), text(p.invariant),
		text("seed"), strict.Number(p.seed),
		text("shrunk"), text(p.shrunk),
	)
}

// smallest makes a case that fails as small as it can, and writes it with where it
// comes from.
func (g *generator) smallest(seed uint64, c played, begin func() func() bool) (*Failed, error) {
	s := shrinker{g: g, want: c.wrong[0], best: trimmed(c.drawn.list), spans: c.drawn.spans}
	if begin != nil {
		s.over = begin()
	}
	before := len(s.best)
	s.shrink()
	as := &found{invariant: c.wrong[0], seed: seed, shrunk: fmt.Sprintf("from %d choices to %d in %d tries", before, len(s.best), s.tries)}
	last := g.play(sim.NewTape(slices.Clone(s.best)), as)
	if last.err != nil {
		return nil, fmt.Errorf("%s: seed %d: %w", g.file.Path(), seed, last.err)
	}
	return &Failed{Seed: seed, Invariant: as.invariant, Shrunk: as.shrunk, Source: last.source, Original: c.source, Outcome: last.out}, nil
}
