package match

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Mismatch is the first place where a value is not as a matcher wants it.
type Mismatch struct {
	Pos  strict.Pos
	Path string // of what was matched
	Want string
	Got  string
	Text string // what is wrong where want and got do not say it
	Diff string // of a golden
	Hint string // what comes nearest, or how two lists or long texts differ (SCN-33)

	of    *Matcher // that does not match, and what; nil: explain has nothing to go by
	value data.Value
}

// Match returns nil where v is as m wants it (SCN-8). path names v.
func (m *Matcher) Match(v data.Value, path string) *Mismatch {
	if v.Kind == data.MapKind && v.Main != "" && m.wantsMain() {
		v = v.Get(v.Main)
	}
	switch m.op {
	case opScalar, opLiteral:
		return m.check(v.Equal(m.data), v, path)
	case opList:
		return m.matchList(v, path)
	case opMap:
		return m.matchMap(v, path)
	case opAny:
		return m.check(v.Kind != data.AbsentKind, v, path)
	case opAbsent:
		return m.check(v.Kind == data.AbsentKind || v.Kind == data.NullKind, v, path)
	case opExact:
		return m.matchExact(v, path)
	case opContains:
		return m.matchContains(v, path)
	case opRegex:
		return m.check(v.Kind == data.TextKind && m.regex.MatchString(v.Text), v, path)
	case opLen:
		return m.matchLen(v, path)
	case opOneOf:
		for i := range m.list {
			if m.list[i].Match(v, path) == nil {
				return nil
			}
		}
		return m.check(false, v, path)
	case opAll:
		for i := range m.list {
			if wrong := m.list[i].Match(v, path); wrong != nil {
				return wrong
			}
		}
		return nil
	case opUnordered:
		return m.matchUnordered(v, path)
	default:
		return m.check(m.compares(v), v, path)
	}
}

// check is nil, or the mismatch of the whole matcher.
func (m *Matcher) check(ok bool, v data.Value, path string) *Mismatch {
	if ok {
		return nil
	}
	return &Mismatch{Pos: m.pos, Path: path, Want: m.String(), Got: v.String(), of: m, value: v}
}

// wantsMain reports whether the matcher is for a text, so that a map that has a
// main member is matched by that. Those that gather others leave it to them.
func (m *Matcher) wantsMain() bool {
	switch m.op {
	case opScalar, opContains, opRegex, opGt, opGte, opLt, opLte, opLen:
		return true
	case opExact:
		return m.list[0].op == opScalar
	case opLiteral:
		return m.data.Kind != data.MapKind
	default:
		return false
	}
}

// sameLength wants a list of as many entries as there are matchers.
func (m *Matcher) sameLength(v data.Value, path string) *Mismatch {
	if v.Kind != data.ListKind {
		return m.check(false, v, path)
	}
	if len(m.list) == len(v.List) {
		return nil
	}
	wrong := m.check(false, v, path)
	wrong.Text = fmt.Sprintf("wants %s, got %s", entries(len(m.list)), entries(len(v.List)))
	return wrong
}

// matchList wants as many entries, each as its matcher has it.
func (m *Matcher) matchList(v data.Value, path string) *Mismatch {
	if wrong := m.sameLength(v, path); wrong != nil {
		return wrong
	}
	for i := range m.list {
		if wrong := m.list[i].Match(v.List[i], strict.Element(path, i)); wrong != nil {
			return wrong
		}
	}
	return nil
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

// matchMap wants each member that it names; there may be others.
func (m *Matcher) matchMap(v data.Value, path string) *Mismatch {
	if v.Kind != data.MapKind {
		return m.check(false, v, path)
	}
	for i := range m.members {
		want := &m.members[i]
		if wrong := want.matcher.Match(v.Get(want.key), strict.Member(path, want.key)); wrong != nil {
			return wrong
		}
	}
	return nil
}

// matchExact is as its matcher, but maps have no other members.
func (m *Matcher) matchExact(v data.Value, path string) *Mismatch {
	if other := m.list[0].surplus(v); other != "" {
		wrong := m.check(false, v, path)
		wrong.Text = "has the key " + other + " too"
		return wrong
	}
	return m.list[0].Match(v, path)
}

// surplus returns a key that v has and m, exactly taken, does not.
func (m *Matcher) surplus(v data.Value) string {
	switch m.op {
	case opMap:
		for _, have := range v.Members {
			i := m.index(have.Key)
			if i < 0 {
				return have.Key
			}
			if other := m.members[i].matcher.surplus(have.Value); other != "" {
				return other
			}
		}
	case opList:
		for i := range min(len(m.list), len(v.List)) {
			if other := m.list[i].surplus(v.List[i]); other != "" {
				return other
			}
		}
	}
	return ""
}

func (m *Matcher) index(key string) int {
	for i := range m.members {
		if m.members[i].key == key {
			return i
		}
	}
	return -1
}

// matchContains is a part of a text, or an entry of a list.
func (m *Matcher) matchContains(v data.Value, path string) *Mismatch {
	inner := &m.list[0]
	switch v.Kind {
	case data.TextKind:
		return m.check(inner.data.Kind == data.TextKind && strings.Contains(v.Text, inner.data.Text), v, path)
	case data.ListKind:
		for i := range v.List {
			if inner.Match(v.List[i], path) == nil {
				return nil
			}
		}
	}
	return m.check(false, v, path)
}

// matchLen is the number of characters, entries or members.
func (m *Matcher) matchLen(v data.Value, path string) *Mismatch {
	n := 0
	switch v.Kind {
	case data.TextKind:
		n = utf8.RuneCountInString(v.Text)
	case data.ListKind:
		n = len(v.List)
	case data.MapKind:
		n = len(v.Members)
	default:
		return m.check(false, v, path)
	}
	wrong := m.list[0].Match(data.Int(n), path)
	if wrong != nil {
		wrong = m.check(false, v, path)
		wrong.Text = "its length is " + strconv.Itoa(n)
	}
	return wrong
}

// matchUnordered wants each entry once, in any order.
func (m *Matcher) matchUnordered(v data.Value, path string) *Mismatch {
	if wrong := m.sameLength(v, path); wrong != nil {
		return wrong
	}
	taker := make([]int, len(v.List)) // the matcher, from 1, that has the entry
	for i := range m.list {
		if !m.assign(i, v.List, taker, make([]bool, len(v.List))) {
			wrong := m.check(false, v, path)
			wrong.Pos, wrong.Want, wrong.Text = m.list[i].pos, m.list[i].String(), "no entry is left that matches"
			return wrong
		}
	}
	return nil
}

// assign gives matcher i an entry, moving other matchers to entries that also
// fit them (an augmenting path of a bipartite matching).
func (m *Matcher) assign(i int, list []data.Value, taker []int, tried []bool) bool {
	for e := range list {
		if tried[e] || m.list[i].Match(list[e], "") != nil {
			continue
		}
		tried[e] = true
		if taker[e] == 0 || m.assign(taker[e]-1, list, taker, tried) {
			taker[e] = i + 1
			return true
		}
	}
	return false
}

// compares reports whether the matcher's comparison holds for a value. A number is
// compared with a number, a duration with a duration, a time with a time.
func (m *Matcher) compares(v data.Value) bool {
	c, ok := 0, false
	switch {
	case v.Kind != m.data.Kind:
	case v.Kind == data.NumberKind:
		c, ok = data.CompareNumbers(v.Text, m.data.Text), true
	case v.Kind == data.TextKind:
		c, ok = data.CompareMeasures(v.Text, m.data.Text)
	}
	switch {
	case !ok:
		return false
	case m.op == opGt:
		return c > 0
	case m.op == opGte:
		return c >= 0
	case m.op == opLt:
		return c < 0
	default:
		return c <= 0
	}
}
