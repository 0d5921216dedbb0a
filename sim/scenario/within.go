package scenario

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// within is the place of a character of a node's text: line from 1, col in
// characters from 0. Where the file does not have the text as it is (escapes, folded
// lines), it is the place of the node.
func (d *decoder) within(n *yaml.Node, line, col int) Pos {
	at := d.pos(n)
	source := strings.Split(string(d.doc.sources[at.File]), "\n")
	values := strings.Split(n.Value, "\n")
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		at.Line, at.Col = at.Line+line, 0
	case len(values) > 1:
		return at
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		at.Col++
	}
	if at.Line > len(source) || line > len(values) {
		return d.pos(n)
	}
	chars := []rune(source[at.Line-1])
	if at.Col == 0 { // behind the indentation
		at.Col = 1 + len(chars) - len([]rune(strings.TrimLeft(string(chars), " ")))
		at.Col -= len([]rune(values[line-1])) - len([]rune(strings.TrimLeft(values[line-1], " ")))
	}
	if at.Col < 1 || at.Col > len(chars) || !strings.HasPrefix(string(chars[at.Col-1:]), values[line-1]) {
		return d.pos(n)
	}
	at.Col += col
	return at
}
