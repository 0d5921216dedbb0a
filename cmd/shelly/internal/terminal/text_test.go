package terminal

import (
	"testing"
)

// A model's text must not act on the terminal.
func TestControlCharactersAreShown(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":       "plain\ttext\n",
		"\x1b[2Jgone":         `\x1b[2Jgone`,
		"bell\a back\b \r cr": `bell\a back\b \r cr`,
		"Grüße 世界 \u0085":     `Grüße 世界 \u0085`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
