// Package data has plain data: what a file says as it stands, and what was got of a run.
// A [Value] is read from YAML or JSON, compared by what it is worth (90s is 1m30s), and
// written as YAML on a line, as JSON, or as YAML for people.
package data

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// valueKind is what a value is.
type valueKind int

const (
	AbsentKind valueKind = iota // there is none
	NullKind
	BoolKind
	NumberKind
	TextKind
	ListKind
	MapKind
)

// Value is data to be matched: what a file wants as it is, or what was got. The
// zero value is the absence of one.
type Value struct {
	Kind    valueKind
	Text    string  // of a text; a number or bool as it is written
	measure measure // of a text that is a duration or a time
	List    []Value
	Members []Member
	Main    string // of a map: the member that stands for it where a text is wanted
}

type Member struct {
	Key   string
	Value Value
}

func Text(s string) Value { return Value{Kind: TextKind, Text: s} }
func Int(n int) Value     { return Value{Kind: NumberKind, Text: strconv.Itoa(n)} }
func Bool(b bool) Value   { return Value{Kind: BoolKind, Text: strconv.FormatBool(b)} }

// List makes a list of what each of items is.
func List[T any](items []T, each func(T) Value) Value {
	v := Value{Kind: ListKind}
	for _, item := range items {
		v.List = append(v.List, each(item))
	}
	return v
}

// Map makes a map; main names the member that stands for it.
func Map(main string, members ...Member) Value {
	return Value{Kind: MapKind, Main: main, Members: members}
}

// With is a member of mapValue. An empty text is a member all the same.
func With(key string, v Value) Member { return Member{key, v} }

// Get returns a member, or the absent value.
func (v Value) Get(key string) Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return Value{}
}

// Without is a map without the members of some keys.
func (v Value) Without(keys ...string) Value {
	v.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m Member) bool { return slices.Contains(keys, m.Key) })
	return v
}

// Equal reports whether two values are the same data. Maps have no order, and
// numbers are compared by what they are worth.
func (v Value) Equal(o Value) bool {
	if v.Kind != o.Kind || len(v.List) != len(o.List) || len(v.Members) != len(o.Members) {
		return false
	}
	switch v.Kind {
	case NumberKind:
		return CompareNumbers(v.Text, o.Text) == 0
	case ListKind:
		return slices.EqualFunc(v.List, o.List, Value.Equal)
	case MapKind:
		for _, m := range v.Members {
			if !m.Value.Equal(o.Get(m.Key)) {
				return false
			}
		}
		return true
	case TextKind:
		if v.measure != NoMeasure || o.measure != NoMeasure {
			if c, ok := CompareMeasures(v.Text, o.Text); ok {
				return c == 0
			}
		}
		return v.Text == o.Text
	default:
		return v.Text == o.Text
	}
}

// String is the value as failures show it: YAML on one line.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b, false)
	return b.String()
}

// JSON is the value as JSON, keys in their order.
func (v Value) JSON() string {
	var b strings.Builder
	v.write(&b, true)
	return b.String()
}

func (v Value) write(b *strings.Builder, asJSON bool) {
	switch v.Kind {
	case AbsentKind:
		b.WriteString("(none)")
	case NullKind:
		b.WriteString("null")
	case TextKind:
		writeText(b, v.Text, asJSON)
	case ListKind:
		b.WriteByte('[')
		for i, item := range v.List {
			separate(b, i, asJSON)
			item.write(b, asJSON)
		}
		b.WriteByte(']')
	case MapKind:
		b.WriteByte('{')
		for i, m := range v.Members {
			separate(b, i, asJSON)
			if asJSON {
				writeText(b, m.Key, true)
				b.WriteByte(':')
			} else {
				b.WriteString(wording.Word(m.Key) + ": ")
			}
			m.Value.write(b, asJSON)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.Text)
	}
}

func separate(b *strings.Builder, i int, asJSON bool) {
	switch {
	case i == 0:
	case asJSON:
		b.WriteByte(',')
	default:
		b.WriteString(", ")
	}
}

func writeText(b *strings.Builder, s string, asJSON bool) {
	if !asJSON {
		b.WriteString(strconv.Quote(s))
		return
	}
	text, _ := wording.JSON(s) // a string always encodes
	b.Write(text)
}

// Read reads a node as plain data. It reports whether it could.
func Read(d *strict.Decoder, n *strict.Node, path string) (Value, bool) {
	if n = d.Enter(n, path); n == nil {
		return Value{}, false
	}
	defer d.Leave()
	known := len(d.Problems)
	switch n.Kind {
	case strict.ListKind:
		v := Value{Kind: ListKind}
		d.Items(n, path, func(_ int, item *strict.Node, at string) {
			one, _ := Read(d, item, at)
			v.List = append(v.List, one)
		})
		return v, known == len(d.Problems)
	case strict.MapKind:
		v := Value{Kind: MapKind}
		d.Members(n, path, func(key, item *strict.Node, at string) {
			one, _ := Read(d, item, at)
			v.Members = append(v.Members, With(key.Value, one))
		})
		return v, known == len(d.Problems)
	default:
		return ReadScalar(d, n, path)
	}
}

// ReadScalar reads a scalar node as plain data.
func ReadScalar(d *strict.Decoder, n *strict.Node, path string) (Value, bool) {
	switch n.Kind {
	case strict.NullKind:
		return Value{Kind: NullKind}, true
	case strict.BoolKind:
		return Bool(n.True()), true
	case strict.IntKind, strict.FloatKind:
		if !json.Valid([]byte(n.Value)) {
			d.Add(n, path, "write the number "+wording.Word(n.Value)+" in plain decimal")
			return Value{}, false
		}
		return Value{Kind: NumberKind, Text: n.Value}, true
	default:
		return Text(n.Value), true
	}
}

// OfJSON reads JSON as plain data.
func OfJSON(text string) (Value, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := nextJSON(d, 0)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("more than one JSON value")
	}
	return v, nil
}

// jsonDepthMax is how deep JSON may nest, as everything else in Go that reads it has it.
const jsonDepthMax = 10_000

// nextJSON reads one value. Of members of one name the last counts, as it does for tools.
func nextJSON(d *json.Decoder, depth int) (Value, error) {
	token, err := d.Token()
	switch {
	case err != nil:
		return Value{}, err
	case depth > jsonDepthMax:
		return Value{}, errors.New("nested too deep")
	}
	switch token := token.(type) {
	case nil:
		return Value{Kind: NullKind}, nil
	case bool:
		return Bool(token), nil
	case json.Number:
		return Value{Kind: NumberKind, Text: token.String()}, nil
	case string:
		return Text(token), nil
	}
	v := Value{Kind: ListKind}
	if token == json.Delim('{') {
		v.Kind = MapKind
	}
	places := map[string]int{} // of the members
	for d.More() {
		key := ""
		if v.Kind == MapKind {
			if token, err = d.Token(); err != nil {
				return Value{}, err
			}
			key, _ = token.(string)
		}
		item, err := nextJSON(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		at, twice := places[key]
		switch {
		case v.Kind == ListKind:
			v.List = append(v.List, item)
		case twice:
			v.Members[at].Value = item
		default:
			places[key] = len(v.Members)
			v.Members = append(v.Members, With(key, item))
		}
	}
	_, err = d.Token() // the closing bracket
	return v, err
}

// Args is a call's arguments as data, or as text where they are no JSON.
func Args(args string) Value {
	v, err := OfJSON(args)
	if err != nil {
		return Text(args)
	}
	return v
}
