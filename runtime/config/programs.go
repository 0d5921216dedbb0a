package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Programs are tools that are programs, and Servers the servers of the Model Context Protocol whose
// tools are offered, both by name, in the order of the file. Outside a file each is written as one
// map in YAML's flow form, or as JSON.
type (
	Programs = strict.ByName[Program]
	Servers  = strict.ByName[Server]
	// Variables are environment variables, or headers, by name. A value may contain ${NAME}, which
	// stands for a variable of the daemon's own environment at the time of use.
	Variables = strict.ByName[string]
)

// Program is an operator's program that is offered as a tool (TOL-80).
type Program struct {
	// Command is the program and its first arguments.
	Command []string `key:"command,required"`
	// Description tells the model what the tool does.
	Description string `key:"description,required"`
	// Schema is the JSON schema of the arguments, which must be an object. Default: no arguments.
	Schema Schema `key:"schema"`
	// Effects are none, idempotent or unsafe. Default: unsafe.
	Effects string `key:"effects" enum:"none,idempotent,unsafe"`
	// Probe is the command that finds out what became of a call with an unknown outcome. Default:
	// none.
	Probe []string `key:"probe"`
	// Timeout bounds one call. Default: 60s.
	Timeout Span `key:"timeout"`
	// Network lets the program use the network. Default: false.
	Network bool `key:"network"`
	// Env are variables that the program gets besides PATH, HOME and LANG. Default: none.
	Env Variables `key:"env"`
}

// Server is a server of the Model Context Protocol (TOL-90): a program, or an address.
type Server struct {
	// Command is the program and its arguments; it communicates over stdin and stdout.
	Command []string `key:"command"`
	// Env are variables that the program gets besides PATH, HOME and LANG. Default: none.
	Env Variables `key:"env"`
	// Network lets the program use the network. Default: false.
	Network bool `key:"network"`
	// URL is the address of a server that speaks streamable HTTP.
	URL string `key:"url"`
	// Headers are sent with each request to the URL. Default: none.
	Headers Variables `key:"headers"`
	// AllowAddresses are addresses outside the public network where the URL may be, as in
	// tools.web.allow_addresses. Default: none.
	AllowAddresses []string `key:"allow_addresses"`
	// Tools are the names of those of its tools that are offered. Default: all.
	Tools []string `key:"tools"`
	// Timeout bounds one call. Default: 60s.
	Timeout Span `key:"timeout"`
}

// Fill replaces each ${NAME} in a value with the variable's value.
func Fill(value string, lookup func(name string) (string, bool)) (string, error) {
	var missing []string
	text := regexp.MustCompile(`\$\{[^}]*\}`).ReplaceAllStringFunc(value, func(ref string) string {
		name := ref[2 : len(ref)-1]
		found, ok := lookup(name)
		if !ok {
			missing = append(missing, name)
		}
		return found
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the environment has no %s", strings.Join(missing, ", "))
	}
	return text, nil
}

// Schema is a JSON schema as it is in the file.
type Schema struct{ node *strict.Node }

// Read implements [strict.Reader].
func (s *Schema) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a JSON schema, a map such as {type: object, properties: {…}}, found "+n.String())
		return
	}
	s.node = n.Bare()
}

// JSON returns the schema with its keys in the order of the file, or "" if there is none.
func (s Schema) JSON() string {
	if s.node == nil {
		return ""
	}
	var b strings.Builder
	writeJSON(&b, s.node)
	return b.String()
}

func writeJSON(b *strings.Builder, n *strict.Node) {
	text := func(s string) {
		quoted, _ := json.Marshal(s) // a string always can be
		b.Write(quoted)
	}
	switch n.Kind {
	case strict.MapKind:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			text(n.Content[i].Value)
			b.WriteByte(':')
			writeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case strict.ListKind:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case strict.NullKind:
		b.WriteString("null")
	case strict.BoolKind:
		b.WriteString(strings.ToLower(n.Value))
	case strict.IntKind, strict.FloatKind:
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
		} else {
			text(n.Value)
		}
	default:
		text(n.Value)
	}
}

// isNamed reports whether a field is a map by name.
func (f field) isNamed() bool {
	return reflect.PointerTo(f.typ).Implements(reflect.TypeFor[strict.Reader]())
}

// mapExample returns an example of such a map, as a source would give it.
func (f field) mapExample() string {
	switch {
	case strings.HasPrefix(f.key, "events."):
		return "{name: {tell: none}}"
	case f.key == "channels":
		return "{name: {kind: webhook}}"
	case f.key == "tools.exec.env":
		return "{NAME: value}"
	}
	return "{name: {command: [program]}}"
}

func (f field) isApprovals() bool { return f.typ == reflect.TypeFor[Approvals]() }

// flow returns a field's text in YAML's flow form: names separated by commas become a list.
func (f field) flow(text string) string {
	if f.isApprovals() && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return "[" + text + "]"
	}
	return text
}

// readNamed reads a map by name from its text.
func (f field) readNamed(text string, p place) (reflect.Value, error) {
	v := reflect.New(f.typ)
	text = f.flow(strings.TrimSpace(text))
	root, problem := strict.Parse([]byte("{\"value\": "+text+"\n}"), "a map", "")
	if f.isApprovals() && (problem != nil || root == nil || len(root.Content) != 2) {
		return v.Elem(), fmt.Errorf("wants a list such as [exec], or a map such as {exec: always}, not %s", wording.Quote(text))
	}
	if problem != nil || root == nil || len(root.Content) != 2 {
		return v.Elem(), fmt.Errorf("wants a map such as %s, not %s", f.mapExample(), wording.Quote(text))
	}
	var d strict.Decoder
	d.Value(root.Content[1], v.Interface(), f.key)
	if len(d.Problems) > 0 {
		p := d.Problems[0]
		return v.Elem(), fmt.Errorf("%s: %s", strings.TrimPrefix(strings.TrimPrefix(p.Path, f.key), "."), p.Text)
	}
	return v.Elem(), p.settle(v.Elem())
}

// formatNamed writes a map by name on one line.
func formatNamed(v reflect.Value) string {
	var b strings.Builder
	writeJSON(&b, namedNode(v))
	return b.String()
}

// namedNode returns a map by name as YAML, without what is not set.
func namedNode(v reflect.Value) *strict.Node {
	if a, ok := v.Interface().(Approvals); ok {
		return a.node()
	}
	m := strict.Map()
	for i := range v.Len() {
		m.Put(v.Index(i).Field(0).String(), givenNode(v.Index(i).Field(1)))
	}
	return m
}

// givenNode returns a value in such a map as YAML.
func givenNode(v reflect.Value) *strict.Node {
	switch x := v.Interface().(type) {
	case Span:
		return strict.Text(formatDuration(time.Duration(x)))
	case Settling:
		return givenNode(reflect.ValueOf(x.Span))
	case Percent:
		return strict.Text(x.String())
	case Size:
		return strict.Text(x.String())
	case int:
		return strict.Number(x)
	case Schema:
		return x.node
	case Variables:
		return namedNode(v)
	case bool:
		return strict.True() // a switch that is off is left out
	}
	switch v.Kind() {
	case reflect.Slice:
		list := strict.List().OnOneLine()
		for i := range v.Len() {
			list.Content = append(list.Content, givenNode(v.Index(i)))
		}
		return list
	case reflect.Struct:
		m := strict.Map()
		for _, f := range strict.Fields(v.Type()) {
			if value := v.FieldByIndex(f.Index); !value.IsZero() {
				m.Put(f.Name, givenNode(value))
			}
		}
		return m
	}
	return strict.Text(v.String())
}

// settle makes the paths in a map by name absolute.
func (p place) settle(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if err := p.settle(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).Type() != reflect.TypeFor[Schema]() {
				if err := p.settle(v.Field(i)); err != nil {
					return err
				}
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[Path]() && v.String() != "" {
			path, err := p.path(v.String())
			v.SetString(path)
			return err
		}
	}
	return nil
}
