package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// JSON prints a value on one line for programs, and indented for a person.
func (t *Terminal) JSON(v any) error {
	enc := json.NewEncoder(Escaping(t.Out))
	if t.Interactive() {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(v)
}

// JSONLine prints one of several successive values on a line.
func (t *Terminal) JSONLine(v any) error { return json.NewEncoder(Escaping(t.Out)).Encode(v) }

// Escaping returns a writer of whole JSON values that writes as escapes, which mean the same, what a
// terminal obeys or shows in another order (CLI-218): JSON itself allows the controls from U+007F on,
// U+009B among them, which begins a command, and the characters that change the direction.
func Escaping(w io.Writer) io.Writer { return escaping{w} }

type escaping struct{ w io.Writer }

// Write implements [io.Writer].
func (e escaping) Write(text []byte) (int, error) {
	var out []byte // empty as long as nothing needs an escape
	done := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			out = fmt.Appendf(append(out, text[done:i]...), `\u%04x`, r)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return e.w.Write(text)
	}
	if _, err := e.w.Write(append(out, text[done:]...)); err != nil {
		return 0, err
	}
	return len(text), nil
}
