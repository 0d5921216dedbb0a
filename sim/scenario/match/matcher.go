// Package match says what a value must be like (SCN-8), and of one that is not, where it
// differs and what comes nearest (SCN-33).
package match

import (
	"regexp"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// op is what a matcher does with a value.
type op string

const (
	opScalar    op = ""  // the same scalar
	opList      op = "[" // the same entries
	opMap       op = "{" // these members
	opAny       op = "$any"
	opAbsent    op = "$absent"
	opExact     op = "$exact"
	opContains  op = "$contains"
	opRegex     op = "$regex"
	opOneOf     op = "$one_of"
	opGt        op = "$gt"
	opGte       op = "$gte"
	opLt        op = "$lt"
	opLte       op = "$lte"
	opLen       op = "$len"
	opAll       op = "$all"
	opUnordered op = "$unordered"
	opLiteral   op = "$literal"
)

// MatcherNames are the operators of matchers.
func MatcherNames() []string {
	list := []op{
		opAny, opAbsent, opExact, opContains, opRegex, opOneOf, opGt, opGte, opLt, opLte,
		opLen, opAll, opUnordered, opLiteral,
	}
	words := make([]string, len(list))
	for i, o := range list {
		words[i] = string(o)
	}
	return words
}

// Matcher is what a value must be like (SCN-8): a scalar or a list exactly, a map by the
// members it names, or one of
//
//	{$any: true}           there is one
//	{$absent: true}        there is none
//	{$exact: …}            as it stands, maps without other members
//	{$contains: …}         a part of a text, or an entry of a list
//	{$regex: …}            a regular expression (RE2) that fits somewhere in a text
//	{$one_of: [ … ]}       as one of these
//	{$gt: 1} $gte $lt $lte  a number, a duration (5s) or a time compared
//	{$len: …}              how many characters, entries or members
//	{$all: [ … ]}          as each of these
//	{$unordered: [ … ]}    a list with these entries in any order
//	{$literal: …}          exactly this data, in which $ means nothing
//
// Where what is matched is a map that has a text as its main part, such as a
// reply, a matcher on a text is for that text.
type Matcher struct {
	pos     strict.Pos
	op      op
	data    data.Value // of a scalar, a literal and a comparison
	regex   *regexp.Regexp
	list    []Matcher // of a list and of what gathers others; one for $exact, $contains and $len
	members []memberMatcher
	exact   bool // of a map: it has no other members
}

type memberMatcher struct {
	key     string
	pos     strict.Pos // of the key
	matcher Matcher
}

func (m *Matcher) Read(d *strict.Decoder, n *strict.Node, path string) {
	m.pos = d.Entered
	switch n.Kind {
	case strict.MapKind:
		m.readMap(d, n, path)
	case strict.ListKind:
		m.op = opList
		m.readList(d, n, path)
	default:
		if n.Kind == strict.NullKind {
			d.Add(n, path, "has no value; {$absent: true} expects that there is none")
			return
		}
		m.data, _ = data.ReadScalar(d, n, path)
		if m.data.Kind == data.TextKind && slices.Contains(MatcherNames(), m.data.Text) {
			d.Add(n, path, "is the text "+m.data.Text+", not the matcher; write {"+m.data.Text+": …}, or {$literal: "+m.data.Text+"} for the text")
		}
	}
}

// inner reads a matcher within this one.
func Read(d *strict.Decoder, n *strict.Node, path string) Matcher {
	m := Matcher{pos: n.Pos}
	if n = d.Enter(n, path); n != nil {
		m.Read(d, n, path)
		d.Leave()
	}
	return m
}

func (m *Matcher) readList(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.ListKind {
		d.Add(n, path, "wants a list, found "+n.String())
		return
	}
	m.list = make([]Matcher, len(n.Content))
	d.Items(n, path, func(i int, item *strict.Node, at string) { m.list[i] = Read(d, item, at) })
}

// readMap reads members, or the one $-key that makes a matcher.
func (m *Matcher) readMap(d *strict.Decoder, n *strict.Node, path string) {
	m.op = opMap
	if len(n.Content) == 0 {
		d.Add(n, path, "is empty and so says nothing; {$any: true} is for whatever there is, {$len: 0} for nothing in it")
		return
	}
	d.Members(n, path, func(key, item *strict.Node, at string) {
		switch {
		case !strings.HasPrefix(key.Value, "$"):
			m.members = append(m.members, memberMatcher{key.Value, key.Pos, Read(d, item, at)})
		case len(n.Content) > 2:
			d.Add(key, at, "a matcher is a map with one key; {$all: [ … ]} joins several")
		default:
			m.readOp(d, key, item, at)
		}
	})
}

// exactly lets the maps have no other members, wherever they stand within the matcher.
func (m *Matcher) exactly() {
	m.exact = true
	for _, inner := range m.Inner() {
		inner.exactly()
	}
}

func (m *Matcher) readOp(d *strict.Decoder, key, n *strict.Node, path string) {
	m.op = op(key.Value)
	switch m.op {
	case opAny, opAbsent, opRegex, opOneOf, opAll, opUnordered, opGt, opGte, opLt, opLte: // the others enter n themselves
		if n = d.Enter(n, path); n == nil {
			return
		}
		defer d.Leave()
	}
	switch m.op {
	case opAny, opAbsent:
		if !n.Scalar() || n.Value != "true" {
			d.Add(n, path, "wants true, not "+n.String())
		}
	case opExact:
		known := len(d.Problems)
		m.list = []Matcher{Read(d, n, path)}
		if m.exactly(); len(d.Problems) == known {
			m.checkExact(d, path)
		}
	case opContains:
		m.list = []Matcher{Read(d, n, path)}
	case opLen:
		known := len(d.Problems)
		m.list = []Matcher{Read(d, n, path)}
		if len(d.Problems) == known && len(m.list[0].Foreign("", Key{Shape: Shape{}, Sort: Counts})) > 0 {
			d.Add(n, path, "nothing has the length "+m.list[0].String()+"; give a whole number from 0 on, or a matcher of such numbers")
		}
	case opRegex:
		m.readRegex(d, n, path)
	case opOneOf, opAll, opUnordered:
		known := len(d.Problems)
		m.readList(d, n, path)
		if m.list != nil && len(m.list) == 0 {
			d.Add(n, path, "the list is empty")
		}
		if len(d.Problems) == known && m.op == opAll {
			m.checkAll(d, n.Pos, path)
		}
	case opGt, opGte, opLt, opLte:
		m.readBound(d, n, path)
	case opLiteral:
		m.data, _ = data.Read(d, n, path)
	default:
		d.Add(key, path, Unknown(key.Value))
	}
}

// checkAll wants matchers that one value can match.
func (m *Matcher) checkAll(d *strict.Decoder, pos strict.Pos, path string) {
	if one, other := apart(m.list); one != nil {
		d.Problems = append(d.Problems, strict.Problem{Pos: pos, Path: path, Text: "nothing is both " + one.String() + " and " + other.String() + "; {$one_of: [ … ]} is for one or the other"})
	}
}

// checkExact wants the same of those within $exact, whose maps have no other members.
func (m *Matcher) checkExact(d *strict.Decoder, path string) {
	for _, inner := range m.Inner() {
		if inner.op == opAll {
			inner.checkAll(d, inner.pos, path)
		}
		inner.checkExact(d, path)
	}
}

// readBound reads what a number, a duration or a time is compared with (SCN-34).
func (m *Matcher) readBound(d *strict.Decoder, n *strict.Node, path string) {
	if n.Scalar() {
		read := false
		if m.data, read = data.ReadScalar(d, n, path); !read {
			return
		}
	}
	_, of := data.Measured(m.data.Text)
	if m.data.Kind != data.NumberKind && (m.data.Kind != data.TextKind || of == data.NoMeasure) {
		d.Add(n, path, "wants a number, a duration such as 5s or a time such as \"2026-01-05T09:00:00Z\", not "+n.String()+wording.Days(n.Value))
	}
}

func (m *Matcher) readRegex(d *strict.Decoder, n *strict.Node, path string) {
	text, ok := d.Text(n, path)
	if !ok {
		return
	}
	regex, err := regexp.Compile(text)
	if err != nil {
		d.Add(n, path, wording.Regexp(err))
		return
	}
	m.data, m.regex = data.Text(text), regex
}

// String is the matcher as the file has it, on one line.
func (m *Matcher) String() string {
	switch m.op {
	case opScalar:
		return m.data.String()
	case opList:
		return "[" + joined(m.list) + "]"
	case opMap:
		parts := make([]string, len(m.members))
		for i := range m.members {
			parts[i] = wording.Word(m.members[i].key) + ": " + m.members[i].matcher.String()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "{" + string(m.op) + ": " + m.operand() + "}"
}

func (m *Matcher) operand() string {
	switch m.op {
	case opAny, opAbsent:
		return "true"
	case opExact, opContains, opLen:
		return m.list[0].String()
	case opOneOf, opAll, opUnordered:
		return "[" + joined(m.list) + "]"
	default:
		return m.data.String()
	}
}

func joined(list []Matcher) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = list[i].String()
	}
	return strings.Join(parts, ", ")
}
