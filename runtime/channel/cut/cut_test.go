package cut

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// all cuts a whole text.
func all(text string, size int) (parts []string) {
	for text != "" {
		end, next := First(text, size)
		parts = append(parts, text[:end])
		text = text[next:]
	}
	return parts
}

func TestCHN7AnAnswerIsCutAtASensiblePlace(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		size       int
		want       string // the messages, with | between them
	}{
		{"it fits", "It is four.", 20, "It is four."},
		{"paragraphs", "The first one.\n\nThe second one.", 24, "The first one.|The second one."},
		{"lines", "- one thing\n- another thing", 20, "- one thing|- another thing"},
		{"indented lines", "if it is so:\n\n    do it\n    do more", 24, "if it is so:|    do it\n    do more"},
		{"nothing but space after it", "fifteen letters\n\n  ", 16, "fifteen letters"},
		{"sentences", "It is so. It is not so. No.", 24, "It is so. It is not so.|No."},
		{"words", "one two three four five six", 20, "one two three four|five six"},
		{"a word that just fits", "sixteen letters. and more", 16, "sixteen letters.|and more"},
		{"no word", strings.Repeat("a", 40), 16, strings.Repeat("a", 16) + "|" + strings.Repeat("a", 16) + "|" + strings.Repeat("a", 8)},
		{"no space", "一二三四五。六七八九十", 20, "一二三四五。|六七八九十"},
		{"letters of several bytes", strings.Repeat("é", 12), 17, strings.Repeat("é", 8) + "|" + strings.Repeat("é", 4)},
		{"a paragraph that ends too early", "So.\n\n" + strings.Repeat("word ", 6), 24, "So.\n\nword word word word|word word "},
		{"too small a size", "one two three four", 1, "one two three|four"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(all(tt.text, tt.size), "|"); got != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestCHN7NothingButSpaceIsLostByCutting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z .。é\n]{0,200}`).Draw(t, "text")
		size := rapid.IntRange(1, 60).Draw(t, "size")
		parts := all(text, size)
		for _, p := range parts {
			if len(p) > max(size, Least) || p == "" || !utf8.ValidString(p) {
				t.Errorf("%q has %d bytes of %d", p, len(p), size)
			}
		}
		if bare(strings.Join(parts, "")) != bare(text) {
			t.Errorf("%q became %q", text, parts)
		}
	})
}

func bare(text string) string { return strings.Join(strings.Fields(text), "") }
