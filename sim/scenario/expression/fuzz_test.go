package expression

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Any expression is refused with a place in it and words, or it gives one verdict on
// each state, within its limits (SCN-31).
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"active <= limits.max_active", "now == duration('40s')", "all(handles, .state == 'cognition')", "any(handles, # > 1)", "tools.exec == 1", "tools['none'] == 0",
		"find(handles, .id == 7)?.state == nil", "len(filter(map(handles, .age), # > 1)) == 0", "let n = asked; n > requests", "handles[9].id == 1", "handles[-1].id == 1",
		"now / 0 == 1", "now % step == 0", "now ** 9 > 1", "input matches '^b'", "input in effects", "first(sort(uniq(map(effects, upper(#))))) == 'X'", "1..3 == effects",
		"", "active <", "a b", "'", "duration('5 s') > 1", "lifecycle == 'servin'", "$env", "{", "((((((", "not not not true", "step == 9223372036854775807 + 1",
		"reduce(1..9, #acc + #, 0) > 3", "repeat('a', 9) == 'b'", "now() > 1", "date('x') > 1", "toJSON(handles) == ''", "ä == 1", "active\n<\n1 and x",
	} {
		f.Add(text)
	}
	states := []State{{}, {Now: 40_000, Step: 3, Effects: []string{"reply"}, Handles: []handleState{{ID: 1, State: "cognition", Age: 5}}, Active: 1, Starts: map[string]int{"exec": 1}}}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > expressionBytesMax {
			t.Skip("the reader refuses it")
		}
		var e, again Expression
		wrong, second := e.compile(text), again.compile(text)
		if (wrong == nil) != (second == nil) || wrong != nil && *wrong != *second {
			t.Fatalf("%q: %+v, then %+v", text, wrong, second)
		}
		if wrong != nil {
			if wrong.text == "" || wrong.line < 1 || wrong.line > strings.Count(text, "\n")+1 || wrong.col < 0 || wrong.col > utf8.RuneCountInString(text) {
				t.Errorf("%q: got %+v; want a text, and a line and a column within it", text, wrong)
			}
			return
		}
		for _, s := range states {
			one, two := Evaluation{Of: &e}, Evaluation{Of: &e}
			first, other := s, s
			one.Step(&first)
			two.Step(&other)
			a, b := one.Verdicts[0], two.Verdicts[0]
			if a.Holds != b.Holds || (a.Err == nil) != (b.Err == nil) || a.Err != nil && (a.Err.Error() != b.Err.Error() || a.Holds) {
				t.Errorf("%q: %+v, then %+v", text, a, b)
			}
			if e.Values(&first) != e.Values(&other) {
				t.Errorf("%q: values %s, then %s", text, e.Values(&first), e.Values(&other))
			}
		}
	})
}
