package scenario

import (
	"fmt"

	"shelly/fsm/wording"
	"shelly/sim"
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

// checkLive wants of a live case nothing that only a script can promise, and of any
// other that it is run once (SCN-29).
func (k *checker) checkLive(f *File) {
	if !f.Script.Live {
		if f.Model != "" {
			k.at("model", "is for brain: live; a script needs no model")
		}
		for _, c := range []choice{{"repeat", f.Repeat != nil}, {"pass", f.Pass != nil}} {
			if c.given {
				k.at(c.key, "is for brain: live; a script is the same each time, so one run shows all")
			}
		}
		return
	}
	runs, wanted := f.Runs()
	switch {
	case runs > RepeatMax:
		k.at("repeat", fmt.Sprintf("is %d; the most is %d", runs, RepeatMax))
	case wanted > runs:
		k.at("pass", fmt.Sprintf("wants %d of %s; give repeat as many runs, or want fewer", wanted, wording.Count(runs, "run")))
	}
	if f.everyCrash() {
		k.at("faults.crash", "with at: "+everyPoint+" holds runs against one another, and no live model says twice the same; name the points")
	}
	if f.Strict {
		k.at("strict", "is for scripts; a live model answers what no script does")
	}
	if f.Expect != nil && f.Expect.Golden != nil {
		k.at("expect.golden", "holds the case to the letter, and no live model says twice the same; expect it by matchers")
	}
}

// Runs is how often a live case is run, and how many of the runs must hold; for any
// other once.
func (f *File) Runs() (runs, wanted int) {
	runs = 1
	set(&runs, f.Repeat)
	wanted = runs
	set(&wanted, f.Pass)
	return runs, wanted
}

// Live is what a live case was played against, and how often it held (SCN-51).
type Live struct {
	Model   string
	Digest  string // of the model, as the server has it
	Server  string // its version
	Options LiveOptions
	Runs    int
	Held    int
}

// LiveOptions are those that the model was asked with.
type LiveOptions struct {
	NumCtx      int      // the window in tokens
	NumPredict  int      // the longest answer in tokens
	Temperature *float64 // nil: the model's own
}

const shownDigest = 12 // characters, as "ollama list" shows a digest

// String tells it on one line.
func (l *Live) String() string {
	text := fmt.Sprintf("held %d of %d, model %s %.*s, Ollama %s, num_ctx %d, num_predict %d",
		l.Held, l.Runs, l.Model, shownDigest, l.Digest, l.Server, l.Options.NumCtx, l.Options.NumPredict)
	if t := l.Options.Temperature; t != nil {
		text += fmt.Sprintf(", temperature %g", *t)
	}
	return text
}

// missing says what the case needs and the options do not have; empty where they have
// all (SCN-40).
func (f *File) missing(o sim.Options) string {
	switch {
	case f.Script.Live && o.Backend == nil:
		return "brain: live asks a model for real: run it with --on runtime"
	case f.Tools.Real && o.Workshop == nil:
		return "tools: real needs the daemon's tools: run it with shelly test"
	default:
		return ""
	}
}

// Held is what came of all runs of a live case: it passes where so many of them held
// as it wants, and otherwise tells of the first that did not.
func (f *File) Held(runs []Outcome) Outcome {
	_, wanted := f.Runs()
	held, bad := 0, -1
	for i := range runs {
		switch {
		case runs[i].Err != nil || runs[i].Skipped != "":
			return runs[i]
		case runs[i].OK():
			held++
		case bad < 0:
			bad = i
		}
	}
	out := runs[max(bad, 0)]
	live := Live{Runs: len(runs), Held: held}
	out.Live = &live
	if held >= wanted {
		out.Failures = nil
		return out
	}
	if len(runs) > 1 {
		key := "repeat"
		if f.Pass != nil {
			key = "pass"
		}
		text := fmt.Sprintf("held %d of %d, wants %d; told is run %d, the first that did not hold", held, len(runs), wanted, bad+1)
		out.Failures = append([]Failure{f.Blame(key, text)}, out.Failures...)
	}
	return out
}
