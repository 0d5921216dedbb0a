package mend

import (
	"encoding/json"
	"io"
	"strings"
)

// JSON returns s as JSON if small mistakes are all that keep it from being JSON and it can
// mean only one thing (INF-25); else s as it is. It may be several values in a row. These are
// mended: a comma after the last member; line ends and tabs inside a text; texts in single
// quotes, and Python's True, False and None; keys without quotes; semicolons between values;
// brackets too many at the end. If as is [AsWritten], the backslashes of a text with line ends may be
// characters of it.
func JSON(s string, as Backslashes) string {
	mended, _ := mendedJSON(s, as)
	return mended
}

// Backslashes says what a backslash is in a text that has line ends which are not escaped.
type Backslashes bool

const (
	Escape    Backslashes = false // the beginning of an escape, as in JSON
	AsWritten Backslashes = true  // itself, if the text shows that it is ([escapes.fully])
)

// mendedJSON also says whether what it returns is JSON.
func mendedJSON(s string, as Backslashes) (string, bool) {
	if json.Valid([]byte(s)) {
		return s, true
	}
	m := mender{rest: s, as: as}
	if m.values() && areValues(m.out.String()) {
		return m.out.String(), true
	}
	return s, false
}

// Closed returns a JSON text with the bracket at its end that it lacks, if it lacks no other and
// ends with one; else as it is. What ends so is whole but for the bracket that the writer miscounted.
func Closed(s string, as Backslashes) string {
	m := mender{rest: s, as: as}
	if !m.values() || m.open != 1 || m.last != '}' && m.last != ']' {
		return s
	}
	if strings.HasPrefix(strings.TrimLeft(s, Blanks), "[") {
		return m.out.String() + "]"
	}
	return m.out.String() + "}"
}

// areValues reports whether a text is one JSON value or several.
func areValues(s string) bool {
	d := json.NewDecoder(strings.NewReader(s))
	for n := 0; ; n++ {
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case err == io.EOF:
			return n > 0
		case err != nil:
			return false
		}
	}
}

// mender writes JSON from a text that is nearly JSON, piece by piece. It does not check what
// it writes.
type mender struct {
	rest string
	as   Backslashes
	out  strings.Builder
	open int  // brackets
	last byte // the last character written that is not a blank
}

// Blanks are the characters that JSON ignores outside texts.
const Blanks = " \t\r\n"

// values mends all of the text. It returns false where no mending is known.
func (m *mender) values() bool {
	for m.rest != "" {
		c := m.rest[0]
		switch {
		case strings.IndexByte(Blanks, c) >= 0:
			m.out.WriteByte(c)
			m.rest = m.rest[1:]
		case c == '"' || c == '\'':
			if !m.text() {
				return false
			}
		case Letter(c):
			m.word()
		case c == ',' && m.closes() && strings.IndexByte("{[,", m.last) < 0, c == ';' && m.open == 0:
			m.out.WriteByte(' ')
			m.rest = m.rest[1:]
		case (c == '}' || c == ']') && m.open == 0:
			return strings.Trim(m.rest, "}]"+Blanks) == ""
		default:
			m.bracket(c)
			m.put(m.rest[:1])
			m.rest = m.rest[1:]
		}
	}
	return true
}

func (m *mender) bracket(c byte) {
	switch c {
	case '{', '[':
		m.open++
	case '}', ']':
		m.open--
	}
}

func (m *mender) put(s string) {
	m.out.WriteString(s)
	m.last = s[len(s)-1]
}

// closes reports whether a bracket follows the comma.
func (m *mender) closes() bool {
	after := strings.TrimLeft(m.rest[1:], Blanks)
	return after != "" && (after[0] == '}' || after[0] == ']')
}

// word writes a word outside a text: a key, or a value by its name.
func (m *mender) word() {
	n := 0
	for n < len(m.rest) && (Letter(m.rest[n]) || m.rest[n] >= '0' && m.rest[n] <= '9' || strings.IndexByte("-./", m.rest[n]) >= 0) {
		n++
	}
	word := m.rest[:n]
	m.rest = m.rest[n:]
	switch key := strings.HasPrefix(strings.TrimLeft(m.rest, Blanks), ":"); {
	case key && (m.last == '{' || m.last == ','):
		word = encoded(word)
	case word == "True":
		word = "true"
	case word == "False":
		word = "false"
	case word == "None":
		word = "null"
	}
	m.put(word)
}

// text writes a text in quotes of either kind. It returns false if it has no end, or has
// two meanings.
func (m *mender) text() bool {
	quote := m.rest[0]
	if raw, as := m.verbatim(quote); as >= themselves {
		m.rest = m.rest[len(raw)+2:]
		m.put(written(raw, as))
		return true
	}
	m.out.WriteByte('"')
	for i := 1; i < len(m.rest); i++ {
		switch c := m.rest[i]; {
		case c == quote:
			m.rest = m.rest[i+1:]
			m.put(`"`)
			return true
		case c == '\\' && i+1 < len(m.rest):
			i++
			if m.rest[i] == '/' && quote == '\'' {
				return false // to Python it is both characters, to JSON the second
			}
			if m.rest[i] != '\'' { // JSON has no escape for it, and needs none
				m.out.WriteByte('\\')
			}
			m.out.WriteByte(m.rest[i])
		case c == '"':
			m.out.WriteString(`\"`)
		case c < ' ':
			escaped := encoded(string(rune(c)))
			m.out.WriteString(escaped[1 : len(escaped)-1])
		default:
			m.out.WriteByte(c)
		}
	}
	return false
}

// verbatim returns what is in the quotes, and what its backslashes mean if they may be characters of it.
func (m *mender) verbatim(quote byte) (raw string, as meaning) {
	if m.as != AsWritten {
		return "", unclear
	}
	for i := 1; i < len(m.rest); i++ {
		switch m.rest[i] {
		case '\\':
			i++
		case quote:
			raw = m.rest[1:i]
			e := escapesOf(raw, string(quote), false)
			return raw, e.fully(raw)
		}
	}
	return "", unclear
}

// Letter reports whether a word outside a text may begin with c.
func Letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_@$", c) >= 0
}

// encoded returns a text as JSON writes it.
func encoded(s string) string {
	data, _ := json.Marshal(s) // a string never fails
	return string(data)
}
