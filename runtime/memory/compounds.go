package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// partsOf returns what stands between the punctuation of a word.
func partsOf(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// appendOther appends what else a person may look for who has seen a word: the parts that begin with
// capitals (getUserByID), a version without its v (v2.3.1), and a name without its apostrophe (O'Brien).
func appendOther(list []string, word string) []string {
	for _, part := range partsOf(word) {
		for _, piece := range capitalised(part) {
			if folded := fold(piece); utf8.RuneCountInString(piece) > 1 && !binding(folded) {
				list = appendStemmed(list, folded)
			}
		}
	}
	if rest, is := strings.CutPrefix(fold(word), "v"); is && len(rest) > 1 && rest[0] >= '0' && rest[0] <= '9' {
		list = append(list, rest)
	}
	if joined := apostrophes.Replace(word); joined != word {
		list = appendWord(list, joined)
	}
	return list
}

var apostrophes = strings.NewReplacer("'", "", "\u2019", "")

// capitalised splits a part of a word where a capital follows a small letter, and before the last of several
// capitals that a small letter follows: HTTPServer is HTTP and Server. It returns nothing if there is no such place.
func capitalised(part string) (pieces []string) {
	runes := []rune(part)
	from := 0
	for i := 1; i < len(runes); i++ {
		after := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && after) {
			pieces = append(pieces, string(runes[from:i]))
			from = i
		}
	}
	if from == 0 {
		return nil
	}
	return append(pieces, string(runes[from:]))
}

// abbreviates reports whether a word in capitals may be an abbreviation, such as IT or US.
func abbreviates(word string) bool {
	return len(word) > 1 && word == strings.ToUpper(word) && word != strings.ToLower(word)
}

// hyphen finds words that are written in two halves with a hyphen between them.
type hyphen struct {
	half   string // the last word, if it is all letters
	joined bool   // a hyphen came after it
}

// join takes the next token, and returns what it makes with the half before the hyphen.
func (h *hyphen) join(token string) (word string, ok bool) {
	switch {
	case token == "-" || token == "\u2010": // NFKC has made U+2011 a U+2010
		h.joined = h.half != "" && !h.joined
		return "", false
	case strings.ContainsFunc(token, func(r rune) bool { return !unicode.IsLetter(r) }):
		*h = hyphen{}
		return "", false
	}
	word, ok = h.half+token, h.joined
	*h = hyphen{half: token}
	return word, ok
}
