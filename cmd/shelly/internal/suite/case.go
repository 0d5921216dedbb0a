package suite

import (
	"fmt"
	"iter"
	"time"

	"shelly/cmd/shelly/internal/lockstep"
	"shelly/cmd/shelly/internal/runs"
	"shelly/cmd/shelly/internal/scratch"
	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// one runs a case: as it is written, or under each requested seed until it fails.
func (c *Command) one(f *scenario.File, g *goldens, m *lockstep.Models, t *runs.Recorder) (out report.Case) {
	if f.Skipped != "" {
		out.Outcome = f.Run(sim.Options{})
		return out
	}
	if f.Property() != nil {
		return c.property(f, t)
	}
	start := time.Now()
	if c.EveryCrash {
		f.CrashEverywhere()
	}
	var covered report.Case
	for seed := range c.seeds() {
		out = c.under(f, seed, g, m)
		if c.covers() {
			covered.Cover(&out.Outcome)
		}
		t.Take(f, &out.Outcome)
		out.Result = nil // a run is large and no longer needed
		if out.Status() != report.Passed {
			break
		}
	}
	out.Covered, out.Took = covered.Covered, time.Since(start)
	return out
}

// seeds yields the seeds of a case's runs; nil is the order of the file.
func (c *Command) seeds() iter.Seq[*uint64] {
	return func(yield func(*uint64) bool) {
		if c.Seeds == nil {
			yield(c.Seed)
			return
		}
		for n := uint64(1); n <= *c.Seeds; n++ {
			if !yield(&n) {
				return
			}
		}
	}
}

// under runs a case under a seed, and a second time if it must (SCN-11).
func (c *Command) under(f *scenario.File, seed *uint64, g *goldens, m *lockstep.Models) (out report.Case) {
	switch {
	case c.On == "runtime" && f.Script.Live:
		out.Outcome = m.Play(f)
		return out
	case c.On == "runtime":
		out.Outcome = lockstep.Compare(f)
		g.settle(f, &out.Outcome)
		return out
	}
	out.Outcome, out.Differs = f.RunTwice(c.Twice, func() sim.Options { return options(seed) })
	g.settle(f, &out.Outcome)
	if seed != nil {
		seeded(&out, *seed)
	}
	return out
}

// seeded adds the seed to the result of a case that ran under it (SCN-10).
func seeded(out *report.Case, seed uint64) {
	out.Seed = &seed
	if out.Err != nil {
		out.Err = fmt.Errorf("seed %d: %w", seed, out.Err)
	}
	for i := range out.Failures {
		if f := &out.Failures[i]; f.Again != "" {
			f.Again += fmt.Sprintf(" --seed %d", seed)
		}
	}
}

func options(seed *uint64) sim.Options {
	o := sim.Options{Workshop: scratch.Workshop()}
	if seed != nil {
		o.Choose = sim.NewSeeded(*seed)
	}
	return o
}
