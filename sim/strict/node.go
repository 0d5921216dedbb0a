package strict

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"shelly/fsm/wording"
)

// Kind is what a node is.
type Kind int

// The kinds of nodes.
const (
	NullKind Kind = iota
	BoolKind
	IntKind
	FloatKind
	TimeKind
	TextKind
	ListKind
	MapKind
	AliasKind
	mergeKind // the key <<
)

// Style is how a node is written. What is read has one of them.
type Style int

// The styles of nodes.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal // |
	Folded  // >
	Flow    // of a map or list: on one line
)

// Node is a value of a file, as the file has it. Nodes that were read are shared and not
// changed.
type Node struct {
	Pos
	Kind    Kind
	Style   Style
	Value   string  // of a scalar, as it is written
	Tag     string  // one that the file gives; it is not allowed for
	Content []*Node // of a list; of a map the keys and values in turn
	Alias   *Node   // what an alias stands for

	Filled bool // its variables are put in, or it is taken as it stands

	Above, Beside string // comments, for [Write]; those of a file are not read
}

// Scalar reports whether a node is neither a map nor a list.
func (n *Node) Scalar() bool { return n.Kind <= TextKind }

// Quoted reports whether a text stands in quotes.
func (n *Node) Quoted() bool { return n.Style == SingleQuoted || n.Style == DoubleQuoted }

// Follow returns what an alias stands for, and any other node itself.
func (n *Node) Follow() *Node {
	for n.Kind == AliasKind && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// Get returns the value of a key of a map, the first where there are two, or nil.
func (n *Node) Get(key string) *Node {
	if i := n.Index(key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// Index is the place of a key in the content of a map, or -1.
func (n *Node) Index(key string) int {
	if n.Kind != MapKind {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Scalar() && k.Value == key {
			return i
		}
	}
	return -1
}

// Has reports whether a node is a map with one of the keys.
func (n *Node) Has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return n.Index(key) >= 0 })
}

// Bare is the node with its aliases written out, and without places.
func (n *Node) Bare() *Node {
	n = n.Follow()
	out := &Node{Kind: n.Kind, Style: n.Style, Value: n.Value}
	for _, inner := range n.Content {
		out.Content = append(out.Content, inner.Bare())
	}
	return out
}

// String names a node for an error.
func (n *Node) String() string {
	switch n.Kind {
	case MapKind:
		return "a map"
	case ListKind:
		return "a list"
	case AliasKind:
		return "an alias"
	case IntKind, FloatKind:
		return "the number " + wording.Word(n.Value)
	case BoolKind:
		return "the switch " + wording.Word(n.Value)
	case NullKind:
		return "nothing"
	case TimeKind:
		return "the time " + wording.Word(n.Value)
	default:
		return "the text " + wording.Quote(n.Value)
	}
}

// OrEmpty names a node for an error, and says of a map or list that is empty that it is.
func (n *Node) OrEmpty() string {
	switch {
	case n.Kind == MapKind && len(n.Content) == 0:
		return "an empty map"
	case n.Kind == ListKind && len(n.Content) == 0:
		return "an empty list"
	default:
		return n.String()
	}
}

// reading makes nodes of the library's. All that a file has stand in one piece of memory.
type reading struct {
	file    string
	lines   *parserLines
	named   map[*yaml.Node]*Node // what aliases can stand for; only looked up
	nodes   []Node               // room for those that are still to be made
	content []*Node              // and for what they have
}

// read makes a node and all within it.
func (r *reading) read(from *yaml.Node) *Node {
	n := within(from)
	r.nodes, r.content = make([]Node, n), make([]*Node, n-1)
	return r.node(from)
}

// within is the number of a node and all within it, aliases not followed.
func within(n *yaml.Node) int {
	all := 1
	for _, inner := range n.Content {
		all += within(inner)
	}
	return all
}

func (r *reading) node(from *yaml.Node) *Node {
	n := &r.nodes[0]
	r.nodes = r.nodes[1:]
	*n = Node{Pos: r.lines.pos(from.Line, from.Column), Kind: kindOf(from), Style: styleOf(from.Style), Value: from.Value}
	n.File = r.file
	if from.Style&yaml.TaggedStyle != 0 {
		n.Tag = from.Tag
	}
	if from.Anchor != "" && from.Kind != yaml.AliasNode {
		if r.named == nil {
			r.named = map[*yaml.Node]*Node{}
		}
		r.named[from] = n // before its content, which may refer to it
	}
	if from.Kind == yaml.AliasNode {
		n.Alias = r.named[from.Alias]
	}
	if has := len(from.Content); has > 0 {
		n.Content, r.content = r.content[:has:has], r.content[has:]
		for i, inner := range from.Content {
			n.Content[i] = r.node(inner)
		}
	}
	return n
}

func kindOf(n *yaml.Node) Kind {
	switch n.Kind {
	case yaml.MappingNode:
		return MapKind
	case yaml.SequenceNode:
		return ListKind
	case yaml.AliasNode:
		return AliasKind
	}
	switch n.ShortTag() {
	case "!!null":
		return NullKind
	case "!!bool":
		return BoolKind
	case "!!int":
		return IntKind
	case "!!float":
		return FloatKind
	case "!!timestamp":
		return TimeKind
	case "!!merge":
		return mergeKind
	default:
		return TextKind
	}
}

func styleOf(s yaml.Style) Style {
	switch {
	case s&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case s&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case s&yaml.LiteralStyle != 0:
		return Literal
	case s&yaml.FoldedStyle != 0:
		return Folded
	case s&yaml.FlowStyle != 0:
		return Flow
	default:
		return Plain
	}
}

// Text is a node for a text, quoted only where YAML needs it; one of several lines is a
// block where it can be.
func Text(s string) *Node {
	n := &Node{Kind: TextKind, Value: s}
	if strings.Contains(s, "\n") && strings.TrimSpace(s) != "" {
		n.Style = Literal
	}
	return n
}

// List is a node for a list.
func List(items ...*Node) *Node { return &Node{Kind: ListKind, Content: items} }

// Map is a node for a map of keys and values in turn.
func Map(members ...*Node) *Node { return &Node{Kind: MapKind, Content: members} }

// OnOneLine is n written on one line.
func (n *Node) OnOneLine() *Node {
	n.Style = Flow
	return n
}

// Put adds a member to a map.
func (n *Node) Put(key string, value *Node) { n.Content = append(n.Content, Text(key), value) }

// Number is a node for a whole number.
func Number[N int | uint64](n N) *Node { return &Node{Kind: IntKind, Value: fmt.Sprint(n)} }

// True is a node for a switch that is on.
func True() *Node { return &Node{Kind: BoolKind, Value: "true"} }
