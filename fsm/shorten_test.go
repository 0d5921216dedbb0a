package fsm_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"shelly/fsm"
)

// A shortened text has the beginning and the end of the whole, says how much is missing,
// and is no longer than was wanted (CTX-10).
func TestCTX10AShortenedTextHasItsBeginningAndItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 2000, -1).Draw(t, "text") + strings.Repeat(rapid.SampledFrom([]string{"a", "水", "é "}).Draw(t, "of"), rapid.IntRange(0, 3000).Draw(t, "times"))
		tokens := rapid.IntRange(32, 600).Draw(t, "tokens")
		got := fsm.PresentWords().Shorten(text, tokens)
		switch {
		case fsm.TextTokens(text) <= tokens:
			if got != text {
				t.Fatalf("a text that fits is shortened to %q", got)
			}
			return
		case fsm.TextTokens(got) > tokens:
			t.Fatalf("%d tokens, not %d: %q", fsm.TextTokens(got), tokens, got)
		case !utf8.ValidString(got):
			t.Fatalf("a character is cut in two: %q", got)
		}
		i, j := strings.Index(got, "\n[… "), strings.LastIndex(got, " bytes are left out here …]\n")
		if i < 0 || j < i || !strings.HasPrefix(text, got[:i]) || !strings.HasSuffix(text, got[j+len(" bytes are left out here …]\n"):]) {
			t.Fatalf("%q", got)
		}
	})
}
