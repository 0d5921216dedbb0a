package sizing

import (
	"cmp"
	"time"
)

// Settings are those of the configuration that depend on model and machine.
type Settings struct {
	NumCtx, NumPredict int // NumPredict 0: what the window has left
	KeepAlive          time.Duration
}

// What is recommended where there is reason to.
const (
	thinkingPredict = 4096             // tokens, of which thinking takes most
	thinkingMin     = 2048             // below it thinking often leaves no answer
	largeWeights    = 1 << 30          // bytes that take a while to load again
	largeKeepAlive  = 30 * time.Minute // of such a model on a machine that has room for it
)

// Recommend returns the settings that suit: those that are there where nothing speaks
// against them.
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

// Times are those that loading a model, and a call of it, may take.
type Times struct{ Load, FirstToken, Total time.Duration }

// diskBytes is what a disk is taken to read in a second while a model is loaded: a slow
// one, since a deadline that is too long costs nothing.
const diskBytes = 100 << 20

// Longest is how long it takes at the worst: the window is full, the answer as long as it
// may be. Of what is not known nothing is in it.
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

// Generous is a deadline for what takes so long: half as much again, in whole minutes.
func Generous(t time.Duration) time.Duration {
	return (t + t/2 + time.Minute - 1).Truncate(time.Minute)
}

// What a typical turn is taken to be: a question, one tool call with its result, and the
// answer. The second call finds the first one's prompt in the cache.
const (
	TurnCalls        = 2
	TurnPromptTokens = 2300
	TurnAnswerTokens = 300
)

// Turn is how long a typical turn takes.
func Turn(speed Speed) time.Duration {
	if speed.Prompt <= 0 || speed.Answer <= 0 {
		return 0
	}
	return TurnPromptTokens*time.Second/time.Duration(speed.Prompt) + TurnAnswerTokens*time.Second/time.Duration(speed.Answer)
}
