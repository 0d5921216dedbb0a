package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Wrap cuts a text into lines of at most width columns, at blanks if possible; a word that is too
// long is cut where the line is full. A line may end before and after a wide character, such as a
// Chinese or Japanese one, but not before a closing mark. An attribute that is on at the end of a
// line is switched off there and on again in the next, so that each line stands alone. The text
// must be free of control characters other than line ends and SGR.
func Wrap(text string, width int) []string {
	w := wrapping{width: max(width, 1)}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.word()
			w.end()
		}
		w.line(line)
	}
	w.word()
	w.end()
	return w.lines
}

// wrapping is a text being wrapped: the finished lines, the current row, and the next word with
// the blanks before it.
type wrapping struct {
	width                   int
	lines                   []string
	row, next               strings.Builder
	columns, blanks, length int
	active                  []string // attributes that are on at the end of the row
	wide                    bool     // the word is a wide character: another word follows
}

// line wraps a line of the text.
func (w *wrapping) line(text string) {
	for text != "" {
		if code, rest, ok := attribute(text); ok {
			w.next.WriteString("\x1b[" + code + "m")
			text = rest
			continue
		}
		until := len(text)
		if at := strings.Index(text[1:], "\x1b["); at >= 0 { // an escape that is not an attribute is text
			until = at + 1
		}
		for clusters := graphemes.FromString(text[:until]); clusters.Next(); {
			w.cluster(clusters.Value())
		}
		text = text[until:]
	}
}

// attribute cuts an SGR sequence off the beginning of a text.
func attribute(text string) (code, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return "", text, false
	}
	return strings.Cut(after, "m")
}

// cluster adds a character.
func (w *wrapping) cluster(c string) {
	columns := ansi.StringWidth(c)
	switch {
	case c == " ":
		if w.length > 0 {
			w.word()
		}
		w.blanks++
		return
	case w.length > 0 && (columns > 1 || w.wide) && !strings.Contains(closing, c):
		w.word()
	}
	if w.length+columns > w.width { // longer than any line
		w.word()
	}
	w.next.WriteString(c)
	w.length += columns
	w.wide = columns > 1
}

// closing are wide marks that must not begin a line.
const closing = "、。，．：；！？）」』】〉》”’々ー"

// word adds the next word to the row, or begins another row with it.
func (w *wrapping) word() {
	if w.length > 0 && w.columns > 0 && w.columns+w.blanks+w.length > w.width {
		w.end()
		w.blanks = 0
	}
	if w.length > 0 {
		w.blanks = min(w.blanks, max(w.width-w.length, 0))
		w.row.WriteString(strings.Repeat(" ", w.blanks))
		w.columns += w.blanks + w.length
		w.blanks = 0
	}
	text := w.next.String()
	w.row.WriteString(text)
	w.follow(text)
	w.next.Reset()
	w.length = 0
}

// end ends the row.
func (w *wrapping) end() {
	line := w.row.String()
	if len(w.active) > 0 {
		line += "\x1b[m"
	}
	w.lines = append(w.lines, line)
	w.row.Reset()
	w.columns, w.blanks = 0, 0
	if len(w.active) > 0 {
		w.row.WriteString("\x1b[" + strings.Join(w.active, ";") + "m")
	}
}

// ends returns the attributes that each code switches off.
func ends(code string) []string {
	switch code {
	case "22":
		return []string{"1", "2"}
	case "23":
		return []string{"3"}
	case "24":
		return []string{"4"}
	case "39":
		return []string{"31", "32", "33", "34", "35", "36", "37"}
	default:
		return nil
	}
}

// follow notes which attributes are on after a text.
func (w *wrapping) follow(text string) {
	for {
		at := strings.Index(text, "\x1b[")
		if at < 0 {
			return
		}
		code, rest, ok := attribute(text[at:])
		if !ok {
			return
		}
		text = rest
		if off := ends(code); off != nil {
			w.active = slices.DeleteFunc(w.active, func(c string) bool { return slices.Contains(off, c) })
		} else {
			w.active = append(w.active, code)
		}
	}
}
