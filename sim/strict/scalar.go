package strict

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
)

// Text reads a text. A number or a switch is not one.
func (d *Decoder) Text(n *Node, path string) (string, bool) {
	if n.Kind == TextKind {
		return n.Value, true
	}
	text := "wants text, not " + n.String()
	if n.Scalar() {
		text += "; quote it if it is meant as text"
	}
	d.Add(n, path, text)
	return "", false
}

// Word reads one of the words that are allowed.
func (d *Decoder) Word(n *Node, path string, allowed []string) string {
	text, ok := d.Text(n, path)
	if ok && !slices.Contains(allowed, text) {
		d.Add(n, path, wording.Unknown("word", text, allowed))
	}
	return text
}

// Number reads a whole number in decimal.
func (d *Decoder) Number(n *Node, path string) (int, bool) {
	switch n.Kind {
	case IntKind:
		if digits := strings.TrimPrefix(n.Value, "-"); digits == "0" || strings.Trim(digits, "0123456789") == "" && digits[0] != '0' {
			if number, err := strconv.ParseInt(n.Value, 10, 32); err == nil {
				return int(number), true
			}
			d.Add(n, path, "the number "+wording.Word(n.Value)+" is too large")
			return 0, false
		}
		d.Add(n, path, "write the number "+wording.Word(n.Value)+" in plain decimal")
	case FloatKind:
		if strings.Trim(strings.TrimPrefix(n.Value, "-"), "0123456789") == "" { // beyond what YAML takes for an integer
			d.Add(n, path, "the number "+wording.Word(n.Value)+" is too large")
			return 0, false
		}
		d.Add(n, path, "wants a whole number, not "+n.String())
	case TextKind:
		d.Add(n, path, "wants a whole number, not text ("+wording.Word(n.Value)+")")
	default:
		d.Add(n, path, "wants a whole number, not "+n.String())
	}
	return 0, false
}

// Truth reads a switch.
func (d *Decoder) Truth(n *Node, path string) bool {
	if n.Kind != BoolKind {
		d.Add(n, path, "wants true or false, not "+n.String())
	}
	return n.True()
}

// True reports whether a node is a switch that is on.
func (n *Node) True() bool { return n.Kind == BoolKind && strings.EqualFold(n.Value, "true") }

// TextOr reads a text into its place, or else the map that to points to.
func (d *Decoder) TextOr(n *Node, path string, text *string, to any) {
	if n.Scalar() {
		*text, _ = d.Text(n, path)
		return
	}
	d.Object(n, to, path)
}
