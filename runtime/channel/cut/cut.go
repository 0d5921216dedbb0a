// Package cut cuts a text into messages of the size that a channel takes (CHN-7). It is pure.
package cut

import (
	"strings"
	"unicode/utf8"
)

// Least is the least size of a message, in bytes: no letter is longer.
const Least = 16

// First returns where the first message of a text ends, and where the rest begins, in bytes.
// The message has at most size bytes, which count as Least where they are fewer. It ends at the
// end of a paragraph, else of a line, else of a sentence, else of a word, else of a letter, the
// last that lies in the second half; the space there is left out. The text is valid UTF-8.
func First(text string, size int) (end, next int) {
	size = max(size, Least)
	if len(text) <= size {
		return len(text), len(text)
	}
	for _, at := range []func(string) int{paragraph, line, sentence, word} {
		// One byte more, so that a space after the message counts.
		if end := at(text[:size+1]); end >= size/2 && strings.TrimSpace(text[:end]) != "" {
			return end, len(text) - len(strings.TrimLeft(text[end:], " \t\r\n"))
		}
	}
	for end = size; !utf8.RuneStart(text[end]); end-- {
	}
	return end, end
}

func paragraph(text string) int { return strings.LastIndex(text, "\n\n") }
func line(text string) int      { return strings.LastIndexByte(text, '\n') }
func word(text string) int      { return strings.LastIndexAny(text, " \t") }

// sentence is where the last sentence ends that ends. Those of scripts without spaces need none
// after their stop.
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
