package scenario

import (
	"fmt"

	"shelly/sim"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/judge"
)

// Live is what a live case was played against, and how often it held (SCN-51).
type Live struct {
	Model   string      `json:"model"`
	Digest  string      `json:"digest,omitempty"` // of the model, as the server has it
	Server  string      `json:"server_version"`
	Options LiveOptions `json:"options"`
	Runs    int         `json:"runs"`
	Held    int         `json:"held"`
}

// LiveOptions are those that the model was asked with.
type LiveOptions struct {
	NumCtx      int      `json:"num_ctx"`               // the window in tokens
	NumPredict  int      `json:"num_predict"`           // the longest answer in tokens
	Temperature *float64 `json:"temperature,omitempty"` // nil: the model's own
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
func missing(f *format.File, o sim.Options) string {
	switch {
	case f.Script.Live && o.Backend == nil:
		return "brain: live asks a model for real: run it with --on runtime"
	case f.Tools.Real && o.Workshop == nil:
		return "tools: real needs the daemon's tools: run it with shelly test"
	default:
		return ""
	}
}

// Held is what came of all runs of a live case: it passes where enough of them held
// as it wants; if not, the first that did not is reported.
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
		text := fmt.Sprintf("held %d of %d, wants %d; shown is run %d, the first that did not hold", held, len(runs), wanted, bad+1)
		out.Failures = append([]judge.Failure{judge.Blame(f.File, key, text)}, out.Failures...)
	}
	return out
}
