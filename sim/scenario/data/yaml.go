package data

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	yamlColumnsMax  = 120 // of what stands on one line
	yamlDepthMax    = 12  // what is nested deeper is written as JSON
	yamlKeyBytesMax = 200 // a map with a longer key is written as JSON
)

// YAML writes a map as YAML for people, a member at a time: a small map and a
// list of words on one line, a long text as a block. Equal values give equal bytes,
// whatever the YAML library's version.
func YAML(v Value) string {
	var y yamlWriter
	for _, m := range v.Members {
		y.member(m, 0)
	}
	return y.String()
}

type yamlWriter struct{ strings.Builder }

// member writes KEY: VALUE at an indentation and ends the line. What stands at no
// indentation is never put on one line as a map.
func (y *yamlWriter) member(m Member, indent int) {
	key := yamlWord(m.Key) + ":"
	y.WriteString(key)
	v := m.Value
	line, short := y.line(v, indent+len(key)+1)
	switch {
	case short && (indent > 0 || v.Kind != MapKind || len(v.Members) == 0):
		y.WriteString(" " + line + "\n")
	case v.Kind == ListKind:
		y.WriteString("\n")
		y.items(v.List, indent+2)
	case v.Kind == MapKind && v.yaml(indent):
		y.WriteString("\n")
		for _, m := range v.Members {
			y.indent(indent + 2)
			y.member(m, indent+2)
		}
	default:
		y.WriteString(" ")
		y.text(v, indent+2)
	}
}

// items writes the entries of a list, each after a dash.
func (y *yamlWriter) items(list []Value, indent int) {
	for _, v := range list {
		y.indent(indent)
		y.WriteString("-")
		line, short := y.line(v, indent+2)
		switch {
		case short:
			y.WriteString(" " + line + "\n")
		case v.Kind == ListKind:
			y.WriteString("\n")
			y.items(v.List, indent+2)
		case v.Kind == MapKind && v.yaml(indent):
			for i, m := range v.Members {
				if i == 0 {
					y.WriteString(" ")
				} else {
					y.indent(indent + 2)
				}
				y.member(m, indent+2)
			}
		default:
			y.WriteString(" ")
			y.text(v, indent+2)
		}
	}
}

func (y *yamlWriter) indent(n int) { y.WriteString(strings.Repeat(" ", n)) }

// yaml reports whether a map can be written as one: a key once, of bounded length,
// at a bounded depth. The arguments of a call are whatever the model wrote.
func (v Value) yaml(indent int) bool {
	if indent > 2*yamlDepthMax {
		return false
	}
	for i, m := range v.Members {
		again := slices.ContainsFunc(v.Members[:i], func(o Member) bool { return o.Key == m.Key })
		if again || len(m.Key) > yamlKeyBytesMax {
			return false
		}
	}
	return true
}

// line is a value on one line, and whether it fits there after column columns. A
// number, a switch and what is empty always do.
func (y *yamlWriter) line(v Value, column int) (string, bool) {
	text, ok := "", true
	switch {
	case v.Kind == TextKind:
		text, ok = yamlWord(v.Text), !strings.Contains(v.Text, "\n")
	case v.Kind == ListKind && len(v.List) > 0:
		text, ok = y.flow(v)
	case v.Kind == MapKind && len(v.Members) > 0:
		if ok = v.yaml(column); ok {
			text, ok = y.flow(v)
		}
	default:
		return v.String(), true
	}
	return text, ok && column+len([]rune(text)) <= yamlColumnsMax
}

// flow is a list of scalars, or a map of scalars and such lists, in brackets.
func (y *yamlWriter) flow(v Value) (string, bool) {
	var parts []string
	for _, item := range v.List {
		text, ok := y.line(item, 0)
		if !ok || item.Kind == ListKind || item.Kind == MapKind {
			return "", false
		}
		parts = append(parts, text)
	}
	for _, m := range v.Members {
		text, ok := y.line(m.Value, 0)
		if !ok {
			return "", false
		}
		parts = append(parts, yamlWord(m.Key)+": "+text)
	}
	if v.Kind == ListKind {
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	return "{" + strings.Join(parts, ", ") + "}", true
}

// text writes what does not fit on a line: as a block where YAML can hold it so and
// an editor leaves it as it is, else in quotes over several lines. What is no text
// is one as JSON.
func (y *yamlWriter) text(v Value, indent int) {
	text := v.Text
	if v.Kind != TextKind {
		text = v.JSON()
	}
	lines := strings.Split(text, "\n")
	if !blockText(lines) {
		y.WriteString(quotedLines(lines, indent) + "\n")
		return
	}
	head, end := "|", "-"
	if begins := lines[0]; begins == "" || begins[0] == ' ' || begins[0] == '\t' {
		head = "|2" // its indentation, which the first word would else tell
	}
	if last := len(lines) - 1; lines[last] == "" {
		end, lines = "", lines[:last]
	}
	y.WriteString(head + end + "\n")
	for _, line := range lines {
		if line != "" {
			y.indent(indent)
		}
		y.WriteString(line + "\n")
	}
}

// blockText reports whether lines can be a literal block: no character that must be
// escaped, no blank at a line's end, and at most one line end after the last.
func blockText(lines []string) bool {
	if last := len(lines) - 1; last > 0 && lines[last] == "" && lines[last-1] == "" {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool {
		return strings.TrimRight(line, " \t") != line ||
			strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && escaped(r) })
	})
}

// quotedLines is a text in double quotes, each line end written as \n at the end of
// a line.
func quotedLines(lines []string, indent int) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\\n\\\n" + strings.Repeat(" ", indent))
			if strings.HasPrefix(line, " ") {
				b.WriteByte('\\') // so that it is no indentation
			}
		}
		b.WriteString(quotedRunes(line))
	}
	b.WriteByte('"')
	return b.String()
}

// yamlWord is a text on one line: as it stands where YAML would take it for the
// same text, in a list or map too, else in quotes.
func yamlWord(s string) string {
	if plainWord(s) {
		return s
	}
	return `"` + quotedRunes(s) + `"`
}

// plainWord is stricter than YAML: a letter, then letters, digits and marks that mean
// nothing; a colon only within a word; and none of the words that some reader takes
// for a switch or for nothing.
func plainWord(s string) bool {
	before := ' '
	for i, r := range s {
		letter := unicode.IsLetter(r) && r < unicode.MaxLatin1 || r >= '0' && r <= '9'
		switch {
		case i == 0 && (!letter || r <= '9'):
			return false
		case before == ':' && !letter:
			return false
		case !letter && !strings.ContainsRune(" _./-+:;?!()%='", r):
			return false
		}
		before = r
	}
	if s == "" || before == ' ' || before == ':' {
		return false
	}
	return !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
}

// quotedRunes is s as it stands between double quotes.
func quotedRunes(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case escaped(r) && r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		case escaped(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escaped reports whether a character is one that YAML forbids or nobody sees:
// controls, other blanks and line ends, marks of direction and joining, and those
// that are no characters.
func escaped(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == 0x00A0, r == 0x2028, r == 0x2029:
		return true
	default:
		return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF
	}
}
