package config

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// walker reads one YAML file against the schema (CFG-3). It decides which keys and which kinds of
// node are allowed; [field.parse] decides what a text means.
type walker struct {
	strict.Decoder
	file        string
	schema      schema
	assignments []assignment
}

func (w *walker) at(p strict.Pos) origin {
	return origin{layer: layerFile, name: w.file, line: p.Line, col: p.Col}
}

// walk reads the whole file.
func (w *walker) walk(text []byte) {
	root, problem := strict.Parse(text, "a configuration", "")
	switch {
	case problem != nil:
		w.Problems = append(w.Problems, *problem)
	case root != nil:
		w.section(root, "")
	case strings.TrimSpace(string(text)) == "": // not even a comment
		w.Problems = append(w.Problems, strict.Problem{Pos: strict.Pos{Line: 1, Col: 1}, Text: "is empty; delete the file or give it a key"})
	}
}

// found returns what is wrong with the file.
func (w *walker) found() problems {
	var list problems
	for _, p := range w.Problems {
		list.add(w.at(p.Pos), p.Path, wording.Line(p.Text))
	}
	return list
}

// section reads a map; prefix is the section's key, "" at the top.
func (w *walker) section(n *strict.Node, prefix string) {
	switch n.Kind {
	case strict.MapKind:
		w.Members(n, prefix, w.value)
	case strict.AliasKind:
		w.Add(n, prefix, "aliases are not supported; write the values out")
	case strict.NullKind: // a section whose keys are all commented out
	default:
		w.Add(n, prefix, "this section is a map of `key: value`, found "+n.String())
	}
}

// value reads what belongs to a key: a section or a value.
func (w *walker) value(key, value *strict.Node, name string) {
	if strings.Contains(key.Value, ".") {
		// "limits.grace: 5s" would be found in the schema, but a file nests.
		w.Add(key, name, "unknown key; nest it: a dot is not part of a key")
		return
	}
	if w.schema.isSection(name) {
		w.section(value, name)
		return
	}
	f, ok := w.schema.field(name)
	if !ok {
		w.Add(key, name, w.schema.unknownKey(name))
		return
	}
	if f.isList() {
		w.list(f, value)
		return
	}
	if f.isNamed() {
		w.named(f, value)
		return
	}
	if what := f.accepts(value); what != "" {
		w.Add(value, name, what)
		return
	}
	w.assignments = append(w.assignments, assignment{field: f, text: value.Value, origin: w.at(value.Pos)})
}

// list reads the value of a field that is a list.
func (w *walker) list(f field, n *strict.Node) {
	if n.Kind != strict.ListKind || n.Tag != "" {
		w.Add(n, f.key, "wants "+f.wants()+", found "+n.String())
		return
	}
	items := make([]string, len(n.Content))
	for i, item := range n.Content {
		what := f.item().accepts(item)
		if what == "" && (strings.Contains(item.Value, ",") || strings.ContainsAny(withoutAddress(item.Value), "[]")) {
			what = "an item holds no comma or bracket"
		}
		if what != "" {
			w.Add(item, f.key, what)
			return
		}
		items[i] = item.Value
	}
	w.assignments = append(w.assignments, assignment{field: f, text: "[" + strings.Join(items, ", ") + "]", origin: w.at(n.Pos)})
}

// withoutAddress returns an item without the brackets of an IPv6 address at its start.
func withoutAddress(item string) string {
	if inner, ok := strings.CutPrefix(item, "["); ok {
		if host, rest, ok := strings.Cut(inner, "]"); ok && strings.Contains(host, ":") {
			return host + rest
		}
	}
	return item
}

// named reads the value of a field that is a map by name, and keeps it as text in its written-out
// form.
func (w *walker) named(f field, n *strict.Node) {
	v, known := reflect.New(f.typ), len(w.Problems)
	w.Value(n, v.Interface(), f.key)
	if len(w.Problems) == known {
		w.assignments = append(w.assignments, assignment{field: f, text: formatNamed(v.Elem()), origin: w.at(n.Pos)})
	}
}

// accepts says what is wrong with the kind of node given for a field, or returns "".
func (f field) accepts(n *strict.Node) string {
	switch {
	case n.Kind == strict.AliasKind:
		return "aliases are not supported; write the value out"
	case !n.Scalar():
		return "wants " + f.wants() + ", found " + n.String()
	case n.Tag != "":
		return strict.Tagged(n)
	case n.Kind == strict.NullKind:
		return strict.Absent(n)
	}
	switch f.typ {
	case reflect.TypeFor[int](), reflect.TypeFor[fsm.Share](), reflect.TypeFor[Temperature]():
		if n.Kind == strict.TextKind && n.Quoted() && n.Value != ownTemperature {
			return "wants " + f.wants() + ", not text; remove the quotes"
		}
	case reflect.TypeFor[bool]():
		if n.Kind != strict.BoolKind {
			return "wants " + f.wants() + ", not " + n.String()
		}
	case reflect.TypeFor[time.Duration](), reflect.TypeFor[fsm.Millis](), reflect.TypeFor[Bytes]():
	default:
		if n.Kind == strict.BoolKind && slices.Contains(f.of, n.Value) { // true, where it is one of several words
			return ""
		}
		if n.Kind != strict.TextKind {
			return "wants " + f.wants() + ", found " + n.String() + "; quote it if it is meant as text"
		}
	}
	return ""
}

// wants names the kind of value that a field takes.
func (f field) wants() string {
	switch f.typ {
	case reflect.TypeFor[int](), reflect.TypeFor[fsm.Share]():
		return "a whole number"
	case reflect.TypeFor[Temperature]():
		return "a number"
	case reflect.TypeFor[[]fsm.Millis]():
		return "a list such as [1s, 5s]"
	case reflect.TypeFor[[]string]():
		return "a list such as [one, two]"
	case reflect.TypeFor[bool]():
		return "true or false"
	case reflect.TypeFor[time.Duration](), reflect.TypeFor[fsm.Millis]():
		return "a duration such as 60s"
	case reflect.TypeFor[Bytes]():
		return "a size such as 64KiB"
	}
	if f.of != nil {
		return "one of " + strings.Join(f.of, ", ")
	}
	return "text"
}
