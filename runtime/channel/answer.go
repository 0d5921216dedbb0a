package channel

import (
	"slices"
	"strings"
	"unicode"
)

// answer is what a person has typed to answer a question.
type answer struct {
	code, reason string
	approve      bool
}

// quotes begin a line that a chat client quotes from the message that is replied to.
const quotes = ">\u00bb"

// around are the marks that people and clients put around a word.
const around = ".,;:!?\"'`*_()[]"

// said returns a message without the lines that it quotes.
func said(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.IndexAny(strings.TrimSpace(line), quotes) != 0 {
			b.WriteString(line)
		}
	}
	return b.String()
}

// spoken returns the words of a message, without what it quotes and the marks around them.
func spoken(text string) []string {
	var words []string
	for _, w := range strings.Fields(said(text)) {
		if w = strings.ToLower(strings.Trim(w, around)); w != "" {
			words = append(words, w)
		}
	}
	if len(words) > 0 {
		words[0] = strings.TrimPrefix(words[0], "/")
	}
	return words
}

// decision reads "approve CODE", or "deny CODE" with or without a reason.
func decision(text string) (a answer, is bool) {
	words := spoken(text)
	if len(words) < 2 || words[0] != "approve" && words[0] != "deny" {
		return answer{}, false
	}
	a = answer{code: words[1], approve: words[0] == "approve"}
	switch {
	case len(a.code) != 2*codeBytes || strings.Trim(a.code, "0123456789abcdef") != "":
		return answer{}, false
	case len(words) > 2 && a.approve:
		return answer{}, false
	case len(words) > 2:
		a.reason = following(a.code, said(text))
	}
	return a, true
}

// following returns what a text says after the word with a code, which only "deny" and marks precede.
func following(code, text string) string {
	at := strings.Index(strings.ToLower(text), code)
	rest := text[at+len(code):]
	marks := max(0, strings.IndexFunc(rest, unicode.IsSpace)) // that close the word
	return strings.TrimSpace(strings.TrimLeft(rest[marks:], ".,;:-* \t\r\n"))
}

// wordless reports whether a message says no more than yes or no: it is an answer to a question,
// and does not say to which.
func wordless(text string) bool {
	words := spoken(text)
	return len(words) == 1 && slices.Contains([]string{"approve", "approved", "deny", "denied", "yes", "y", "ok", "okay", "no", "n"}, words[0])
}
