package match

import (
	"strings"
	"testing"
	"unicode/utf8"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// readFrom reads a matcher, or returns false where it is none.
func (m *Matcher) readFrom(t *testing.T, source string) bool {
	root, problem := strict.Parse([]byte("m: "+source), "a map", "")
	if problem != nil || root == nil || len(root.Content) < 2 {
		return false
	}
	d := &strict.Decoder{Where: map[string]strict.Pos{}}
	*m = Read(d, root.Content[1], "m")
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
	f.Fuzz(func(t *testing.T, source, json, main string) {
		v, err := data.OfJSON(json)
		if err != nil {
			t.Skip("no value")
		}
		if v.Kind == data.MapKind && v.Get(main).Kind == data.TextKind {
			v.Main = main
		}
		if same := (&Matcher{op: opLiteral, data: v}).Match(data.Value{Kind: v.Kind, Text: v.Text, List: v.List, Members: v.Members}, "x"); same != nil {
			t.Fatalf("%s is not as itself: %+v", json, same)
		}
		var m Matcher
		if !m.readFrom(t, source) {
			return
		}
		wrong := m.Match(v, "x")
		for at, text := range m.Texts() {
			if has := at.In(v); wrong == nil && v.Kind == data.MapKind && (has.Kind != data.TextKind || has.Text != text) {
				t.Fatalf("%s matches %s, which has %s at %v and not %q", source, json, has, at, text)
			}
		}
		for name, other := range map[string]Matcher{ // order-free: each is checked for itself
			"the same":   m,
			"one of":     {op: opOneOf, list: []Matcher{m}},
			"all":        {op: opAll, list: []Matcher{m}},
			"all, twice": {op: opAll, list: []Matcher{m, m}},
		} {
			if again := other.Match(v, "x"); (again == nil) != (wrong == nil) {
				t.Errorf("%s: %s on %s matches: %t, and by itself %t", name, &m, v, again == nil, wrong == nil)
			}
		}
		if wrong == nil {
			return
		}
		shown := wrong.Path + wrong.Want + wrong.Got + wrong.Text
		if wrong.Want == "" || wrong.Got == "" || !strings.HasPrefix(wrong.Path, "x") || utf8.ValidString(source+json) && !utf8.ValidString(shown) {
			t.Errorf("the mismatch is %+v", *wrong)
		}
	})
}
