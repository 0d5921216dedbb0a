package strict

import (
	"fmt"
	"strings"
	"unicode"

	"shelly/fsm/wording"
)

const (
	frameLinesBefore = 2
	frameCharsMax    = 120 // characters of one line that are shown
)

// Frame shows a place, with the lines before it and a caret under it; it is empty where
// the sources have no such place.
func (s Sources) Frame(at Pos) string {
	source := s[at.File]
	if at.Line < 1 || len(source) == 0 {
		return ""
	}
	lines := strings.Split(string(source), "\n")
	if at.Line > len(lines) {
		return ""
	}
	var b strings.Builder
	first := max(1, at.Line-frameLinesBefore)
	for n := first; n <= at.Line; n++ {
		text, caret := FrameLine(lines[n-1], at.Col)
		fmt.Fprintf(&b, "%6d | %s\n", n, text)
		if n == at.Line {
			fmt.Fprintf(&b, "       | %s^\n", caret)
		}
	}
	return b.String()
}

// FrameLine returns a line as it is shown, and the blanks before the caret under
// column col. A long line is cut around that column.
func FrameLine(line string, col int) (text, blanks string) {
	chars := []rune(strings.TrimRight(line, "\r"))
	target := min(max(col-1, 0), len(chars))
	begin := 0
	var shown strings.Builder
	if target >= frameCharsMax {
		begin = target - frameCharsMax/2
		shown.WriteString("…")
	}
	end := min(len(chars), begin+frameCharsMax)
	var pad strings.Builder
	if begin > 0 {
		pad.WriteByte(' ')
	}
	for i := begin; i < end; i++ {
		r := wording.Printable(chars[i])
		shown.WriteRune(r)
		if i < target {
			pad.WriteString(strings.Repeat(" ", columns(r)))
		}
	}
	if end < len(chars) {
		shown.WriteString("…")
	}
	return strings.TrimRight(shown.String(), " "), pad.String()
}

// wideMarks are emoji between characters that are not wide (UAX #11).
const wideMarks = "⌚⌛⏩⏪⏫⏬⏰⏳☔☕♿⚓⚡⚽⛄⛅⛔⛪⛲⛳⛵⛺⛽✅✊✋✨❌❎❓❔❕❗➕➖➗➰⬛⬜⭐⭕"

// columns is how many columns a terminal gives a character: two to East Asian
// wide ones and to emoji, none to combining marks.
func columns(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0xFF01 && r <= 0xFF60, r >= 0x3000 && r <= 0x303F,
		r >= 0x1F300 && r <= 0x1F64F, r >= 0x1F680 && r <= 0x1F6FF, r >= 0x1F900 && r <= 0x1FAFF, strings.ContainsRune(wideMarks, r):
		return 2
	default:
		return 1
	}
}
