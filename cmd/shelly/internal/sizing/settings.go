package sizing

import (
	"cmp"
	"time"
)

// Settings are the configured settings that depend on the model and the machine.
type Settings struct {
	NumCtx, NumPredict int // NumPredict 0: the rest of the window
	KeepAlive          time.Duration
}

// The recommended values, where a change is recommended.
const (
	thinkingPredict = 4096             // tokens, most of them for thinking
	thinkingMin     = 2048             // with less, thinking often leaves no room for an answer
	largeWeights    = 1 << 30          // bytes; takes a while to load again
	largeKeepAlive  = 30 * time.Minute // for such a model on a machine that has room for it
)

// Recommend returns the settings that suit. A current setting is kept unless there is a reason
// to change it.
func Recommend(now Settings, m Model, machine Machine) Settings {
	to := now
	if m.Window > 0 {
		to.NumCtx = min(to.NumCtx, m.Window)
	}
	if known := machine.Total > 0 && m.PerToken > 0; known && m.Need(to.NumCtx, 1, NumberBytes).Bytes() > machine.Free() {
		if fits := m.Largest(machine.Free(), NumberBytes); fits > 0 {
			to.NumCtx = min(to.NumCtx, fits)
		}
	}
	if m.Thinks && to.NumPredict > 0 && to.NumPredict < thinkingMin {
		to.NumPredict = thinkingPredict
	}
	if to.NumPredict > to.NumCtx/2 {
		to.NumPredict = to.NumCtx / 4
	}
	small := m.Need(to.NumCtx, 1, NumberBytes).Bytes() <= machine.Total/2
	if m.Weights >= largeWeights && small && now.KeepAlive < largeKeepAlive {
		to.KeepAlive = largeKeepAlive
	}
	return to
}

// Speed is how fast a model is, in tokens per second; 0: unknown.
type Speed struct{ Prompt, Answer int }

// Times are how long loading a model, and a call of it, may take.
type Times struct{ Load, FirstToken, Total time.Duration }

// diskBytes is the assumed speed of the disk in bytes per second while a model is loaded. It is
// that of a slow disk, because a deadline that is too long costs nothing.
const diskBytes = 100 << 20

// Longest returns the times for a full window and an answer of maximum length. Unknown parts
// count as zero.
func Longest(m Model, s Settings, speed Speed) Times {
	t := Times{Load: time.Duration(m.Weights/diskBytes) * time.Second}
	if speed.Prompt > 0 {
		t.FirstToken = time.Duration(s.NumCtx) * time.Second / time.Duration(speed.Prompt)
	}
	t.Total = t.FirstToken
	if speed.Answer > 0 {
		t.Total += time.Duration(cmp.Or(s.NumPredict, s.NumCtx)) * time.Second / time.Duration(speed.Answer)
	}
	return t
}

// Generous returns a deadline for a duration: half as much again, in whole minutes.
func Generous(t time.Duration) time.Duration {
	return (t + t/2 + time.Minute - 1).Truncate(time.Minute)
}

// The assumed typical turn: a question, one tool call with its result, and the answer. The
// second call finds the first one's prompt in the cache.
const (
	TurnPromptTokens = 2300
	TurnAnswerTokens = 300
)

// Turn returns how long a typical turn takes.
func Turn(speed Speed) time.Duration {
	if speed.Prompt <= 0 || speed.Answer <= 0 {
		return 0
	}
	return TurnPromptTokens*time.Second/time.Duration(speed.Prompt) + TurnAnswerTokens*time.Second/time.Duration(speed.Answer)
}
