package session

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCLI145ASearchShowsThePartWithTheWords(t *testing.T) {
	before, after := strings.Repeat("lead ", 100), strings.Repeat(" tail", 100)
	for _, test := range []struct{ text, want, shown string }{
		{"A short one\nin two lines.", "one in", "A short one\nin two lines."},
		{before + "The PUMP\n\tis loud." + after, "pump is", "…" + strings.Repeat("lead ", 15) + "The PUMP is loud." + strings.Repeat(" tail", 29) + "…"},
		{"The pump." + after, "pump", "The pump." + strings.Repeat(" tail", 46) + "…"},
		{before + "the pump.", "pump", "…" + strings.Repeat("lead ", 46) + "the pump."},
		{strings.Repeat("水", 300) + "泵" + strings.Repeat("木", 300), "泵", "…" + strings.Repeat("水", 80) + "泵" + strings.Repeat("木", 159) + "…"},
		{strings.Repeat("İ", 300) + " pump " + strings.Repeat("x", 300), "pump", "…" + strings.Repeat("İ", 79) + " pump " + strings.Repeat("x", 155) + "…"},
		{before + "\xff pump" + after, "\ufffd pump", "…" + strings.Repeat("lead ", 15) + "\ufffd pump" + strings.Repeat(" tail", 30) + "…"},
	} {
		if got := excerpt(test.text, test.want); got != test.shown {
			t.Errorf("%q: got\n%q, want\n%q", test.want, got, test.shown)
		}
	}
	long := strings.Repeat("one two ", 100)
	if got := excerpt(long, folded(long)); utf8.RuneCountInString(got) != excerptMax+1 {
		t.Errorf("of words longer than an excerpt: %q", got)
	}
}
