package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// umlauts are letters for which people write two if their keyboard lacks them.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")

// spellings returns the other ways in which a folded word is written: without its accents, and with
// two letters for an umlaut. Müller is also muller and mueller.
func spellings(word string) []string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return nil
	}
	list := []string{plain(word), plain(umlauts.Replace(word))}
	return slices.DeleteFunc(slices.Compact(list), func(other string) bool { return other == word })
}

// plain returns a word without the accents of its Latin, Greek and Cyrillic letters. In other scripts
// marks are vowels, and without them a word is another.
func plain(word string) string {
	var out strings.Builder
	takes := false // the letter before may have an accent
	for _, r := range norm.NFD.String(word) {
		if takes && unicode.Is(unicode.Mn, r) {
			continue
		}
		takes = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
		switch r { // what is no letter with a mark to Unicode
		case 'ß':
			out.WriteString("ss")
		case 'æ':
			out.WriteString("ae")
		case 'œ':
			out.WriteString("oe")
		case 'ø':
			out.WriteByte('o')
		case 'ł':
			out.WriteByte('l')
		case 'đ':
			out.WriteByte('d')
		case 'ı':
			out.WriteByte('i')
		default:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}
