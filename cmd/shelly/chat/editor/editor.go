// Package editor is the line editor: a text of one or more lines with a cursor, its view in
// columns, and the lines that were written before. It does no input or output.
package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// TextMax is the longest text, in bytes; an insertion beyond it is refused.
const TextMax = 1 << 20

// Editor is a text with a cursor. The zero value is empty and ready.
type Editor struct {
	before, after string // the cursor stands between them
	past          past
	goal          int // the column that up and down keep to
}

// Text returns the whole text.
func (e *Editor) Text() string { return e.before + e.after }

// Empty reports whether the text is empty.
func (e *Editor) Empty() bool { return e.before == "" && e.after == "" }

// Set replaces the text, and puts the cursor at its end.
func (e *Editor) Set(text string) { e.before, e.after, e.goal = text, "", 0 }

// Clear empties the editor.
func (e *Editor) Clear() {
	e.Set("")
	e.past.leave()
}

// Insert inserts a text at the cursor, and reports whether there was room for it. Line ends
// become \n; control characters other than tabs are dropped, so that pasted text cannot act on
// the terminal.
func (e *Editor) Insert(text string) bool {
	text = clean(text)
	if len(e.before)+len(e.after)+len(text) > TextMax {
		return false
	}
	e.before += text
	e.goal = 0
	return true
}

// clean returns a text that is fit for the editor.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// Left moves the cursor one character back.
func (e *Editor) Left() { e.back(lastCluster(e.before)) }

// Right moves the cursor one character forward.
func (e *Editor) Right() { e.on(firstCluster(e.after)) }

// WordLeft moves the cursor to the beginning of the word before it.
func (e *Editor) WordLeft() { e.back(wordBefore(e.before)) }

// WordRight moves the cursor to the end of the word after it.
func (e *Editor) WordRight() { e.on(wordAfter(e.after)) }

// Home moves the cursor to the beginning of its line.
func (e *Editor) Home() { e.back(len(e.before) - lineStart(e.before)) }

// End moves the cursor to the end of its line.
func (e *Editor) End() { e.on(lineEnd(e.after)) }

// Backspace deletes the character before the cursor.
func (e *Editor) Backspace() { e.before, e.goal = e.before[:len(e.before)-lastCluster(e.before)], 0 }

// Delete deletes the character after the cursor.
func (e *Editor) Delete() { e.after = e.after[firstCluster(e.after):] }

// WordBackspace deletes the word before the cursor.
func (e *Editor) WordBackspace() { e.before = e.before[:len(e.before)-wordBefore(e.before)] }

// KillLeft deletes the line up to the cursor.
func (e *Editor) KillLeft() { e.before = e.before[:lineStart(e.before)] }

// KillRight deletes the rest of the line, or the line's end if the cursor is there.
func (e *Editor) KillRight() {
	n := lineEnd(e.after)
	if n == 0 && e.after != "" {
		n = 1
	}
	e.after = e.after[n:]
}

// back moves the cursor n bytes back.
func (e *Editor) back(n int) {
	at := len(e.before) - n
	e.before, e.after, e.goal = e.before[:at], e.before[at:]+e.after, 0
}

// on moves the cursor n bytes forward.
func (e *Editor) on(n int) {
	e.before, e.after, e.goal = e.before+e.after[:n], e.after[n:], 0
}

func lineStart(s string) int { return strings.LastIndexByte(s, '\n') + 1 }

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// firstCluster returns the length in bytes of a text's first character as people see it: a
// letter with its accents, or an emoji of several parts.
func firstCluster(s string) int {
	clusters := graphemes.FromString(s)
	if !clusters.Next() {
		return 0
	}
	return len(clusters.Value())
}

// lastCluster returns the length in bytes of a text's last character. Only the last line is
// examined.
func lastCluster(s string) int {
	if strings.HasSuffix(s, "\n") {
		return 1
	}
	last := 0
	for clusters := graphemes.FromString(s[lineStart(s):]); clusters.Next(); {
		last = len(clusters.Value())
	}
	return last
}

// wordBefore returns the length of the last word of a text and the blanks after it.
func wordBefore(s string) int {
	rest := strings.TrimRightFunc(s, notWord)
	return len(s) - len(strings.TrimRightFunc(rest, isWord))
}

// wordAfter returns the length of the first word of a text and the blanks before it.
func wordAfter(s string) int {
	rest := strings.TrimLeftFunc(s, notWord)
	return len(s) - len(strings.TrimLeftFunc(rest, isWord))
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_' || r == utf8.RuneError
}

func notWord(r rune) bool { return !isWord(r) }
