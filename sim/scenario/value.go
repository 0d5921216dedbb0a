package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// valueKind is what a value is.
type valueKind int

const (
	absentKind valueKind = iota // there is none
	nullKind
	boolKind
	numberKind
	textKind
	listKind
	mapKind
)

// value is data to be matched: what a file wants as it is, or what was got. The
// zero value is the absence of one.
type value struct {
	kind    valueKind
	text    string  // of a text; a number or bool as it is written
	measure measure // of a text that is a duration or a time
	list    []value
	members []memberValue
	main    string // of a map: the member that stands for it where a text is wanted
}

type memberValue struct {
	key   string
	value value
}

func textValue(s string) value { return value{kind: textKind, text: s} }
func intValue(n int) value     { return value{kind: numberKind, text: strconv.Itoa(n)} }
func boolValue(b bool) value   { return value{kind: boolKind, text: strconv.FormatBool(b)} }

// listValue makes a list of what each of items is.
func listValue[T any](items []T, each func(T) value) value {
	v := value{kind: listKind}
	for _, item := range items {
		v.list = append(v.list, each(item))
	}
	return v
}

// mapValue makes a map; main names the member that stands for it.
func mapValue(main string, members ...memberValue) value {
	return value{kind: mapKind, main: main, members: members}
}

// with is a member of mapValue. An empty text is a member all the same.
func with(key string, v value) memberValue { return memberValue{key, v} }

// get returns a member, or the absent value.
func (v value) get(key string) value {
	for _, m := range v.members {
		if m.key == key {
			return m.value
		}
	}
	return value{}
}

// equal reports whether two values are the same data. Maps have no order, and
// numbers are compared by what they are worth.
func (v value) equal(o value) bool {
	if v.kind != o.kind || len(v.list) != len(o.list) || len(v.members) != len(o.members) {
		return false
	}
	switch v.kind {
	case numberKind:
		return compareNumbers(v.text, o.text) == 0
	case listKind:
		for i := range v.list {
			if !v.list[i].equal(o.list[i]) {
				return false
			}
		}
		return true
	case mapKind:
		for _, m := range v.members {
			if !m.value.equal(o.get(m.key)) {
				return false
			}
		}
		return true
	case textKind:
		if v.measure != noMeasure || o.measure != noMeasure {
			if c, ok := compareMeasures(v.text, o.text); ok {
				return c == 0
			}
		}
		return v.text == o.text
	default:
		return v.text == o.text
	}
}

// compareNumbers compares whole numbers exactly and others as floats.
func compareNumbers(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return compare(x, y)
	}
	f, _ := strconv.ParseFloat(a, 64)
	g, _ := strconv.ParseFloat(b, 64)
	return compare(f, g)
}

func compare[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// String is the value as failures show it: YAML on one line.
func (v value) String() string {
	var b strings.Builder
	v.write(&b, false)
	return b.String()
}

// json is the value as JSON, keys in their order.
func (v value) json() string {
	var b strings.Builder
	v.write(&b, true)
	return b.String()
}

func (v value) write(b *strings.Builder, asJSON bool) {
	switch v.kind {
	case absentKind:
		b.WriteString("(none)")
	case nullKind:
		b.WriteString("null")
	case textKind:
		writeText(b, v.text, asJSON)
	case listKind:
		b.WriteByte('[')
		for i, item := range v.list {
			separate(b, i, asJSON)
			item.write(b, asJSON)
		}
		b.WriteByte(']')
	case mapKind:
		b.WriteByte('{')
		for i, m := range v.members {
			separate(b, i, asJSON)
			if asJSON {
				writeText(b, m.key, true)
				b.WriteByte(':')
			} else {
				b.WriteString(wording.Word(m.key) + ": ")
			}
			m.value.write(b, asJSON)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.text)
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
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(s) == nil { // a string always encodes
		b.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
	}
}

// readData reads a node as plain data. It reports whether it could.
func readData(d *strict.Decoder, n *strict.Node, path string) (value, bool) {
	if n = d.Enter(n, path); n == nil {
		return value{}, false
	}
	defer d.Leave()
	known := len(d.Problems)
	switch n.Kind {
	case strict.ListKind:
		v := value{kind: listKind}
		d.Items(n, path, func(_ int, item *strict.Node, at string) {
			one, _ := readData(d, item, at)
			v.list = append(v.list, one)
		})
		return v, known == len(d.Problems)
	case strict.MapKind:
		v := value{kind: mapKind}
		d.Members(n, path, func(key, item *strict.Node, at string) {
			one, _ := readData(d, item, at)
			v.members = append(v.members, with(key.Value, one))
		})
		return v, known == len(d.Problems)
	default:
		return readScalar(d, n, path)
	}
}

// readScalar reads a scalar node as plain data.
func readScalar(d *strict.Decoder, n *strict.Node, path string) (value, bool) {
	switch n.Kind {
	case strict.NullKind:
		return value{kind: nullKind}, true
	case strict.BoolKind:
		return boolValue(n.True()), true
	case strict.IntKind, strict.FloatKind:
		if !json.Valid([]byte(n.Value)) {
			d.Add(n, path, "write the number "+wording.Word(n.Value)+" in plain decimal")
			return value{}, false
		}
		return value{kind: numberKind, text: n.Value}, true
	default:
		return textValue(n.Value), true
	}
}

// valueOfJSON reads JSON as plain data.
func valueOfJSON(text string) (value, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := nextJSON(d, 0)
	if err != nil {
		return value{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return value{}, errors.New("more than one JSON value")
	}
	return v, nil
}

// jsonDepthMax is how deep JSON may nest, as everything else in Go that reads it has it.
const jsonDepthMax = 10_000

// nextJSON reads one value. Of members of one name the last counts, as it does for tools.
func nextJSON(d *json.Decoder, depth int) (value, error) {
	token, err := d.Token()
	switch {
	case err != nil:
		return value{}, err
	case depth > jsonDepthMax:
		return value{}, errors.New("nested too deep")
	}
	switch token := token.(type) {
	case nil:
		return value{kind: nullKind}, nil
	case bool:
		return boolValue(token), nil
	case json.Number:
		return value{kind: numberKind, text: token.String()}, nil
	case string:
		return textValue(token), nil
	}
	v := value{kind: listKind}
	if token == json.Delim('{') {
		v.kind = mapKind
	}
	places := map[string]int{} // of the members
	for d.More() {
		key := ""
		if v.kind == mapKind {
			if token, err = d.Token(); err != nil {
				return value{}, err
			}
			key, _ = token.(string)
		}
		item, err := nextJSON(d, depth+1)
		if err != nil {
			return value{}, err
		}
		at, twice := places[key]
		switch {
		case v.kind == listKind:
			v.list = append(v.list, item)
		case twice:
			v.members[at].value = item
		default:
			places[key] = len(v.members)
			v.members = append(v.members, with(key, item))
		}
	}
	_, err = d.Token() // the closing bracket
	return v, err
}
