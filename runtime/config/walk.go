package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"shelly/fsm"
)

// walker reads one YAML file against the schema (CFG-3). It decides which keys and
// which kinds of node are allowed; what a text means is [field.parse]'s.
type walker struct {
	file        string
	schema      schema
	assignments []assignment
	problems    problems
}

func (w *walker) at(line, col int) origin {
	return origin{layer: layerFile, name: w.file, line: line, col: col}
}

func (w *walker) add(n *yaml.Node, key, what string) {
	w.problems.add(w.at(n.Line, n.Column), key, what)
}

// walk reads the whole file.
func (w *walker) walk(text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		w.problems.add(w.at(1, 1), "", "is empty; delete the file or give it a key")
		return
	}
	if !w.readable(text) {
		return
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		w.syntax(err, text)
		return
	}
	var doc, second yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return // nothing but comments
	} else if err != nil {
		w.syntax(err, text)
		return
	}
	if err := loader.Load(&second); err == nil {
		w.add(&second, "", "a second document begins; a configuration is one document")
	} else if !errors.Is(err, io.EOF) {
		w.syntax(err, text)
	}
	for _, n := range doc.Content {
		w.section(n, "")
	}
}

// readable refuses bytes that are no text, with their place, before the parser
// refuses them without one.
func (w *walker) readable(text []byte) bool {
	line, col := 1, 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			w.problems.add(w.at(line, col), "", fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", text[i]))
			return false
		case isControl(r) && !strings.ContainsRune("\t\r\n", r):
			w.problems.add(w.at(line, col), "", fmt.Sprintf("control character U+%04X; remove it", r))
			return false
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		i += size
	}
	return true
}

// syntax words a parser's error for whoever wrote the file.
func (w *walker) syntax(err error, text []byte) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		w.problems.add(w.at(1, 1), "", "is not YAML: "+strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	begin, end := w.at(e.ContextMark.Line, e.ContextMark.Column), w.at(e.Mark.Line, e.Mark.Column)
	switch {
	case tabIndented(text, e.Mark.Line):
		w.problems.add(end, "", "tab used for indentation; use spaces")
	case strings.Contains(e.Message, "could not find expected ':'"):
		w.problems.add(begin, "", "expected `key: value`")
	case strings.Contains(e.ContextMsg, "flow sequence"):
		w.problems.add(begin, "", "unclosed [")
	case strings.Contains(e.ContextMsg, "flow mapping"):
		w.problems.add(begin, "", "unclosed {")
	case strings.Contains(e.ContextMsg, "quoted scalar") && strings.Contains(e.Message, "end of stream"):
		w.problems.add(begin, "", "unclosed quote")
	case strings.Contains(e.Message, "mapping values are not allowed"):
		w.problems.add(end, "", "a second `:` or a wrong indentation; quote the text, or line the key up with its neighbours")
	case strings.Contains(e.Message, "max depth") || strings.Contains(e.ContextMsg, "flow node"):
		w.problems.add(end, "", "unclosed [ or {, or nested too deep")
	default:
		w.problems.add(end, "", "is not YAML: "+e.Message)
	}
}

// tabIndented reports whether a line, counted from 1, begins with a tab behind
// any spaces.
func tabIndented(text []byte, line int) bool {
	lines := bytes.Split(text, []byte("\n"))
	return line >= 1 && line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[line-1], " "), []byte("\t"))
}

// section reads a mapping; prefix is the section's key, "" at the top.
func (w *walker) section(n *yaml.Node, prefix string) {
	switch {
	case n.Kind == yaml.AliasNode:
		w.add(n, prefix, "aliases are not supported; write the values out")
		return
	case n.ShortTag() == "!!null" && prefix != "":
		return // a section whose keys are all commented out
	case n.Kind != yaml.MappingNode:
		what := "a configuration"
		if prefix != "" {
			what = "this section"
		}
		w.add(n, prefix, what+" is a map of `key: value`, found "+kindOf(n))
		return
	}
	seen := map[string]int{} // key to line
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if name, ok := w.name(key, prefix); ok {
			if line, twice := seen[name]; twice {
				w.add(key, name, fmt.Sprintf("already given on line %d", line))
				continue
			}
			seen[name] = key.Line
			w.value(key, value, name)
		}
	}
}

// name returns the whole key of a mapping's key node.
func (w *walker) name(key *yaml.Node, prefix string) (string, bool) {
	switch {
	case key.ShortTag() == "!!merge":
		w.add(key, prefix, "merge keys (<<) are not supported; write the keys out")
		return "", false
	case key.Kind != yaml.ScalarNode:
		w.add(key, prefix, "a key is a word, found "+kindOf(key))
		return "", false
	case prefix == "":
		return key.Value, true
	}
	return prefix + "." + key.Value, true
}

// value reads what belongs to a key: a section or one value.
func (w *walker) value(key, value *yaml.Node, name string) {
	if strings.Contains(key.Value, ".") {
		// "limits.grace: 5s" would be found in the schema, but a file nests.
		w.add(key, quoteOdd(name), "unknown key; nest it: a dot is not part of a key")
		return
	}
	if w.schema.isSection(name) {
		w.section(value, name)
		return
	}
	f, ok := w.schema.field(name)
	if !ok {
		w.add(key, quoteOdd(name), w.schema.unknownKey(name))
		return
	}
	if f.isList() {
		w.list(f, value)
		return
	}
	if what := f.accepts(value); what != "" {
		w.add(value, name, what)
		return
	}
	w.assignments = append(w.assignments, assignment{field: f, text: value.Value, origin: w.at(value.Line, value.Column)})
}

// list reads the value of a field that is a list.
func (w *walker) list(f field, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode || n.Style&yaml.TaggedStyle != 0 {
		w.add(n, f.key, "wants "+f.wants()+", found "+kindOf(n))
		return
	}
	items := make([]string, len(n.Content))
	for i, item := range n.Content {
		what := f.item().accepts(item)
		if what == "" && strings.ContainsAny(item.Value, ",[]") {
			what = "an item holds no comma or bracket"
		}
		if what != "" {
			w.add(item, f.key, what)
			return
		}
		items[i] = item.Value
	}
	w.assignments = append(w.assignments, assignment{
		field: f, text: "[" + strings.Join(items, ", ") + "]", origin: w.at(n.Line, n.Column),
	})
}

// accepts says what is wrong with the kind of node given for a field, or "".
func (f field) accepts(n *yaml.Node) string {
	tag := n.ShortTag()
	switch {
	case n.Kind == yaml.AliasNode:
		return "aliases are not supported; write the value out"
	case n.Kind != yaml.ScalarNode:
		return "wants " + f.wants() + ", found " + kindOf(n)
	case n.Style&yaml.TaggedStyle != 0:
		return "tags (" + quoteOdd(n.Tag) + ") are not supported"
	case tag == "!!null" && n.Value != "":
		return "has no value: a bare " + n.Value + " is YAML's null; quote it if it is meant as text"
	case tag == "!!null":
		return "has no value; give one, or leave the key out for the default"
	}
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch f.typ {
	case reflect.TypeFor[int](), reflect.TypeFor[Temperature]():
		if tag == "!!str" && quoted && n.Value != ownTemperature {
			return "wants " + f.wants() + ", not text; remove the quotes"
		}
	case reflect.TypeFor[bool]():
		if tag != "!!bool" {
			return "wants " + f.wants() + ", not " + quote(n.Value)
		}
	case reflect.TypeFor[time.Duration](), reflect.TypeFor[fsm.Millis](), reflect.TypeFor[Bytes]():
	default:
		if tag != "!!str" {
			return "wants " + f.wants() + ", found " + kindOf(n) + "; quote it if it is meant"
		}
	}
	return ""
}

// wants names the kind of value that a field takes.
func (f field) wants() string {
	switch f.typ {
	case reflect.TypeFor[int]():
		return "a whole number"
	case reflect.TypeFor[Temperature]():
		return "a number"
	case reflect.TypeFor[[]fsm.Millis]():
		return "a list such as [1s, 5s]"
	case reflect.TypeFor[[]string]():
		return "a list such as [exec]"
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

// kindOf names a node for an error.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "the number " + clip(n.Value)
	case "!!bool":
		return "the switch " + clip(n.Value)
	case "!!null":
		return "nothing"
	}
	return quote(n.Value)
}
