package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// side says which side of a search a text is on.
type side bool

// An entry's text is indexed, a need's is asked.
const (
	indexed side = false
	asked   side = true
)

// terms returns the keywords of a text (MEM-5), repetitions included. They are its Unicode words
// (UAX #29), folded, in each of their spellings, and the parts of words joined by punctuation
// (disk_usage, node.js) or by capitals (getUserByID), and what two halves around a hyphen are together
// (e-mail). Different encodings of the same characters are unified (NFKC): full-width
// letters, half-width kana, an accent that follows its letter. In scripts that write no spaces each
// pair of neighbouring characters is a keyword. Single characters of these are indexed too, but asked
// for only where they stand alone: a need for 磁盘 does not match every text with a 盘 in it. Function
// words are left out, unless they are in capitals (IT): that both have a "the" does not make an entry relevant to a need. Those of
// German and the question words of Chinese are indexed, but not asked for.
func terms(text string, s side) []string { return (&splitter{}).terms(text, s) }

// splitter finds the keywords of text after text.
type splitter struct {
	known map[string][]string // the keywords of words seen before; nil: none are kept
}

// knownMax is how many words a splitter remembers the keywords of. Stemming takes longer than
// everything else, and most words of a text have been seen before.
const knownMax = 1 << 16

// newSplitter returns a splitter for many texts.
func newSplitter() *splitter { return &splitter{known: map[string][]string{}} }

// word returns the keywords of a word.
func (sp *splitter) word(word string) []string {
	list, ok := sp.known[word]
	if ok {
		return list
	}
	word = strings.Clone(word) // so as not to keep the whole text
	list = appendOther(appendWord(nil, word), word)
	if sp.known != nil {
		if len(sp.known) == knownMax {
			clear(sp.known)
		}
		sp.known[word] = list
	}
	return list
}

func (sp *splitter) terms(text string, s side) []string {
	var list []string
	var run []rune // the characters without spaces so far
	flush := func() {
		list = appendRun(list, run, s)
		run = run[:0]
	}
	text = norm.NFKC.String(text)
	german := s == asked && isGerman(text)
	var halves hyphen
	for tokens := words.FromString(text); tokens.Next(); {
		for token := tokens.Value(); token != ""; {
			// A token may hold both: disk가.
			pairs, rest := span(token, unspaced)
			run = append(run, []rune(pairs)...)
			word, rest := span(rest, func(r rune) bool { return !unspaced(r) })
			if word != "" {
				flush()
				if joined, ok := halves.join(word); ok {
					list = append(list, sp.word(joined)...)
				}
				if folded := fold(word); german && (bindingGerman(folded) || bindingWithinGerman(folded)) {
					word = ""
				}
				list = append(list, sp.word(word)...)
			}
			token = rest
		}
	}
	flush()
	return list
}

// span cuts s before the first character that is not wanted.
func span(s string, wanted func(rune) bool) (head, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !wanted(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

// appendRun appends the terms of a run of characters. A need's are those between its question words.
func appendRun(list []string, run []rune, s side) []string {
	if s == indexed || len(run) == 0 {
		return appendPairs(list, run, s)
	}
	text := string(run)
	between := text
	for _, word := range questionWords() {
		between = strings.ReplaceAll(between, word, " ")
	}
	before := len(list)
	for part := range strings.FieldsSeq(between) {
		if runes := []rune(part); len(runes) > 1 {
			list = appendPairs(list, runes, s)
		}
	}
	if len(list) == before && strings.TrimSpace(between) != "" { // 吗啡 is no question, for all its 吗
		return appendPairs(list, run, s)
	}
	return list
}

// questionWords returns the words that only make a question of a Chinese sentence, each before those
// that it contains.
func questionWords() []string {
	return []string{
		"什么时候", "什麼時候", "为什么", "為什麼", "什么", "什麼", "怎么样", "怎麼樣", "怎么", "怎麼", "怎样", "怎樣",
		"哪里", "哪裡", "哪儿", "哪兒", "哪个", "哪個", "多少", "多久", "谁", "誰", "吗", "嗎", "呢",
	}
}

// appendPairs appends the terms of a run of characters.
func appendPairs(list []string, run []rune, s side) []string {
	for i := range run {
		if s == indexed || len(run) == 1 {
			list = append(list, string(run[i:i+1]))
		}
		if i > 0 {
			list = append(list, string(run[i-1:i+1]))
		}
	}
	return list
}

// appendWord appends a word and, where it is a compound, its parts, all folded.
func appendWord(list []string, written string) []string {
	word := fold(written)
	parts := partsOf(word)
	if len(parts) == 0 || binding(word) && !abbreviates(written) {
		return list
	}
	list = appendStemmed(list, word)
	if len(parts) == 1 && parts[0] == word {
		return list
	}
	for _, part := range parts {
		// A single letter is the rest of an elision: don't, l'eau.
		if utf8.RuneCountInString(part) > 1 && !binding(part) {
			list = appendStemmed(list, part)
		}
	}
	return list
}

// stemmedMin is the shortest word that is stemmed: shorter ones are mostly names.
const stemmedMin = 4

// appendStemmed appends a word and the other ways in which people write it, each with its stem if
// that differs: "rotating" matches "rotated", and "rotated" matches it better. The stems are those of
// English. In other languages of the Latin alphabet they unify a few forms of a word and lose none,
// because both sides of a search are treated alike.
func appendStemmed(list []string, word string) []string {
	list = appendStem(list, word)
	for _, other := range spellings(word) {
		list = appendStem(list, other)
	}
	return list
}

func appendStem(list []string, word string) []string {
	list = append(list, word)
	if len(word) < stemmedMin || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return list
	}
	if stem := english.Stem(word, true); stem != word {
		list = append(list, stem)
	}
	return list
}

// unspaced reports whether a character belongs to a script whose words are not separated by spaces.
// Hangul writes spaces, but its words carry particles.
func unspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	const prolongedSound = 0x30fc // ー, of no one script
	return r == prolongedSound || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold makes words equal that differ only in case: it maps each character to the least of those
// that Unicode's simple case folding considers equal.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return unicode.ToLower(least)
	}, word)
}

// isGerman reports whether a text has more function words of German alone than of English alone. A
// word in capitals may be an abbreviation, such as the DER of certificates.
func isGerman(text string) bool {
	more := 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch folded := fold(word); {
		case len(word) > 1 && word == strings.ToUpper(word):
		case bindingGerman(folded):
			more++
		case binding(folded) && !slices.Contains([]string{"am", "an", "her", "in", "so", "us", "was", "will"}, folded):
			more--
		}
	}
	return more > 0
}

// bindingGerman reports whether a folded word is a function word of German alone.
func bindingGerman(word string) bool {
	switch word {
	case "der", "das", "dem", "ein", "eine", "einen", "einem", "einer", "eines", "kein", "keine", "keinen", "dieser", "diese", "dieses", "diesen", "diesem",
		"ich", "mir", "mich", "mein", "meine", "meinen", "meinem", "meiner", "dir", "dich", "dein", "deine", "wir", "uns", "unser", "unsere", "unseren", "unserem", "unserer",
		"sie", "ihm", "ihn", "ihr", "ihre", "ihren", "ihrem", "ihnen", "sich", "seine", "seinen", "seinem", "seiner",
		"ist", "sind", "bist", "waren", "wurde", "wurden", "wird", "werden", "worden", "habe", "haben", "hatte", "hatten",
		"kann", "können", "konnte", "soll", "sollen", "sollte", "muss", "müssen", "musste", "darf", "dürfen", "möchte", "wollen",
		"von", "vom", "zum", "zur", "bei", "beim", "auf", "für", "über", "unter", "nach", "vor", "durch", "ohne", "seit", "bis",
		"und", "oder", "aber", "nicht", "auch", "noch", "schon", "nur", "wenn", "weil", "dass", "denn", "doch", "dann", "dort", "hier",
		"wie", "wo", "wer", "wem", "wen", "wann", "warum", "wieso", "weshalb", "woher", "wohin", "welche", "welcher", "welches", "welchen", "welchem":
		return true
	}
	return false
}

// bindingWithinGerman reports whether a folded word is a function word in a German text, but may be
// another in an English one.
func bindingWithinGerman(word string) bool {
	switch word {
	case "die", "den", "mit", "aus", "um", "zu", "des", "es", "er", "du", "man", "war", "hat", "bin", "im", "am", "als", "da", "also", "mal", "sein", "will", "ob":
		return true
	}
	return false
}

// binding reports whether a folded word is a function word, which only holds a sentence together.
func binding(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those",
		"i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "it", "its", "they", "them", "their",
		"is", "are", "was", "were", "be", "been", "am", "do", "does", "did", "has", "have", "had",
		"can", "could", "will", "would", "shall", "should", "may", "might", "must",
		"of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "as", "into",
		"and", "or", "but", "not", "no", "if", "then", "than", "so",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how", "there", "here":
		return true
	}
	return false
}
