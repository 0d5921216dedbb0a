package match

import (
	"cmp"
	"maps"
	"slices"

	"shelly/sim/strict"
)

// Shape is what a matcher can be for: a map of the keys, and what each is for. One
// without keys is a scalar or a list of them, nil is data of any kind. The key * stands for
// names that the file chooses.
type Shape map[string]Key

// Key is what a key is for.
type Key struct {
	Shape Shape
	Means string   // for whoever writes a file
	Words []string // of which alone its texts are; nil: any
	Word  string   // what such a text is called, such as state; empty: as the key
}

// Keys are the keys of the shape, in order.
func (s Shape) Keys() []string { return slices.Sorted(maps.Keys(s)) }

// Foreign is a key of a matcher that its shape does not have, or a text that is none of its
// words.
type Foreign struct {
	Pos     strict.Pos
	Key     string
	Word    string // the text; empty: it is the key that is foreign
	Allowed []string
}

// Foreign returns the keys that nothing of a shape has, and the texts that none is: what they
// ask for is never there, so that {$absent: true} always holds and anything else never does.
// name is the key that the matcher is for.
func (m *Matcher) Foreign(name string, of Key) []Foreign {
	list := m.otherWords(cmp.Or(of.Word, name), of.Words)
	if of.Shape == nil {
		return list
	}
	for i := range m.list {
		list = append(list, m.list[i].Foreign(name, Key{Shape: of.Shape})...)
	}
	for i := range m.members {
		member := &m.members[i]
		inner, known := of.Shape[member.key]
		if !known {
			inner, known = of.Shape["*"]
		}
		if !known {
			list = append(list, Foreign{Pos: member.matcher.pos, Key: member.key, Allowed: of.Shape.Keys()})
			continue
		}
		list = append(list, member.matcher.Foreign(member.key, inner)...)
	}
	return list
}

// otherWords are the texts to the letter, in lists and operators too, that are none of some words.
func (m *Matcher) otherWords(name string, words []string) (list []Foreign) {
	switch text, is := m.Text(); {
	case words == nil:
	case is && !slices.Contains(words, text):
		list = append(list, Foreign{Pos: m.pos, Key: name, Word: text, Allowed: words})
	case m.op == opList, m.op == opExact, m.op == opOneOf, m.op == opAll, m.op == opUnordered:
		for i := range m.list {
			list = append(list, m.list[i].otherWords(name, words)...)
		}
	}
	return list
}
