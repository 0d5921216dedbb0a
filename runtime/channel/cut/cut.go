// Package cut cuts a text into messages of a channel's size (CHN-7). It is pure.
package cut

import (
	"strings"
	"unicode/utf8"
)

// Least is the least size of a message, in bytes: no character is longer.
const Least = 16

// First returns where the first message of a text ends, and where the rest begins, in bytes.
// The message has at most size bytes; a size below Least counts as Least. It ends at the last
// end of a paragraph in its second half, or else of a line, a sentence, a word or a character;
// the white space there is left out, except for the indentation of the next line. The text must be
// valid UTF-8.
func First(text string, size int) (end, next int) {
	size = max(size, Least)
	if len(text) <= size {
		return len(text), len(text)
	}
	for _, at := range []func(string) int{paragraph, line, sentence, word} {
		// One byte more, so that a space after the message counts.
		if end := at(text[:size+1]); end >= size/2 && strings.TrimSpace(text[:end]) != "" {
			return end, end + blank(text[end:])
		}
	}
	for end = size; !utf8.RuneStart(text[end]); end-- {
	}
	return end, end
}

// blank returns how much white space to leave out at the beginning of a text.
func blank(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if i := strings.LastIndexByte(text[:n], '\n'); i >= 0 && n < len(text) {
		return i + 1
	}
	return n
}

func paragraph(text string) int { return strings.LastIndex(text, "\n\n") }
func line(text string) int      { return strings.LastIndexByte(text, '\n') }
func word(text string) int      { return strings.LastIndexAny(text, " \t") }

// sentence returns the end of the last complete sentence. In scripts without spaces a full stop
// needs no space after it.
func sentence(text string) int {
	end := -1
	for _, stop := range []string{". ", "! ", "? ", ": ", "; ", "。", "！", "？", "；"} {
		if i := strings.LastIndex(text, stop); i >= 0 {
			if i += len(strings.TrimSuffix(stop, " ")); i < len(text) {
				end = max(end, i)
			}
		}
	}
	return end
}
