package format

import (
	"reflect"
	"strings"

	"shelly/sim/strict"
)

func (v *Embedding) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Scalar() && n.Value == "off":
		v.Off = true
	case n.Kind == strict.MapKind:
		d.Object(n, &v.Outage, path)
	default:
		d.Add(n, path, "wants off or a map of "+strings.Join(strict.Keys(reflect.TypeFor[Outage]()), ", ")+"; found "+n.String())
	}
}

func (v *Failing) Read(d *strict.Decoder, n *strict.Node, path string) {
	d.TextOr(n, path, &v.Message, v)
}

// Text is the result that the model sees.
func (v *Failing) Text() string {
	switch {
	case v.Code == "":
		return v.Message
	case v.Message == "":
		return v.Code
	default:
		return v.Code + ": " + v.Message
	}
}

func (v *Loaded) Read(d *strict.Decoder, n *strict.Node, path string) { d.TextOr(n, path, &v.Name, v) }

func (v *Word) Read(d *strict.Decoder, n *strict.Node, path string) { d.TextOr(n, path, &v.Text, v) }

// read takes true, an id, a number or a map. What of it fits is checked with the
// key that it stands after.
func (v *Pick) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Kind == strict.MapKind:
		d.Object(n, v, path)
	case !n.Scalar():
		d.Add(n, path, "wants true, one that is named, or a map; found "+n.String())
	case n.Kind == strict.BoolKind:
		if v.Last = d.Truth(n, path); !v.Last {
			d.Add(n, path, "wants true; what is not wanted is left out")
		}
	case n.Kind == strict.IntKind:
		v.Nth = new(Count)
		v.Nth.Read(d, n, path)
	default:
		v.ID, _ = d.Text(n, path)
	}
}
