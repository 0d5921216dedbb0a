package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// read reads an input's wire form. It is checked against the type of its kind, key by
// key, before it is decoded as a journal is.
func (v *Input) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a map such as {kind: boot, …}, found "+n.String())
		return
	}
	d.Verbatim() // to the letter: no variables are put in
	known := len(d.Problems)
	data, ok := readData(d, n, path)
	if !ok {
		return
	}
	kind := data.get("kind")
	if kind.kind != textKind {
		d.Add(n, path, "the key kind is missing; it is one of "+strings.Join(inputKinds(), ", "))
		return
	}
	if !slices.Contains(inputKinds(), kind.text) {
		d.At(strict.Member(path, "kind"), wording.Unknown("kind", kind.text, inputKinds()))
		return
	}
	if data.get("at").kind != absentKind {
		d.At(strict.Member(path, "at"), "belongs to the entry: {at: …, input: …}")
	}
	data.members = slices.DeleteFunc(data.members, func(m memberValue) bool { return m.key == "kind" || m.key == "at" })
	in, _ := fsm.UnmarshalInput([]byte(`{"kind":"` + kind.text + `"}`)) // the kind is known
	wired(d, data, reflect.TypeOf(in.Fact), path)
	if len(d.Problems) > known {
		return
	}
	in, err := fsm.UnmarshalInput([]byte(`{"kind":"` + kind.text + `",` + strings.TrimPrefix(data.json(), "{")))
	if len(data.members) == 0 {
		in, err = fsm.UnmarshalInput([]byte(`{"kind":"` + kind.text + `"}`))
	}
	if err != nil {
		d.Add(n, path, err.Error())
		return
	}
	v.Input = in
}

// wired checks data against the type that it is to be decoded into, and tells each key
// that the type does not have and each value that is of another kind.
func wired(d *strict.Decoder, v value, t reflect.Type, path string) {
	want := ""
	switch t.Kind() {
	case reflect.Struct:
		if want = "a map"; v.kind == mapKind {
			wiredMap(d, v, t, path)
			return
		}
	case reflect.Slice:
		if t == reflect.TypeFor[fsm.Words]() {
			if want = "a map"; v.kind == mapKind {
				wiredWords(d, v, path)
				return
			}
			break
		}
		if t.Elem().Kind() == reflect.Uint8 {
			if want = "bytes in Base64"; v.kind == textKind && json.Unmarshal([]byte(v.json()), &[]byte{}) == nil {
				return
			}
			break
		}
		if want = "a list"; v.kind == listKind {
			for i, item := range v.list {
				wired(d, item, t.Elem(), strict.Element(path, i))
			}
			return
		}
	case reflect.String:
		if want = "text"; v.kind == textKind {
			return
		}
	case reflect.Bool:
		if want = "true or false"; v.kind == boolKind {
			return
		}
	default:
		if want = "a whole number"; v.kind == numberKind && json.Unmarshal([]byte(v.text), reflect.New(t).Interface()) == nil {
			return
		}
	}
	d.At(path, "wants "+want+", not "+v.String())
}

func wiredMap(d *strict.Decoder, v value, t reflect.Type, path string) {
	names := jsonNames(t)
	fields := jsonFields(t)
	for _, m := range v.members {
		at := strict.Member(path, m.key)
		if i := slices.Index(names, m.key); i < 0 {
			d.At(at, wording.Unknown("key", m.key, names))
		} else {
			wired(d, m.value, fields[i].Type, at)
		}
	}
}

// wiredWords checks the texts that a boot brings, by the names of the words.
func wiredWords(d *strict.Decoder, v value, path string) {
	var names []string
	for _, w := range fsm.AllWords() {
		names = append(names, w.String())
	}
	for _, m := range v.members {
		at := strict.Member(path, m.key)
		if !slices.Contains(names, m.key) {
			d.At(at, wording.Unknown("word", m.key, names))
		} else {
			wired(d, m.value, reflect.TypeFor[string](), at)
		}
	}
}
