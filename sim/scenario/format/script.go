package format

import (
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Script is what the model says, or that a live model is asked.
type Script struct {
	Live  bool
	Lines []Line
}

const liveScript = "live"

func (v *Script) Read(d *strict.Decoder, n *strict.Node, path string) {
	if !n.Scalar() {
		d.List(n, &v.Lines, path)
		return
	}
	if word, ok := d.Text(n, path); ok && word != liveScript {
		d.Add(n, path, wording.Unknown("word", word, []string{liveScript})+", or give a list of what the model says")
	}
	v.Live = true
}

// RepeatMax is how often a live case may be run.
const RepeatMax = 1000

// Runs is how often a live case is run, and how many of the runs must hold; for any
// other once.
func (f *File) Runs() (runs, wanted int) {
	runs = f.Repeat.Or(1)
	return runs, f.Pass.Or(runs)
}

func (f *File) Latency() *Latencies {
	if f.Latencies == nil {
		return &Latencies{}
	}
	return f.Latencies
}
