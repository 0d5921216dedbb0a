package format

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/expression"
	"shelly/sim/strict"
)

// read reads an input's wire form. It is checked against the type of its kind, key by
// key, before it is decoded as a journal is.
func (v *Input) Read(d *strict.Decoder, n *strict.Node, path string) {
	known := len(d.Problems)
	told, ok := verbatim(d, n, path, "{kind: boot, …}")
	if !ok {
		return
	}
	kind := told.Get("kind")
	if kind.Kind != data.TextKind {
		d.Add(n, path, "the key kind is missing; it is one of "+strings.Join(expression.InputKinds(), ", "))
		return
	}
	if !slices.Contains(expression.InputKinds(), kind.Text) {
		d.At(strict.Member(path, "kind"), wording.Unknown("kind", kind.Text, expression.InputKinds()))
		return
	}
	if told.Get("at").Kind != data.AbsentKind {
		d.At(strict.Member(path, "at"), "belongs to the entry: {at: …, input: …}")
	}
	told.Members = slices.DeleteFunc(told.Members, func(m data.Member) bool { return m.Key == "kind" || m.Key == "at" })
	in, _ := fsm.UnmarshalInput([]byte(`{"kind":"` + kind.Text + `"}`)) // the kind is known
	wired(d, told, reflect.TypeOf(in.Fact), path)
	if len(d.Problems) > known {
		return
	}
	in, err := fsm.UnmarshalInput([]byte(`{"kind":"` + kind.Text + `",` + strings.TrimPrefix(told.JSON(), "{")))
	if len(told.Members) == 0 {
		in, err = fsm.UnmarshalInput([]byte(`{"kind":"` + kind.Text + `"}`))
	}
	if err != nil {
		d.Add(n, path, err.Error())
		return
	}
	v.Input = in
}

// verbatim reads a map to the letter: no variables are put in.
func verbatim(d *strict.Decoder, n *strict.Node, path, such string) (data.Value, bool) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a map such as "+such+", found "+n.String())
		return data.Value{}, false
	}
	d.Verbatim()
	return data.Read(d, n, path)
}

// wired checks data against the type that it is to be decoded into, and tells each key
// that the type does not have and each value that is of another kind.
func wired(d *strict.Decoder, v data.Value, t reflect.Type, path string) {
	if t == reflect.TypeFor[fsm.Source]() { // a number that is written as its names (MSG-1)
		t = reflect.TypeFor[[]string]()
	}
	want := ""
	switch t.Kind() {
	case reflect.Struct:
		if want = "a map"; v.Kind == data.MapKind {
			wiredMap(d, v, t, path)
			return
		}
	case reflect.Slice:
		if t == reflect.TypeFor[fsm.Words]() {
			if want = "a map"; v.Kind == data.MapKind {
				wiredWords(d, v, path)
				return
			}
			break
		}
		if t.Elem().Kind() == reflect.Uint8 {
			if want = "bytes in Base64"; v.Kind == data.TextKind && json.Unmarshal([]byte(v.JSON()), &[]byte{}) == nil {
				return
			}
			break
		}
		if want = "a list"; v.Kind == data.ListKind {
			for i, item := range v.List {
				wired(d, item, t.Elem(), strict.Element(path, i))
			}
			return
		}
	case reflect.String:
		if want = "text"; v.Kind == data.TextKind {
			return
		}
	case reflect.Bool:
		if want = "true or false"; v.Kind == data.BoolKind {
			return
		}
	default:
		if want = "a whole number"; v.Kind == data.NumberKind && json.Unmarshal([]byte(v.Text), reflect.New(t).Interface()) == nil {
			return
		}
	}
	d.At(path, "wants "+want+", not "+v.String())
}

func wiredMap(d *strict.Decoder, v data.Value, t reflect.Type, path string) {
	names, fields := jsonNames(t), jsonFields(t)
	for _, m := range v.Members {
		at := strict.Member(path, m.Key)
		if i := slices.Index(names, m.Key); i < 0 {
			d.At(at, wording.Unknown("key", m.Key, names))
		} else {
			wired(d, m.Value, fields[i].Type, at)
		}
	}
}

// wiredWords checks the texts that a boot brings, by the names of the words.
func wiredWords(d *strict.Decoder, v data.Value, path string) {
	var names []string
	for _, w := range fsm.AllWords() {
		names = append(names, w.String())
	}
	for _, m := range v.Members {
		at := strict.Member(path, m.Key)
		if !slices.Contains(names, m.Key) {
			d.At(at, wording.Unknown("word", m.Key, names))
		} else {
			wired(d, m.Value, reflect.TypeFor[string](), at)
		}
	}
}
