package ollama

import (
	"slices"

	"shelly/fsm"
)

// A server that truncates a conversation although it is asked not to says so by nothing
// but its count of the prompt (BRN-3). Whole messages go, so that the count may end below
// the window. It is then held against our own estimate, corrected by what the same model
// has counted before. To take a good answer for a bad one would be worse than to miss
// one, so the smallest ratio counts, and only a conversation that cannot have fitted is
// suspected at all.
const (
	countsMin     = 3    // prompts that were counted before a ratio is trusted
	promptMin     = 256  // tokens of a prompt, as estimated, that a ratio is learnt from
	ratioUnit     = 1024 // of a ratio
	shortfallUnit = 4    // of what is missing, one such part of the whole is suspicious
)

// counts is what a model's counts say about the estimates.
type counts struct {
	n     int
	ratio int // the least count in parts of ratioUnit of its estimate
}

// learn takes the count of a prompt that was answered whole.
func (c *counts) learn(estimate, counted int) {
	if estimate < promptMin || counted <= 0 {
		return
	}
	ratio := counted * ratioUnit / estimate
	if c.n == 0 || ratio < c.ratio {
		c.ratio = ratio
	}
	c.n++
}

// truncated reports whether a count says that a part of the conversation is missing: the
// prompt cannot have fitted the window, and a quarter of what is expected or more was not
// counted.
func (c counts) truncated(estimate, counted, window int) bool {
	if c.n < countsMin || counted <= 0 {
		return false
	}
	expected := estimate * c.ratio / ratioUnit
	return expected > window && counted <= expected-expected/shortfallUnit
}

// whole judges the count of a prompt that was answered (BRN-3). The window is what was
// allocated, where that is less than what was asked for (BRN-17).
func (c *Client) whole(ask fsm.AskBrain, tools []fsm.ToolDecl, counted int) *Error {
	f := c.known.of(c.opt.Model)
	window := f.windowOf(c.opt.NumCtx)
	if counted >= window {
		return failure(fsm.BrainContextTruncated,
			"the conversation filled the whole context window of %d tokens, so the server has dropped a part of it: %s", window, c.larger(window))
	}
	if pictured(ask) { // nobody knows what an image counts
		return nil
	}
	estimate := estimated(ask, tools)
	if f.counts.truncated(estimate, counted, window) {
		return failure(fsm.BrainContextTruncated,
			"the server counted %d tokens where about %d were sent into a window of %d, so it has dropped a part of the conversation: %s",
			counted, estimate*f.counts.ratio/ratioUnit, window, c.larger(window))
	}
	c.known.learn(c.opt.Model, func(f *facts) { f.counts.learn(estimate, counted) })
	return nil
}

// larger says what helps against a window that is too small.
func (c *Client) larger(window int) string {
	if window < c.opt.NumCtx {
		return "the server gives this model no more; shorten the conversation, or use a model with a longer window"
	}
	return "raise num_ctx"
}

// windowOf is the window that a call with num_ctx has.
func (f *facts) windowOf(numCtx int) int {
	if given := f.window[numCtx]; given > 0 {
		return min(given, numCtx)
	}
	return numCtx
}

func estimated(ask fsm.AskBrain, tools []fsm.ToolDecl) int {
	c := fsm.Config{Tools: slices.Clone(tools)}
	for i := range c.Tools {
		c.Tools[i].Builtin = false // whether it is offered is decided
	}
	ask.Tools = fsm.AllTools
	return c.Estimate(ask)
}

func pictured(ask fsm.AskBrain) bool {
	for _, m := range ask.Conversation.Messages {
		if len(m.Images) > 0 {
			return true
		}
	}
	return false
}
