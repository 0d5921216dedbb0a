package ollama

import (
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
)

// A server that truncates a conversation although it is asked not to says so by nothing
// but its count of the prompt (BRN-3). Whole messages go, so that the count may end below
// the window. It is then held against the least that any tokenizer can count. To take a
// good answer for a bad one would be worse than to miss one, so that only a prompt which
// cannot have fitted is suspected at all.

// leastTokens is the least that a text can be counted as: a token is no more than a word
// of letters with what stands around it, three digits, or four characters of another
// script.
func leastTokens(s string) int {
	words, digits, others := 0, 0, 0
	last := rune(' ')
	run := 0 // digits in a row
	for _, r := range s {
		switch {
		case r >= utf8.RuneSelf && !unicode.IsSpace(r):
			others++
		case isLetter(r) && !isLetter(last):
			words++
		}
		if r >= '0' && r <= '9' {
			if run%3 == 0 {
				digits++
			}
			run++
		} else {
			run = 0
		}
		last = r
	}
	return words + digits + others/4
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// whole judges the count of a prompt that was answered (BRN-3). The window is what was
// allocated, where that is less than what was asked for (BRN-17); least is what its texts can
// be counted as.
func (c *Client) whole(least, counted int) *Error {
	f := c.known.of(c.opt.Model)
	window := f.windowOf(c.opt.NumCtx)
	if counted >= window {
		return failure(fsm.BrainContextTruncated,
			"the conversation filled the whole context window of %d tokens, so the server has dropped a part of it: %s", window, c.larger(window))
	}
	if least > window && counted > 0 && counted < least {
		return failure(fsm.BrainContextTruncated,
			"the server counted %d tokens where at least %d were sent into a window of %d, so it has dropped a part of the conversation: %s",
			counted, least, window, c.larger(window))
	}
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
