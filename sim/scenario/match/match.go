package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"shelly/fsm/wording"
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
	among data.Value // the map that lacks the value by a key
	key   string
}

// Match returns nil where v is as m wants it (SCN-8). path names v.
func (m *Matcher) Match(v data.Value, path string) *Mismatch {
	if m.Fits(v) {
		return nil
	}
	wrong := &Mismatch{}
	m.match(v, path, wrong)
	return wrong
}

// Fits is Match for who only wants to know whether: nothing is worded.
func (m *Matcher) Fits(v data.Value) bool { return m.match(v, "", nil) }

// match reports whether v is as m wants it, and notes in wrong what differs; if wrong is
// nil, nothing is noted and path does not matter.
func (m *Matcher) match(v data.Value, path string, wrong *Mismatch) bool {
	if v.Kind == data.MapKind && v.Main != "" && m.wantsMain() {
		v = v.Get(v.Main)
	}
	switch m.op {
	case opScalar, opLiteral:
		return m.check(v.Equal(m.data), v, path, wrong)
	case opList:
		return m.matchList(v, path, wrong)
	case opMap:
		return m.matchMap(v, path, wrong)
	case opAny:
		return m.check(v.Kind != data.AbsentKind, v, path, wrong)
	case opAbsent:
		return m.check(v.Kind == data.AbsentKind || v.Kind == data.NullKind, v, path, wrong)
	case opExact:
		return m.list[0].match(v, path, wrong)
	case opContains:
		return m.matchContains(v, path, wrong)
	case opRegex:
		return m.check(v.Kind == data.TextKind && m.regex.MatchString(v.Text), v, path, wrong)
	case opLen:
		return m.matchLen(v, path, wrong)
	case opOneOf:
		for i := range m.list {
			if m.list[i].Fits(v) {
				return true
			}
		}
		return m.check(false, v, path, wrong)
	case opAll:
		for i := range m.list {
			if !m.list[i].match(v, path, wrong) {
				return false
			}
		}
		return true
	case opUnordered:
		return m.matchUnordered(v, path, wrong)
	default:
		return m.check(m.compares(v), v, path, wrong)
	}
}

// check returns ok, and where it does not hold tells the mismatch of the whole matcher.
func (m *Matcher) check(ok bool, v data.Value, path string, wrong *Mismatch) bool {
	if !ok && wrong != nil {
		*wrong = Mismatch{Pos: m.pos, Path: path, Want: m.String(), Got: v.String(), of: m, value: v}
	}
	return ok
}

// says is a mismatch of the whole matcher, with what is wrong in words.
func (m *Matcher) says(v data.Value, path string, wrong *Mismatch, text func() string) bool {
	if m.check(false, v, path, wrong); wrong != nil {
		wrong.Text = text()
	}
	return false
}

// wantsMain reports whether the matcher is for a text, so that a map that has a
// main member is matched by that. Those that gather others leave it to them.
func (m *Matcher) wantsMain() bool {
	switch m.op {
	case opScalar, opContains, opRegex, opGt, opGte, opLt, opLte, opLen:
		return true
	case opLiteral:
		return m.data.Kind != data.MapKind
	default:
		return false
	}
}

// sameLength wants a list of as many entries as there are matchers.
func (m *Matcher) sameLength(v data.Value, path string, wrong *Mismatch) bool {
	if v.Kind != data.ListKind {
		return m.check(false, v, path, wrong)
	}
	return len(m.list) == len(v.List) || m.says(v, path, wrong, func() string {
		return fmt.Sprintf("wants %s, got %s", entries(len(m.list)), entries(len(v.List)))
	})
}

// matchList wants as many entries, each as its matcher has it.
func (m *Matcher) matchList(v data.Value, path string, wrong *Mismatch) bool {
	if !m.sameLength(v, path, wrong) {
		return false
	}
	for i := range m.list {
		at := ""
		if wrong != nil {
			at = strict.Element(path, i)
		}
		if !m.list[i].match(v.List[i], at, wrong) {
			return false
		}
	}
	return true
}

func entries(n int) string { return wording.Counted(n, "entry", "entries") }

// matchMap wants each member that it names; there may be others, unless it is exact.
func (m *Matcher) matchMap(v data.Value, path string, wrong *Mismatch) bool {
	if v.Kind != data.MapKind {
		return m.check(false, v, path, wrong)
	}
	if other := m.surplus(v); other != "" {
		return m.says(v, path, wrong, func() string { return "has the key " + other + " too" })
	}
	for i := range m.members {
		want, at := &m.members[i], ""
		if wrong != nil {
			at = strict.Member(path, want.key)
		}
		if got := v.Get(want.key); !want.matcher.match(got, at, wrong) {
			if wrong != nil && got.Kind == data.AbsentKind {
				wrong.among, wrong.key = v, want.key
			}
			return false
		}
	}
	return true
}

// surplus returns a key that a map has and an exact matcher does not name.
func (m *Matcher) surplus(v data.Value) string {
	for i := range v.Members {
		if key := v.Members[i].Key; m.exact && m.index(key) < 0 {
			return key
		}
	}
	return ""
}

func (m *Matcher) index(key string) int {
	return slices.IndexFunc(m.members, func(o memberMatcher) bool { return o.key == key })
}

// matchContains is a part of a text, or an entry of a list.
func (m *Matcher) matchContains(v data.Value, path string, wrong *Mismatch) bool {
	inner := &m.list[0]
	switch v.Kind {
	case data.TextKind:
		part, is := inner.Text()
		return m.check(is && strings.Contains(v.Text, part), v, path, wrong)
	case data.ListKind:
		return m.check(slices.ContainsFunc(v.List, inner.Fits), v, path, wrong)
	}
	return m.check(false, v, path, wrong)
}

// matchLen is the number of characters, entries or members.
func (m *Matcher) matchLen(v data.Value, path string, wrong *Mismatch) bool {
	n := 0
	switch v.Kind {
	case data.TextKind:
		n = utf8.RuneCountInString(v.Text)
	case data.ListKind:
		n = len(v.List)
	case data.MapKind:
		n = len(v.Members)
	default:
		return m.check(false, v, path, wrong)
	}
	return m.list[0].Fits(data.Int(n)) || m.says(v, path, wrong, func() string { return "its length is " + strconv.Itoa(n) })
}

// matchUnordered wants each entry once, in any order.
func (m *Matcher) matchUnordered(v data.Value, path string, wrong *Mismatch) bool {
	if !m.sameLength(v, path, wrong) {
		return false
	}
	taker := make([]int, len(v.List)) // the matcher, from 1, that has the entry
	for i := range m.list {
		if m.assign(i, v.List, taker, make([]bool, len(v.List))) {
			continue
		}
		m.says(v, path, wrong, func() string { return "no entry is left that matches" })
		if wrong != nil {
			wrong.Pos, wrong.Want = m.list[i].pos, m.list[i].String()
		}
		return false
	}
	return true
}

// assign gives matcher i an entry, moving other matchers to entries that also
// fit them (an augmenting path of a bipartite matching).
func (m *Matcher) assign(i int, list []data.Value, taker []int, tried []bool) bool {
	for e := range list {
		if tried[e] || !m.list[i].Fits(list[e]) {
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
