package file

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"shelly/fsm/wording"
)

// alike are characters that a model writes for those that are in most files.
var alike = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-",
	"\u2212", "-", "\u2026", "...", "\u200b", "", "\ufeff", "")

// lookalike returns a line without its blanks and with one form of characters that look alike, so that lines
// that a reader takes for the same are the same.
func lookalike(line string) string { return alike.Replace(norm.NFC.String(squeezed(line))) }

// difference says where a line of a text first differs from one that was to be there.
func difference(n int, is, wanted string) string {
	blank := func(r rune) bool { return unicode.IsSpace(r) }
	bare, wantedBare := strings.TrimLeftFunc(is, blank), strings.TrimLeftFunc(wanted, blank)
	lead, wantedLead := is[:len(is)-len(bare)], wanted[:len(wanted)-len(wantedBare)]
	switch {
	case lead != wantedLead:
		return fmt.Sprintf("line %d begins with %s, old with %s", n, blanks(lead), blanks(wantedLead))
	case strings.TrimRightFunc(bare, blank) == strings.TrimRightFunc(wantedBare, blank):
		end, wantedEnd := bare[len(strings.TrimRightFunc(bare, blank)):], wantedBare[len(strings.TrimRightFunc(wantedBare, blank)):]
		return fmt.Sprintf("line %d ends with %s, old with %s", n, blanks(end), blanks(wantedEnd))
	}
	for bare != "" && wantedBare != "" {
		r, size := utf8.DecodeRuneInString(bare)
		other, otherSize := utf8.DecodeRuneInString(wantedBare)
		if r != other {
			return fmt.Sprintf("line %d has %s where old has %s", n, character(r), character(other))
		}
		bare, wantedBare = bare[size:], wantedBare[otherSize:]
	}
	return fmt.Sprintf("line %d has %d characters, old %d", n, utf8.RuneCountInString(is), utf8.RuneCountInString(wanted))
}

// blanks names blanks.
func blanks(text string) string {
	tabs, spaces := strings.Count(text, "\t"), strings.Count(text, " ")
	var parts []string
	if tabs > 0 {
		parts = append(parts, wording.Count(tabs, "tab"))
	}
	if spaces > 0 {
		parts = append(parts, wording.Count(spaces, "blank"))
	}
	if n := utf8.RuneCountInString(text) - tabs - spaces; n > 0 {
		parts = append(parts, wording.Count(n, "other blank"))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " and ")
}

// character names a character, so that those that look alike can be told apart.
func character(r rune) string {
	if r < utf8.RuneSelf && unicode.IsPrint(r) && r != ' ' {
		return string(r)
	}
	if !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Mn, r) {
		return fmt.Sprintf("U+%04X", r)
	}
	return fmt.Sprintf("%c (U+%04X)", r, r)
}

// undiffed returns the old side of a unified diff, or an empty text.
func undiffed(text string) string {
	var old strings.Builder
	hunk, removed, added := false, false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "diff "):
			hunk = true
		case strings.HasPrefix(line, "+"):
			added = true
		case strings.HasPrefix(line, "-"):
			removed = true
			old.WriteString(line[1:])
		default:
			old.WriteString(strings.TrimPrefix(line, " "))
		}
	}
	if !hunk && !(removed && added) { // it may be a list
		return ""
	}
	return strings.TrimSuffix(old.String(), "\n")
}

// unfenced returns what is in a fence, or the text if it is not in one.
func unfenced(text string) string {
	inner, is := strings.CutPrefix(strings.TrimSpace(text), "```")
	if inner, closed := strings.CutSuffix(inner, "```"); is && closed {
		if _, inner, ok := strings.Cut(inner, "\n"); ok {
			return inner
		}
	}
	return text
}

// unescaped returns a text with what \n, \t and \" stand for in JSON.
var unescaped = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)
