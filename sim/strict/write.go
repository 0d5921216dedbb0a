package strict

import (
	"bytes"
	"errors"

	"go.yaml.in/yaml/v4"
)

// Write writes a node as a YAML file. Lines are broken at a column where they can be; 0
// breaks none.
func Write(n *Node, columns int) ([]byte, error) {
	if columns == 0 {
		columns = -1
	}
	var b bytes.Buffer
	d, err := yaml.NewDumper(&b, yaml.WithIndent(2), yaml.WithLineWidth(columns), yaml.WithCompactSeqIndent(false))
	if err == nil {
		err = errors.Join(d.Dump(n.yaml()), d.Close())
	}
	return b.Bytes(), err
}

// yaml is the node as the library has it, aliases written out.
func (n *Node) yaml() *yaml.Node {
	n = n.Follow()
	out := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Value, HeadComment: n.Above, LineComment: n.Beside}
	switch n.Kind {
	case MapKind:
		out.Kind = yaml.MappingNode
	case ListKind:
		out.Kind = yaml.SequenceNode
	case NullKind:
		out.Tag = "!!null"
	case BoolKind:
		out.Tag = "!!bool"
	case IntKind:
		out.Tag = "!!int"
	case FloatKind:
		out.Tag = "!!float"
	case TimeKind:
		out.Tag = "!!timestamp"
	default:
		out.Tag = "!!str"
	}
	switch n.Style {
	case SingleQuoted:
		out.Style = yaml.SingleQuotedStyle
	case DoubleQuoted:
		out.Style = yaml.DoubleQuotedStyle
	case Literal:
		out.Style = yaml.LiteralStyle
	case Folded:
		out.Style = yaml.FoldedStyle
	case Flow:
		out.Style = yaml.FlowStyle
	}
	for _, inner := range n.Content {
		out.Content = append(out.Content, inner.yaml())
	}
	return out
}
