package scenario

import (
	"fmt"
	"slices"

	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/explore"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/judge"
)

// Run plays the scenario and judges what happened. With faults: {crash: {at: $every}} the
// expectations are held against the uninterrupted run, and the run is then
// repeated with a crash at each of its points (SCN-7). A case is skipped that needs more
// than the options have: a backend with a model, or a workshop.
func (f *File) Run(o sim.Options) Outcome {
	out := f.Unplayed()
	if out.ByFile = f.Skipped != ""; out.ByFile {
		out.Skipped = f.Skipped
		return out
	}
	if f.IsProperty() {
		out.Err = fmt.Errorf("%s: is a property file, not a scenario", f.Path())
		return out
	}
	if out.Skipped = missing(f.File, o); out.Skipped != "" {
		return out
	}
	plan := compile.Plan(f.File)
	result, err := f.play(plan, o)
	if err != nil {
		out.Err = fmt.Errorf("%s: %w", f.Path(), err)
		return out
	}
	out.Result, out.Steps, out.Struck = result, len(result.Steps), result.Struck
	out.unlike = f.Script.Live
	var crashed []judge.Failure
	if f.EveryCrash() || f.crashed && f.Replay == nil && len(plan.Crashes) == 0 {
		claims := judge.NewCrashes(f.File, result)
		o.Crashed = claims.Judge
		matrix, err := crash.Matrix(plan, o)
		if err != nil {
			out.Err = fmt.Errorf("%s: %w", f.Path(), err)
			return out
		}
		out.Points, out.Unknown, out.Raced = matrix.Points, matrix.Unknown, matrix.Raced
		out.Struck = append(slices.Clip(out.Struck), matrix.Struck...)
		out.StraightOnly, out.Needless = f.StraightOnly(), claims.Needless()
		crashed = claims.Failures(matrix.Failures)
	}
	verdict := judge.Run(f.File, result, f.golden, crashed)
	out.Failures, out.Met, out.Golden = verdict.Failures, verdict.Met, verdict.Golden
	return out
}

// RunTwice plays the case and, if that is asked for or its trace is the reason for which a property
// found it (PRP-8), once more, and reports whether the second run has another trace (SCN-11): one run
// alone has nothing that its trace could differ from. Each run has options of its own.
func (f *File) RunTwice(asked bool, options func() sim.Options) (out Outcome, differs bool) {
	out = f.Run(options())
	if !asked && (f.Found == nil || f.Found.Invariant != format.Trace) || out.Err != nil || out.Skipped != "" {
		return out, false
	}
	again := f.Run(options())
	return out, out.Differs(&again)
}

// Unplayed is the outcome of the case before anything has come of it.
func (f *File) Unplayed() Outcome {
	return Outcome{Name: f.Name, File: f.Path(), Line: f.Line(), Tags: f.Tags, Covers: f.Covers, again: judge.Again(f.File)}
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
		return explore.Replay(compile.From(f.File), compile.Told(f.File)), nil
	}
	return sim.Run(p, o)
}

// CrashEverywhere lets the case, if it has no crash of its own, be run once more for
// each point at which its process can die, as faults: {crash: {at: $every}} does
// (SCN-7).
func (f *File) CrashEverywhere() { f.crashed = true }
