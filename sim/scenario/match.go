package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"shelly/sim/strict"
)

// mismatch is the first place where a value is not as a matcher wants it.
type mismatch struct {
	pos  strict.Pos
	path string // of what was matched
	want string
	got  string
	text string // what is wrong where want and got do not say it
	diff string // of a golden
	hint string // what comes nearest, or how two lists or long texts differ (SCN-33)

	of    *Matcher // that does not match, and what; nil: explain has nothing to go by
	value value
}

// match returns nil where v is as m wants it (SCN-8). path names v.
func (m *Matcher) match(v value, path string) *mismatch {
	if v.kind == mapKind && v.main != "" && m.wantsMain() {
		v = v.get(v.main)
	}
	switch m.op {
	case opScalar, opLiteral:
		return m.check(v.equal(m.data), v, path)
	case opList:
		return m.matchList(v, path)
	case opMap:
		return m.matchMap(v, path)
	case opAny:
		return m.check(v.kind != absentKind, v, path)
	case opAbsent:
		return m.check(v.kind == absentKind || v.kind == nullKind, v, path)
	case opExact:
		return m.matchExact(v, path)
	case opContains:
		return m.matchContains(v, path)
	case opRegex:
		return m.check(v.kind == textKind && m.regex.MatchString(v.text), v, path)
	case opLen:
		return m.matchLen(v, path)
	case opOneOf:
		for i := range m.list {
			if m.list[i].match(v, path) == nil {
				return nil
			}
		}
		return m.check(false, v, path)
	case opAll:
		for i := range m.list {
			if wrong := m.list[i].match(v, path); wrong != nil {
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
func (m *Matcher) check(ok bool, v value, path string) *mismatch {
	if ok {
		return nil
	}
	return &mismatch{pos: m.pos, path: path, want: m.String(), got: v.String(), of: m, value: v}
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
		return m.data.kind != mapKind
	default:
		return false
	}
}

// matchList wants as many entries, each as its matcher has it.
func (m *Matcher) matchList(v value, path string) *mismatch {
	if v.kind != listKind {
		return m.check(false, v, path)
	}
	if len(m.list) != len(v.list) {
		wrong := m.check(false, v, path)
		wrong.text = fmt.Sprintf("wants %s, got %s", entries(len(m.list)), entries(len(v.list)))
		return wrong
	}
	for i := range m.list {
		if wrong := m.list[i].match(v.list[i], strict.Element(path, i)); wrong != nil {
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
func (m *Matcher) matchMap(v value, path string) *mismatch {
	if v.kind != mapKind {
		return m.check(false, v, path)
	}
	for i := range m.members {
		want := &m.members[i]
		if wrong := want.matcher.match(v.get(want.key), strict.Member(path, want.key)); wrong != nil {
			return wrong
		}
	}
	return nil
}

// matchExact is as its matcher, but maps have no other members.
func (m *Matcher) matchExact(v value, path string) *mismatch {
	if other := m.list[0].surplus(v); other != "" {
		wrong := m.check(false, v, path)
		wrong.text = "has the key " + other + " too"
		return wrong
	}
	return m.list[0].match(v, path)
}

// surplus returns a key that v has and m, exactly taken, does not.
func (m *Matcher) surplus(v value) string {
	switch m.op {
	case opMap:
		for _, have := range v.members {
			i := m.index(have.key)
			if i < 0 {
				return have.key
			}
			if other := m.members[i].matcher.surplus(have.value); other != "" {
				return other
			}
		}
	case opList:
		for i := range min(len(m.list), len(v.list)) {
			if other := m.list[i].surplus(v.list[i]); other != "" {
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
func (m *Matcher) matchContains(v value, path string) *mismatch {
	inner := &m.list[0]
	switch v.kind {
	case textKind:
		return m.check(inner.data.kind == textKind && strings.Contains(v.text, inner.data.text), v, path)
	case listKind:
		for i := range v.list {
			if inner.match(v.list[i], path) == nil {
				return nil
			}
		}
	}
	return m.check(false, v, path)
}

// matchLen is the number of characters, entries or members.
func (m *Matcher) matchLen(v value, path string) *mismatch {
	n := 0
	switch v.kind {
	case textKind:
		n = utf8.RuneCountInString(v.text)
	case listKind:
		n = len(v.list)
	case mapKind:
		n = len(v.members)
	default:
		return m.check(false, v, path)
	}
	wrong := m.list[0].match(intValue(n), path)
	if wrong != nil {
		wrong = m.check(false, v, path)
		wrong.text = "its length is " + strconv.Itoa(n)
	}
	return wrong
}

// matchUnordered wants each entry once, in any order.
func (m *Matcher) matchUnordered(v value, path string) *mismatch {
	if v.kind != listKind {
		return m.check(false, v, path)
	}
	if len(m.list) != len(v.list) {
		wrong := m.check(false, v, path)
		wrong.text = fmt.Sprintf("wants %s, got %s", entries(len(m.list)), entries(len(v.list)))
		return wrong
	}
	taker := make([]int, len(v.list)) // the matcher, from 1, that has the entry
	for i := range m.list {
		if !m.assign(i, v.list, taker, make([]bool, len(v.list))) {
			wrong := m.check(false, v, path)
			wrong.pos, wrong.want, wrong.text = m.list[i].pos, m.list[i].String(), "no entry is left that matches"
			return wrong
		}
	}
	return nil
}

// assign gives matcher i an entry, moving other matchers to entries that also
// fit them (an augmenting path of a bipartite matching).
func (m *Matcher) assign(i int, list []value, taker []int, tried []bool) bool {
	for e := range list {
		if tried[e] || m.list[i].match(list[e], "") != nil {
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
