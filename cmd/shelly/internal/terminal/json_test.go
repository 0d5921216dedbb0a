package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestCLI218JSONDoesNotControlATerminal(t *testing.T) {
	text := "a\x1b[31m\u009b31m\u007f\u202e\u2066\u061c\u200f\u2028é\"\\\n😀\ufffd"
	for name, print := range map[string]func(*Terminal) error{
		"a value": func(t *Terminal) error { return t.JSON(map[string]string{text: text}) },
		"a line":  func(t *Terminal) error { return t.JSONLine(map[string]string{text: text}) },
	} {
		var out bytes.Buffer
		if err := print(&Terminal{Out: &out}); err != nil {
			t.Fatal(err)
		}
		printed := out.String()
		if line := printed[:len(printed)-1]; line != Printable(line) {
			t.Errorf("%s: %q is printed", name, printed)
		}
		var read map[string]string
		if err := json.Unmarshal(out.Bytes(), &read); err != nil || read[text] != text {
			t.Errorf("%s: %q is read as %q (%v)", name, printed, read, err)
		}
	}
}
