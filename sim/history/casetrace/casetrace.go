package casetrace

import (
	"iter"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/history/trace"
	"shelly/sim/scenario"
	"shelly/sim/scenario/compile"
)

// Of yields the steps of a case's run, in order; none where it was not played.
func Of(f *scenario.File, out *scenario.Outcome, o trace.Options) iter.Seq[trace.Step] {
	return func(yield func(trace.Step) bool) {
		r := out.Result
		if r == nil {
			return
		}
		from := compile.From(f.File)
		b := trace.New(from, o)
		marks := marksOf(out)
		for i, folded := range sim.Fold(from, r.Steps) {
			ran := &r.Steps[i]
			folded.Index, folded.Effects = ran.Index, fsm.HashEffects(ran.Effects)
			step, ok := b.Take(folded)
			if !ok {
				continue
			}
			step.At = ran.At
			step.Marks = append(append(lost(ran), step.Marks...), marks[i+1]...)
			if !yield(step) {
				return
			}
		}
	}
}

// Start is the time that a case's steps are counted from.
func Start(f *scenario.File) fsm.Millis { return fsm.Millis(f.Start()) }

// lost tells of the steps that a crash took away before one.
func lost(s *sim.Step) []trace.Mark {
	if len(s.Lost) == 0 {
		return nil
	}
	words := "lost in the crash:"
	for _, l := range s.Lost {
		words += " " + fsm.InputKind(l.Input)
	}
	return []trace.Mark{{Kind: trace.Fault, Text: words}}
}

// marksOf are the marks of the steps, by their numbers.
func marksOf(out *scenario.Outcome) map[int][]trace.Mark {
	marks := map[int][]trace.Mark{} // only looked up
	last := len(out.Result.Steps)
	for i := range out.Failures {
		f := &out.Failures[i]
		if f.Path == "" && f.Text == "" {
			continue
		}
		at := f.Step
		if at == 0 || at > last {
			at = last
		}
		kind := trace.Broken
		if f.Path == "invariants" {
			kind = trace.Invariant
		}
		text := f.Text
		if f.Want != "" {
			if text != "" {
				text += "; "
			}
			text += "want " + f.Want + ", got " + f.Got
		}
		marks[at] = append(marks[at], trace.Mark{Kind: kind, Path: f.Path, Text: text})
	}
	for _, m := range out.Met {
		for _, at := range m.Steps {
			marks[at] = append(marks[at], trace.Mark{Kind: trace.Met, Path: m.Path})
		}
	}
	return marks
}
