package tool

import (
	"context"
	"fmt"

	"shelly/fsm"
)

// ProbeBytesMax is the longest text of a probe.
const ProbeBytesMax = 4 << 10

// Probe finds out what came of a call, from the call's own input. It changes nothing,
// and is asked only when nothing works on the call any more. It must return soon after ctx has
// ended.
type Probe func(ctx context.Context, call fsm.RunProbe) Found

// Found is the answer of a [Probe]. Text is the result of a call that is done, or else the
// reason for the answer.
type Found struct {
	Answer fsm.ProbeAnswer
	Text   string
	Failed bool // the call is done, and the tool failed

	// Final means that the call will not happen later either. Without it, never counts as
	// unsure: a server that has lost a request may still work on it (INF-54).
	Final bool
}

// Probe asks a tool what came of a call (INF-52). It always has an answer: if the tool has no
// probe, or the probe panics, the answer is unsure. The caller sets Call and At.
func (r *Runner) Probe(ctx context.Context, call fsm.RunProbe) fsm.Probed {
	f := r.found(ctx, call)
	switch {
	case f.Answer == fsm.ProbeDone, f.Answer == fsm.ProbeWorking, f.Answer == fsm.ProbeUnsure:
	case f.Answer == fsm.ProbeNever && f.Final:
	case f.Answer == fsm.ProbeNever:
		f.Answer, f.Text = fsm.ProbeUnsure, "it has not happened, and nobody says that it will not: "+f.Text
	default:
		f.Answer, f.Text = fsm.ProbeUnsure, fmt.Sprintf("the probe answered %q: %s", f.Answer, f.Text)
	}
	return fsm.Probed{
		Answer: f.Answer, Text: clip(Mend(f.Text), min(ProbeBytesMax, r.options.ResultBytesMax)), Failed: f.Answer == fsm.ProbeDone && f.Failed,
	}
}

// found returns the answer of a tool's probe, or why there is none.
func (r *Runner) found(ctx context.Context, call fsm.RunProbe) (f Found) {
	defer func() {
		if broken := recover(); broken != nil {
			f = Found{Answer: fsm.ProbeUnsure, Text: fmt.Sprintf("the probe of %s broke: %v", call.Name, broken)}
		}
	}()
	if ctx.Err() != nil {
		return Found{Answer: fsm.ProbeUnsure, Text: "the probe was given up"}
	}
	for _, t := range r.tools {
		if t.Decl.Name == call.Name && t.Probe != nil {
			return t.Probe(ctx, call)
		}
	}
	return Found{Answer: fsm.ProbeUnsure, Text: "the tool " + call.Name + " has no probe"}
}
