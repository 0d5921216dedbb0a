package scenario

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"shelly/fsm"
)

// Duration is a length of virtual time, written as 300s, 1.5s or 200ms. It is
// whole milliseconds and not negative.
type Duration fsm.Millis

func (v *Duration) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.add(n, path, "wants a duration such as 300s, not "+kindOf(n))
		return
	}
	length, err := time.ParseDuration(n.Value)
	switch {
	case err != nil:
		d.add(n, path, "wants a duration such as 300s or 1.5s, not "+strconv.Quote(clip(n.Value, shownBytesMax)))
	case length < 0:
		d.add(n, path, "the duration "+shown(n.Value)+" is negative")
	case length%time.Millisecond != 0:
		d.add(n, path, "the duration "+shown(n.Value)+" is not in whole milliseconds")
	default:
		*v = Duration(length / time.Millisecond)
	}
}

// Leap is a length of time forward, or back where it is negative, written as 1h or -30m.
// It is whole milliseconds and not 0.
type Leap fsm.Millis

func (v *Leap) read(d *decoder, n *yaml.Node, path string) {
	length, err := time.ParseDuration(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		d.add(n, path, "wants a duration forward such as 1h or back such as -30m, not "+kindOf(n))
	case length == 0 || length%time.Millisecond != 0:
		d.add(n, path, "the duration "+shown(n.Value)+" is not in whole milliseconds other than 0")
	case length.Abs() > leapMax:
		d.add(n, path, "the duration "+shown(n.Value)+" is more than 10 years (87600h)")
	default:
		*v = Leap(length / time.Millisecond)
	}
}

// leapMax keeps the wall clock within the years that schedules know.
const leapMax = 87600 * time.Hour

// Count is a number of at least 1.
type Count int

func (v *Count) read(d *decoder, n *yaml.Node, path string) {
	number, ok := d.number(n, path)
	switch {
	case !ok:
	case number < 1:
		d.add(n, path, "wants a number of at least 1, not "+strconv.Itoa(number))
	default:
		*v = Count(number)
	}
}

// Time is an instant, written as 2026-01-05T09:00:00Z.
type Time fsm.Millis

func (v *Time) read(d *decoder, n *yaml.Node, path string) {
	instant, err := time.Parse(time.RFC3339, n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		d.add(n, path, `wants a time such as "2026-01-05T09:00:00Z", not `+kindOf(n))
		return
	}
	*v = Time(instant.UnixMilli())
}

// Map is a map from names that the file chooses, in the order of the file.
type Map[T any] []Named[T]

// Named is one member of a [Map].
type Named[T any] struct {
	Name  string
	Value T
}

func (v *Map[T]) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		d.add(n, path, "wants a map by name, found "+kindOf(n))
		return
	}
	d.members(n, path, func(key, value *yaml.Node, at string) {
		if key.Value == "" {
			d.add(key, at, "the name is empty")
			return
		}
		m := Named[T]{Name: key.Value}
		d.value(value, reflect.ValueOf(&m.Value).Elem(), at)
		*v = append(*v, m)
	})
}

// get returns the member of a name, or false.
func (v Map[T]) get(name string) (T, bool) {
	for _, m := range v {
		if m.Name == name {
			return m.Value, true
		}
	}
	var none T
	return none, false
}

func (v *Crashes) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.SequenceNode {
		d.list(n, reflect.ValueOf((*[]Crash)(v)).Elem(), path)
		return
	}
	*v = make(Crashes, 1)
	d.object(n, reflect.ValueOf(&(*v)[0]).Elem(), path)
}

func (v *Embedding) read(d *decoder, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "off":
		v.Off = true
	case n.Kind == yaml.MappingNode:
		d.object(n, reflect.ValueOf(&v.Outage).Elem(), path)
	default:
		d.add(n, path, "wants off or a map of "+strings.Join(names(fieldsOf(reflect.TypeFor[Outage]())), ", ")+"; found "+kindOf(n))
	}
}

func (v *Failing) read(d *decoder, n *yaml.Node, path string) { d.textOr(n, path, &v.Message, v) }

// text is the result that the model sees.
func (v *Failing) text() string {
	switch {
	case v.Code == "":
		return v.Message
	case v.Message == "":
		return v.Code
	default:
		return v.Code + ": " + v.Message
	}
}

func (v *Loaded) read(d *decoder, n *yaml.Node, path string) { d.textOr(n, path, &v.Name, v) }

func (v *Word) read(d *decoder, n *yaml.Node, path string) { d.textOr(n, path, &v.Text, v) }

// read takes true, an id, a number or a map. What of it fits is checked with the
// key that it stands behind.
func (v *Pick) read(d *decoder, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.MappingNode:
		d.object(n, reflect.ValueOf(v).Elem(), path)
	case n.Kind != yaml.ScalarNode:
		d.add(n, path, "wants true, one that is named, or a map; found "+kindOf(n))
	case n.ShortTag() == "!!bool":
		if d.truth(n, reflect.ValueOf(&v.Last).Elem(), path); !v.Last {
			d.add(n, path, "wants true; what is not wanted is left out")
		}
	case n.ShortTag() == "!!int":
		v.Nth = new(Count)
		v.Nth.read(d, n, path)
	default:
		v.ID, _ = d.text(n, path)
	}
}

// Args are a tool call's arguments as one JSON object, its keys in the order of
// the file. The zero value is {}.
type Args string

func (v *Args) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		d.add(n, path, "wants a map of arguments, found "+kindOf(n))
		return
	}
	if value, ok := d.data(n, path); ok {
		*v = Args(value.json())
	}
}

// textOr reads a text into its place, or else the map that v is.
func (d *decoder) textOr(n *yaml.Node, path string, text *string, v any) {
	if n.Kind == yaml.ScalarNode {
		*text, _ = d.text(n, path)
		return
	}
	d.object(n, reflect.ValueOf(v).Elem(), path)
}
