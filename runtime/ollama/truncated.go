package ollama

import (
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
)

// A server that truncates a conversation although it was asked not to shows this only in its count
// of prompt tokens (BRN-3). It drops whole messages, so the count may end up below the window. Then
// the count is compared with the least that any tokenizer could count. Taking a good answer for a
// bad one would be worse than missing a bad one, so only a prompt that cannot have fitted is
// suspected at all.

// leastTokens returns the least number of tokens that a text can be counted as: one token covers at
// most a word of letters with what surrounds it, three digits, or four characters of another
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

// whole judges the server's count of a prompt that was answered (BRN-3). The window is what was
// allocated if that is less than what was asked for (BRN-17); least is the least that the prompt's
// texts can be counted as.
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

// larger says what to do about a window that is too small.
func (c *Client) larger(window int) string {
	if window < c.opt.NumCtx {
		return "the server gives this model no more; shorten the conversation, or use a model with a longer window"
	}
	return "raise num_ctx"
}

// windowOf returns the window of a call with num_ctx.
func (f *facts) windowOf(numCtx int) int {
	if given := f.window[numCtx]; given > 0 {
		return min(given, numCtx)
	}
	return numCtx
}
