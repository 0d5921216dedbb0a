package strict

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"shelly/fsm/wording"
)

// The limits on what is read of one file (SCN-19).
const (
	NodesMax     = 20_000  // values, aliases and variables written out
	TextBytesMax = 4 << 20 // texts and keys, aliases and variables written out
)

// Reader is a type with a form of its own. The node is no alias.
type Reader interface {
	Read(d *Decoder, n *Node, path string)
}

// Decoder walks the nodes of a file along the types of values and gathers what is wrong.
type Decoder struct {
	Sources  Sources
	Problems []Problem
	Where    map[string]Pos // of every key and list entry, by its path; nil: it is not noted
	Entered  Pos            // of the value that was entered last, as the file has it
	Size     Size           // of what was read
	Most     int            // values that may be read; 0: NodesMax

	// Fill returns what stands for a text in which variables may be, or nil after a
	// problem; where it is nil a text stands for itself.
	Fill func(d *Decoder, n *Node, path string) *Node

	fields   map[reflect.Type][]Field // of the types that were met
	depth    int
	verbatim int  // the depth of a value in which no variables are put in; 0: not within one
	stopped  bool // a limit was met: the rest is not looked at
}

// Size is how much is read, aliases and variables written out.
type Size struct{ Nodes, Bytes int }

// Add adds what was read elsewhere.
func (s *Size) Add(o Size) { s.Nodes, s.Bytes = s.Nodes+o.Nodes, s.Bytes+o.Bytes }

// Add adds a problem at the place of a node.
func (d *Decoder) Add(n *Node, path, text string) {
	d.Problems = append(d.Problems, Problem{Pos: n.Pos, Path: path, Text: text})
}

// At adds a problem at the place of a path that was read.
func (d *Decoder) At(path, text string) {
	d.Problems = append(d.Problems, Problem{Pos: d.Where[path], Path: path, Text: text})
}

// Enter follows an alias, counts the node, checks what holds for every node and puts
// in the variables of a text (SCN-17). It returns nil where the node is not to be looked
// into; Leave ends the visit of any other.
func (d *Decoder) Enter(n *Node, path string) *Node {
	n = n.Follow()
	d.Entered = n.Pos
	d.Size.Nodes++
	d.depth++
	switch {
	case d.stopped:
	case d.depth > DepthMax:
		d.Stop(n, path, tooDeep())
	case d.Size.Nodes > cmp.Or(d.Most, NodesMax):
		d.Stop(n, path, fmt.Sprintf("too many values, aliases and variables written out; the limit is %d", cmp.Or(d.Most, NodesMax)))
	case n.Tag != "":
		d.Add(n, path, Tagged(n))
	default:
		if d.Fill != nil && d.verbatim == 0 && n.Kind == TextKind && !n.Filled && strings.Contains(n.Value, "${") {
			n = d.Fill(d, n, path)
		}
		if n != nil && d.weigh(n, path) {
			if n.Filled && !n.Scalar() {
				d.Verbatim()
			}
			return n
		}
	}
	d.Leave()
	return nil
}

// Leave ends the visit of a node.
func (d *Decoder) Leave() {
	if d.verbatim == d.depth {
		d.verbatim = 0
	}
	d.depth--
}

// Verbatim has no variables put into the value that is read.
func (d *Decoder) Verbatim() {
	if d.verbatim == 0 {
		d.verbatim = d.depth
	}
}

// Stopped reports whether a limit was met.
func (d *Decoder) Stopped() bool { return d.stopped }

// weigh counts the bytes of a text or key. It reports whether the limit holds.
func (d *Decoder) weigh(n *Node, path string) bool {
	ok := d.Fits(n, len(n.Value), path)
	d.Size.Bytes += len(n.Value)
	return ok
}

// Fits reports whether more bytes are within the limit.
func (d *Decoder) Fits(n *Node, bytes int, path string) bool {
	if d.Size.Bytes+bytes > TextBytesMax {
		d.Stop(n, path, fmt.Sprintf("too much text, aliases and variables written out; the limit is %d MiB", TextBytesMax>>20))
	}
	return !d.stopped
}

// Stop ends the reading with a problem.
func (d *Decoder) Stop(n *Node, path, text string) {
	d.stopped = true
	d.Add(n, wording.Clip(path, wording.ShownMax), text)
	d.Problems[len(d.Problems)-1].Size = true
}

// Value reads a node into what a pointer points to, by its type.
func (d *Decoder) Value(n *Node, to any, path string) { d.value(n, reflect.ValueOf(to).Elem(), path) }

func (d *Decoder) value(n *Node, v reflect.Value, path string) {
	if n = d.Enter(n, path); n == nil {
		return
	}
	defer d.Leave()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if n.Kind == NullKind {
		d.Add(n, path, Absent(n))
		return
	}
	if r, ok := v.Addr().Interface().(Reader); ok {
		r.Read(d, n, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.object(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	case reflect.String:
		if text, ok := d.Text(n, path); ok {
			v.SetString(text)
		}
	case reflect.Int:
		if number, ok := d.Number(n, path); ok {
			v.SetInt(int64(number))
		}
	case reflect.Bool:
		v.SetBool(d.Truth(n, path))
	}
}

// Tagged says of a node that its tag is not allowed.
func Tagged(n *Node) string {
	return "tags (" + wording.Word(n.Tag) + ") are not supported; remove it"
}

// Absent says of a null that it is no value.
func Absent(n *Node) string {
	if n.Value == "" {
		return "has no value; give one, or leave the key out"
	}
	return "has no value: a bare " + n.Value + " is YAML's null; quote it if it is meant as text"
}

// Object reads a map into the struct that a pointer points to, though its type is a
// [Reader].
func (d *Decoder) Object(n *Node, to any, path string) { d.object(n, reflect.ValueOf(to).Elem(), path) }

func (d *Decoder) object(n *Node, v reflect.Value, path string) {
	fields := d.fieldsOf(v.Type())
	if n.Kind != MapKind {
		d.Add(n, path, "wants a map of "+strings.Join(names(fields), ", ")+"; found "+n.String())
		return
	}
	if len(n.Content) == 0 {
		d.Add(n, path, "is empty; the keys here are: "+strings.Join(names(fields), ", "))
		return
	}
	given := make([]bool, len(fields))
	d.Members(n, path, func(key, value *Node, at string) {
		i := indexOf(fields, key.Value)
		if i < 0 {
			d.Add(key, at, unknownKey(v, key.Value, names(fields)))
			return
		}
		given[i] = true
		known := len(d.Problems)
		d.value(value, v.FieldByIndex(fields[i].Index), at)
		if len(d.Problems) == known {
			d.enumerated(value.Follow().Pos, v.FieldByIndex(fields[i].Index), fields[i], at)
			d.bounded(value.Follow(), reflect.Indirect(v.FieldByIndex(fields[i].Index)), fields[i].Range, at)
		}
	})
	for i := range fields {
		if fields[i].Required && !given[i] {
			d.Add(n, path, "the key "+fields[i].Name+" is missing")
		}
	}
}

// Elsewhere is what a struct implements that knows of a key, which it does not have, that another
// place has: it says where that is, or "".
type Elsewhere interface{ Elsewhere(key string) string }

// unknownKey says that a map has a key that it cannot have.
func unknownKey(of reflect.Value, key string, allowed []string) string {
	if strings.Contains(key, "${") {
		return "a variable stands for a value, not for a key; let one stand for the whole map"
	}
	if e, ok := of.Addr().Interface().(Elsewhere); ok {
		if where := e.Elsewhere(key); where != "" {
			return "unknown key " + wording.Word(key) + "; " + where
		}
	}
	return wording.Unknown("key", key, allowed)
}

// fieldsOf is [Fields], looked up once for each type.
func (d *Decoder) fieldsOf(t reflect.Type) []Field {
	fields, known := d.fields[t]
	if !known {
		fields = Fields(t)
		if d.fields == nil {
			d.fields = map[reflect.Type][]Field{}
		}
		d.fields[t] = fields
	}
	return fields
}

// Members calls fn for each member of a map whose key is a word that has not
// been given before.
func (d *Decoder) Members(n *Node, path string, fn func(key, value *Node, at string)) {
	var first map[string]int // key to line, where there are many keys
	if len(n.Content) > 2*keysFew {
		first = make(map[string]int, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content) && !d.stopped; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == mergeKind:
			d.Add(key, path, "merge keys (<<) are not supported; write the keys out")
			continue
		case !key.Scalar():
			d.Add(key, path, "a key is a word, found "+key.String())
			continue
		}
		if !d.weigh(key, path) {
			return
		}
		at := Member(path, key.Value)
		if line, twice := given(n, i, first); twice {
			d.Add(key, at, fmt.Sprintf("already given on line %d", line))
			continue
		}
		d.note(at, key)
		fn(key, value, at)
	}
}

// keysFew is how many keys of a map are compared with each other; those of a larger one are
// looked up.
const keysFew = 16

// given is the line of the first key of a map that is the i-th of its content, or false where
// that is the first. Keys are asked for in their order; first has those before it, or is nil.
func given(n *Node, i int, first map[string]int) (line int, twice bool) {
	key := n.Content[i]
	if first != nil {
		if line, twice = first[key.Value]; !twice {
			first[key.Value] = key.Line
		}
		return line, twice
	}
	for k := 0; k < i; k += 2 {
		if o := n.Content[k]; o.Scalar() && o.Value == key.Value {
			return o.Line, true
		}
	}
	return 0, false
}

func (d *Decoder) note(path string, n *Node) {
	if d.Where != nil {
		d.Where[path] = n.Pos
	}
}

// Member is the path of a member of a map.
func Member(path, key string) string {
	if path == "" {
		return wording.Word(key)
	}
	return path + "." + wording.Word(key)
}

// Element is the path of an entry of a list.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// List reads a list into the slice that a pointer points to, though its type is a
// [Reader]; an empty list is an empty slice, not nil.
func (d *Decoder) List(n *Node, to any, path string) { d.list(n, reflect.ValueOf(to).Elem(), path) }

func (d *Decoder) list(n *Node, v reflect.Value, path string) {
	if n.Kind != ListKind {
		d.Add(n, path, "wants a list, found "+n.String())
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	d.Items(n, path, func(i int, item *Node, at string) { d.value(item, v.Index(i), at) })
}

// Items calls fn for each entry of a list, until a limit is met.
func (d *Decoder) Items(n *Node, path string, fn func(i int, item *Node, at string)) {
	for i, item := range n.Content {
		if d.stopped {
			return
		}
		at := Element(path, i)
		d.note(at, item)
		fn(i, item, at)
	}
}
