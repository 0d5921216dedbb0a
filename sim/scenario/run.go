package scenario

import (
	"fmt"
	"slices"

	"shelly/sim"
)

// Run plays the scenario and judges what happened. With faults: {crash: {at: $every}} the
// expectations are held against the uninterrupted run, and the run is then
// repeated with a crash at each of its points (SCN-7). A case is skipped that needs more
// than the options have: a backend with a model, or a workshop.
func (f *File) Run(o sim.Options) Outcome {
	out := f.Unplayed()
	if f.property != nil {
		out.Err = fmt.Errorf("%s: is a property, which is no case", f.Path())
		return out
	}
	if out.Skipped = f.missing(o); out.Skipped != "" {
		return out
	}
	plan := f.Plan()
	result, err := f.play(plan, o)
	if err != nil {
		out.Err = fmt.Errorf("%s: %w", f.Path(), err)
		return out
	}
	out.Result, out.Steps, out.TraceHash = result, len(result.Steps), result.Hash
	out.Struck = result.Struck
	if f.Script.Live {
		out.TraceHash = 0 // no two runs are alike
	}
	j := &judge{file: f, result: result}
	j.all()
	if f.everyCrash() || f.crashed && f.Replay == nil && len(plan.Crashes) == 0 {
		matrix, err := sim.Matrix(plan, o)
		if err != nil {
			out.Err = fmt.Errorf("%s: %w", f.Path(), err)
			return out
		}
		out.Points, out.Unknown, out.Raced = matrix.Points, matrix.Unknown, matrix.Raced
		out.Struck = append(slices.Clip(out.Struck), matrix.Struck...)
		j.matrix(matrix.Failures)
	}
	inOrder(j.failures)
	if j.dropped > 0 {
		text := fmt.Sprintf("and %d more failures", j.dropped)
		j.failures = append(j.failures, Failure{Name: f.Name, File: f.Path(), Text: text, Again: f.again()})
	}
	out.Failures, out.Golden = j.failures, j.kept
	return out
}

// Unplayed is the outcome of the case before anything has come of it.
func (f *File) Unplayed() Outcome {
	return Outcome{Name: f.Name, File: f.Path(), Line: f.Line(), Tags: f.Tags, Covers: f.Covers, again: f.again()}
}

// Skip is the outcome of a case that is not played, and why (SCN-40).
func (f *File) Skip(why string) Outcome {
	out := f.Unplayed()
	out.Skipped = why
	return out
}

// play runs the plan, or steps the machine through the file's replay.
func (f *File) play(p sim.Plan, o sim.Options) (*sim.Result, error) {
	if f.Replay != nil {
		return sim.Replay(f.from(), f.replay())
	}
	return sim.Run(p, o)
}

// CrashEverywhere lets the case, if it has no crash of its own, be run once more for
// each point at which its process can die, as faults: {crash: {at: $every}} does
// (SCN-7).
func (f *File) CrashEverywhere() { f.crashed = true }

// matrix fails the crashes after which the case did not end as it should.
func (j *judge) matrix(failures []sim.MatrixFailure) {
	for _, m := range failures {
		key := "faults.crash"
		if !j.file.everyCrash() {
			key = "name"
		}
		j.failAt(j.file.Where(key), key, -1, mismatch{
			text: fmt.Sprintf("crash at point %d (%s): %s", m.Ordinal, m.Point, m.Text),
		})
	}
}
