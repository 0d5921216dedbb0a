package scenario

import (
	"strings"
	"testing"
	"unicode/utf8"

	"shelly/sim/strict"
)

// readFrom reads a matcher, or returns false where it is none.
func (m *Matcher) readFrom(t *testing.T, source string) bool {
	root, problem := rootOf([]byte("m: "+source), "a map", "")
	if problem != nil || len(root.Content) < 2 {
		return false
	}
	d := &strict.Decoder{Where: map[string]strict.Pos{}}
	*m = innerMatcher(d, root.Content[1], "m")
	for _, p := range d.Problems {
		if p.Text == "" || p.Pos.Line < 1 {
			t.Errorf("a problem without words or place: %+v", p)
		}
	}
	return len(d.Problems) == 0
}

// Any matcher says the same of any value each time, in words where it does not match,
// and matchers that gather it agree with it (SCN-8).
func FuzzMatcher(f *testing.F) {
	for _, m := range []string{
		"a", "1", "1.0", "true", "[a, b]", "[]", "{a: 1}", "{a: [{b: {$any: true}}]}", "{$any: true}", "{$absent: true}", "{$exact: {a: {b: 1}}}", "{$contains: a}",
		"{$contains: {a: 1}}", `{$regex: "^(a+)+$"}`, "{$one_of: [a, {$len: 1}]}", "{$gt: 1}", "{$gte: 5s}", "{$lt: 2026-01-05T09:00:00Z}", "{$len: {$lt: 3}}",
		"{$all: [{$contains: a}, {$len: 2}]}", "{$unordered: [{$any: true}, a]}", "{$literal: {$any: [1, null]}}", "{a: {$absent: true}}", "{$len: {$len: 1}}",
	} {
		for _, v := range []string{`"a"`, `["b", "a"]`, `{"a": 1, "text": "ab"}`, `{"a": {"b": 1.5e3, "c": null}}`, `"5s"`, `{"a": {"b": 1, "b": null}}`} {
			f.Add(m, v, "text")
		}
	}
	f.Fuzz(func(t *testing.T, source, data, main string) {
		v, err := valueOfJSON(data)
		if err != nil {
			t.Skip("no value")
		}
		if v.kind == mapKind && v.get(main).kind == textKind {
			v.main = main
		}
		if same := (&Matcher{op: opLiteral, data: v}).match(value{kind: v.kind, text: v.text, list: v.list, members: v.members}, "x"); same != nil {
			t.Fatalf("%s is not as itself: %+v", data, same)
		}
		var m Matcher
		if !m.readFrom(t, source) {
			return
		}
		wrong := m.match(v, "x")
		for name, other := range map[string]Matcher{ // order-free: each is checked for itself
			"the same":   m,
			"one of":     {op: opOneOf, list: []Matcher{m}},
			"all":        {op: opAll, list: []Matcher{m}},
			"all, twice": {op: opAll, list: []Matcher{m, m}},
		} {
			if again := other.match(v, "x"); (again == nil) != (wrong == nil) {
				t.Errorf("%s: %s on %s matches: %t, and by itself %t", name, &m, v, again == nil, wrong == nil)
			}
		}
		if wrong == nil {
			return
		}
		shown := wrong.path + wrong.want + wrong.got + wrong.text
		if wrong.want == "" || wrong.got == "" || !strings.HasPrefix(wrong.path, "x") || utf8.ValidString(source+data) && !utf8.ValidString(shown) {
			t.Errorf("the mismatch is %+v", *wrong)
		}
	})
}

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
	states := []state{{}, {Now: 40_000, Step: 3, Effects: []string{"reply"}, Handles: []handleState{{ID: 1, State: "cognition", Age: 5}}, Active: 1, Starts: map[string]int{"exec": 1}}}
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
				t.Errorf("%q: %+v", text, wrong)
			}
			return
		}
		for _, s := range states {
			one, two := evaluation{of: &e}, evaluation{of: &e}
			first, other := s, s
			one.step(&first)
			two.step(&other)
			a, b := one.verdicts[0], two.verdicts[0]
			if a.holds != b.holds || (a.err == nil) != (b.err == nil) || a.err != nil && (a.err.Error() != b.err.Error() || a.holds) {
				t.Errorf("%q: %+v, then %+v", text, a, b)
			}
			if e.values(&first) != e.values(&other) {
				t.Errorf("%q: values %s, then %s", text, e.values(&first), e.values(&other))
			}
		}
	})
}
