package fsm

import (
	"strconv"
	"unicode/utf8"
)

// markTokens is more than the mark takes that stands where a text was cut.
const markTokens = 24

// Shorten returns a text of at most the given number of tokens, as estimated, with the middle left
// out where it has more: its beginning and its end, and between them how much is
// missing. Below what the mark takes, that alone is left.
func (w Words) Shorten(text string, tokens int) string {
	if TextTokens(text) <= tokens {
		return text
	}
	half := max(tokens-markTokens, 0) / 2
	head := headOf(text, half)
	tail := text[len(text)-tailOf(text[head:], half):]
	return w.Text(WordShortened, "head", text[:head], "tail", tail, "bytes", strconv.Itoa(len(text)-head-len(tail)))
}

// headOf is how many bytes at the beginning of a text make at most the given number of tokens.
func headOf(text string, tokens int) int {
	quarters, n := 4*tokens, 0
	for n < len(text) {
		size, cost := 1, 1
		if text[n] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(text[n:])
			cost = 4
		}
		if quarters -= cost; quarters < 0 {
			break
		}
		n += size
	}
	return n
}

// tailOf is how many bytes at the end of a text make at most the given number of tokens.
func tailOf(text string, tokens int) int {
	quarters, n := 4*tokens, 0
	for n < len(text) {
		size, cost := 1, 1
		if text[len(text)-n-1] >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRuneInString(text[:len(text)-n])
			cost = 4
		}
		if quarters -= cost; quarters < 0 {
			break
		}
		n += size
	}
	return n
}
