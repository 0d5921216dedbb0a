package runs

import (
	"fmt"

	"shelly/sim/history/htmlreport"
	"shelly/sim/property"
	"shelly/sim/scenario"
)

// Property keeps the results of the cases that a property makes. A nil Property keeps nothing.
type Property struct {
	of    *Recorder
	seeds []htmlreport.Seed
}

// SeedsMax is how many seeds the file shows: the last ones.
const SeedsMax = 2_000

// Property begins to record a property.
func (r *Recorder) Property() *Property {
	if r == nil {
		return nil
	}
	return &Property{of: r}
}

// Made records the run of the next case that the property made.
func (p *Property) Made(out *scenario.Outcome) {
	if p == nil || !p.of.HTML {
		return
	}
	if out.Result != nil {
		p.of.visit(out)
	}
	if len(p.seeds) == SeedsMax {
		p.seeds = p.seeds[1:]
	}
	p.seeds = append(p.seeds, htmlreport.Seed{Holds: out.OK(), Steps: out.Steps})
}

// Ended records the result of all cases: the seeds, and the shrunk case with its steps, beside
// the original case.
func (p *Property) Ended(f *scenario.File, first uint64, r *property.Report) {
	if p == nil {
		return
	}
	unplayed := f.Unplayed()
	kept := recorded{shown: htmlreport.Case{Seeds: p.seeds}}
	next := first + uint64(r.Runs-len(p.seeds))
	for i := range p.seeds {
		p.seeds[i].N = next + uint64(i)
	}
	if failed := r.Failed; failed != nil && failed.Outcome.Result != nil {
		of := failed.Regression
		if of == nil {
			of, _ = scenario.Parse(f.Path(), failed.Source)
		}
		if n := len(p.seeds); n > 0 && failed.Regression == nil {
			p.seeds[n-1].Holds = false
		}
		if of != nil {
			if p.of.Text {
				kept.text = text(of, &failed.Outcome)
			}
			if p.of.HTML {
				steps := p.of.shown(of, &failed.Outcome)
				kept.shown.Steps, kept.shown.Start, kept.shown.Ran, kept.shown.Left = steps.Steps, steps.Start, steps.Ran, steps.Left
			}
		}
		if failed.Original != nil {
			kept.shown.Pairs = []htmlreport.Pair{{
				Title: "Original and shrunk",
				Left:  htmlreport.Side{Title: fmt.Sprintf("original (seed %d)", failed.Seed), Text: string(failed.Original)},
				Right: htmlreport.Side{Title: "shrunk " + failed.Shrunk, Text: string(failed.Source)},
			}}
		}
	}
	p.of.keep(keyOf(&unplayed), &kept)
}
