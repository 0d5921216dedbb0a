package scenario

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// decoder walks the nodes of a file along the types of file.go and gathers what
// is wrong.
type decoder struct {
	doc      *document
	row      *row // the case's of the matrix
	where    map[string]Pos
	problems []Problem
	depth    int
	size     size
	stopped  bool                // a limit was met: the rest is not looked at
	entered  Pos                 // of the value that was entered last, as the file has it
	verbatim int                 // the depth of a value in which no variables are put in; 0: not within one
	used     []bool              // of document.names
	put      map[*yaml.Node]bool // texts that have their variables; only looked up
	unfilled bool                // variables are not put in, and what names them is passed over
}

// size is how much is read, aliases and variables written out.
type size struct{ nodes, bytes int }

func (s *size) add(o size) { s.nodes, s.bytes = s.nodes+o.nodes, s.bytes+o.bytes }

// reader is a type with a form of its own.
type reader interface {
	read(d *decoder, n *yaml.Node, path string)
}

// read reads the root of a file.
func (d *decoder) read(n *yaml.Node, f *File) {
	d.value(n, reflect.ValueOf(f).Elem(), "")
}

func (d *decoder) add(n *yaml.Node, path, text string) {
	d.problems = append(d.problems, Problem{Pos: d.pos(n), Path: path, Text: text})
}

// pos is the place of a node, in its file.
func (d *decoder) pos(n *yaml.Node) Pos {
	return Pos{Line: n.Line, Col: n.Column, File: d.doc.files[n]}
}

// enter follows an alias, counts the node, checks what holds for every node and puts
// in the variables of a text (SCN-17). It returns nil where the node is not to be looked into; leave ends the visit
// of any other.
func (d *decoder) enter(n *yaml.Node, path string) *yaml.Node {
	n = follow(n)
	d.entered = d.pos(n)
	d.size.nodes++
	d.depth++
	switch {
	case d.stopped:
	case d.depth > DepthMax:
		d.stop(n, path, tooDeep())
	case d.size.nodes > NodesMax:
		d.stop(n, path, fmt.Sprintf("too many values, aliases and variables written out; the limit is %d", NodesMax))
	case n.Style&yaml.TaggedStyle != 0:
		d.add(n, path, "tags ("+shown(n.Tag)+") are not supported; remove it")
	default:
		if d.wantsVariables(n) {
			if d.unfilled {
				break
			}
			n = d.putIn(n, path)
		}
		if n != nil && d.weigh(n, path) {
			return n
		}
	}
	d.leave()
	return nil
}

func (d *decoder) leave() {
	if d.verbatim == d.depth {
		d.verbatim = 0
	}
	d.depth--
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// weigh counts the bytes of a text or key. It reports whether the limit holds.
func (d *decoder) weigh(n *yaml.Node, path string) bool {
	ok := d.fits(n, len(n.Value), path)
	d.size.bytes += len(n.Value)
	return ok
}

// fits reports whether more bytes are within the limit.
func (d *decoder) fits(n *yaml.Node, bytes int, path string) bool {
	if d.size.bytes+bytes > TextBytesMax {
		d.stop(n, path, fmt.Sprintf("too much text, aliases and variables written out; the limit is %d MiB", TextBytesMax>>20))
	}
	return !d.stopped
}

func (d *decoder) stop(n *yaml.Node, path, text string) {
	d.stopped = true
	d.add(n, clip(path, shownBytesMax), text)
}

// value reads a node into v by v's type.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	if n = d.enter(n, path); n == nil {
		return
	}
	defer d.leave()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if isNull(n) {
		d.add(n, path, absentValue(n))
		return
	}
	if r, ok := v.Addr().Interface().(reader); ok {
		r.read(d, n, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.object(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	case reflect.String:
		if text, ok := d.text(n, path); ok {
			v.SetString(text)
		}
	case reflect.Int:
		if number, ok := d.number(n, path); ok {
			v.SetInt(int64(number))
		}
	case reflect.Bool:
		d.truth(n, v, path)
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func absentValue(n *yaml.Node) string {
	if n.Value == "" {
		return "has no value; give one, or leave the key out"
	}
	return "has no value: a bare " + n.Value + " is YAML's null; quote it if it is meant as text"
}

// object reads a map into a struct.
func (d *decoder) object(n *yaml.Node, v reflect.Value, path string) {
	fields := fieldsOf(v.Type())
	if n.Kind != yaml.MappingNode {
		d.add(n, path, "wants a map of "+strings.Join(names(fields), ", ")+"; found "+kindOf(n))
		return
	}
	if len(n.Content) == 0 {
		d.add(n, path, "is empty; the keys here are: "+strings.Join(names(fields), ", "))
		return
	}
	given := map[string]bool{}
	d.members(n, path, func(key, value *yaml.Node, at string) {
		i := indexOf(fields, key.Value)
		if i < 0 {
			d.add(key, at, unknown("key", key.Value, names(fields)))
			return
		}
		given[key.Value] = true
		known := len(d.problems)
		d.value(value, v.FieldByIndex(fields[i].index), at)
		if len(d.problems) == known {
			d.enumerated(d.pos(follow(value)), v.FieldByIndex(fields[i].index), fields[i], at)
		}
	})
	for _, f := range fields {
		if f.required && !given[f.name] {
			d.add(n, path, "the key "+f.name+" is missing")
		}
	}
}

// members calls fn for each member of a map whose key is a word that has not
// been given before.
func (d *decoder) members(n *yaml.Node, path string, fn func(key, value *yaml.Node, at string)) {
	first := map[string]int{} // key to line
	for i := 0; i+1 < len(n.Content) && !d.stopped; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			d.add(key, path, "merge keys (<<) are not supported; write the keys out")
			continue
		case key.Kind != yaml.ScalarNode:
			d.add(key, path, "a key is a word, found "+kindOf(key))
			continue
		}
		if !d.weigh(key, path) {
			return
		}
		at := member(path, key.Value)
		if line, twice := first[key.Value]; twice {
			d.add(key, at, fmt.Sprintf("already given on line %d", line))
			continue
		}
		first[key.Value] = key.Line
		d.where[at] = d.pos(key)
		fn(key, value, at)
	}
}

func member(path, key string) string {
	if path == "" {
		return shown(key)
	}
	return path + "." + shown(key)
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// list reads a list into a slice; an empty list is an empty slice, not nil.
func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.add(n, path, "wants a list, found "+kindOf(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		at := element(path, i)
		d.where[at] = d.pos(item)
		d.value(item, v.Index(i), at)
	}
}

// text reads a text. A number or a switch is not one.
func (d *decoder) text(n *yaml.Node, path string) (string, bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return n.Value, true
	}
	text := "wants text, not " + kindOf(n)
	if n.Kind == yaml.ScalarNode {
		text += "; quote it if it is meant as text"
	}
	d.add(n, path, text)
	return "", false
}

// number reads a whole number in decimal.
func (d *decoder) number(n *yaml.Node, path string) (int, bool) {
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int":
		if digits := strings.TrimPrefix(n.Value, "-"); digits == "0" || strings.Trim(digits, "0123456789") == "" && digits[0] != '0' {
			if number, err := strconv.ParseInt(n.Value, 10, 32); err == nil {
				return int(number), true
			}
			d.add(n, path, "the number "+shown(n.Value)+" is too large")
			return 0, false
		}
		d.add(n, path, "write the number "+shown(n.Value)+" in plain decimal")
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		d.add(n, path, "wants a whole number, not text ("+shown(n.Value)+")")
	default:
		d.add(n, path, "wants a whole number, not "+kindOf(n))
	}
	return 0, false
}

// truth reads a switch. Only true is of use: what is not wanted is left out.
func (d *decoder) truth(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.add(n, path, "wants true or false, not "+kindOf(n))
		return
	}
	v.SetBool(strings.EqualFold(n.Value, "true"))
}

// enumerated checks a text against the words that its field allows.
func (d *decoder) enumerated(pos Pos, v reflect.Value, f field, path string) {
	if f.enum == nil {
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			d.enumerated(d.where[element(path, i)], v.Index(i), f, element(path, i))
		}
		return
	}
	for _, word := range f.enum {
		if v.String() == word {
			return
		}
	}
	d.problems = append(d.problems, Problem{Pos: pos, Path: path, Text: unknown("word", v.String(), f.enum)})
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
		return "the number " + shown(n.Value)
	case "!!bool":
		return "the switch " + shown(n.Value)
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "the time " + shown(n.Value)
	}
	return "the text " + strconv.Quote(clip(n.Value, shownBytesMax))
}

// field is a key of a struct.
type field struct {
	name     string
	index    []int // as of [reflect.Value.FieldByIndex]
	required bool
	enum     []string
}

// fieldsOf returns the keys of a struct type in the order of its fields, those of an
// embedded struct in its place.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		if t.Field(i).Anonymous && t.Field(i).Type.Kind() == reflect.Struct {
			for _, f := range fieldsOf(t.Field(i).Type) {
				f.index = append([]int{i}, f.index...)
				fields = append(fields, f)
			}
			continue
		}
		tag, ok := t.Field(i).Tag.Lookup("key")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		f := field{name: name, index: []int{i}, required: option == "required"}
		if words := t.Field(i).Tag.Get("enum"); words != "" {
			f.enum = strings.Split(words, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

func names(fields []field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return list
}

func indexOf(fields []field, name string) int {
	for i, f := range fields {
		if f.name == name {
			return i
		}
	}
	return -1
}
