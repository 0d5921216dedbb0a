package server

import (
	"strings"
	"unicode/utf8"

	"shelly/fsm"
)

// Tokens is how many tokens a text is: as the machine estimates (CTX-1), and one for
// each mark of the template. No tokenizer is so simple; what is compared are counts of
// this one.
func Tokens(text string) int {
	text, images := withoutImages(text)
	marks := strings.Count(text, begin) + strings.Count(text, mark)
	if marks > 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, begin, ""), mark, "")
	}
	return images*fsm.ImageTokens + marks + fsm.TextTokens(text)
}

// Shared is the longest common prefix of two texts that ends between characters, and not
// within an image.
func Shared(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return cut(a, n)
}

// cut is the first n bytes of text, less what they have of a character or an image that
// they do not have whole.
func cut(text string, n int) string {
	if n >= len(text) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	for i := max(n-imageSize+1, 0); i < n; i++ {
		if isImage(text, i) {
			return text[:i]
		}
	}
	return text[:n]
}

// First is the beginning of a text, at most n tokens of it.
func First(text string, tokens int) string {
	if Tokens(text) <= tokens {
		return text
	}
	var b strings.Builder
	ascii, others := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			others++
		}
		if (ascii+3)/4+others > tokens {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
