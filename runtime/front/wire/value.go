package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"shelly/fsm/wording"
)

// DepthMax bounds how deeply a message is nested.
const DepthMax = 64

// ValuesMax bounds how many values a message has, of which each takes some 150 bytes of memory
// however short it is.
const ValuesMax = 200_000

// Kind is the type of a value.
type Kind string

// The kinds, in the words of errors.
const (
	Null   Kind = "null"
	Bool   Kind = "true or false"
	Number Kind = "a number"
	String Kind = "a text"
	List   Kind = "a list"
	Object Kind = "an object"
)

// nameShownMax is how many bytes of a name a path shows: a client may send a name of any length.
const nameShownMax = 100

// Value is a JSON value and its place.
type Value struct {
	Kind    Kind
	at      place
	Text    string // a text, or a number as it is written
	True    bool
	Items   []Value  // of a list
	Members []Member // of an object, in the order written
}

// Member is a member of an object.
type Member struct {
	Name string
	Value
}

// place is where a value is. Its path is made only when it is asked for: with the paths of all its
// values, a message with one long name would take the square of its length.
type place struct {
	in     *place // of what holds it; nil: it is the whole message
	name   string // of a member
	number int    // of an item
	item   bool
}

func (p *place) path() string {
	if p.in == nil {
		return ""
	}
	holder := p.in.path()
	switch {
	case p.item:
		return fmt.Sprintf("%s[%d]", holder, p.number)
	case holder == "":
		return wording.Clip(p.name, nameShownMax)
	}
	return holder + "." + wording.Clip(p.name, nameShownMax)
}

// Path returns where the value is, such as messages[2].content; empty: it is the whole message.
func (v Value) Path() string { return v.at.path() }

// Error says what is wrong with a message.
type Error struct {
	Param   string // the path of the field; empty: the message as a whole
	Message string
	Unknown bool // there is no such field
}

func (e *Error) Error() string { return e.Message }

// Fault returns an error about a value.
func (v Value) Fault(format string, args ...any) *Error {
	what := "the message"
	path := v.Path()
	if path != "" {
		what = fmt.Sprintf("%q", path)
	}
	return &Error{Param: path, Message: what + " " + fmt.Sprintf(format, args...)}
}

// Faithful returns an error about a text that would not come back as it was sent: half a surrogate pair is
// read as U+FFFD, whichever it is.
func (v Value) Faithful() *Error {
	if v.Kind == String && strings.ContainsRune(v.Text, utf8.RuneError) {
		return v.Fault(`holds U+FFFD, or what is read as that because it is no character, such as \ud800 alone; send another`)
	}
	return nil
}

// Parse reads one JSON value. It refuses invalid UTF-8, a name that is given twice, and more
// than [DepthMax] levels or [ValuesMax] values.
func Parse(data []byte) (Value, error) {
	if !utf8.Valid(data) {
		return Value{}, &Error{Message: "the message is not valid UTF-8"}
	}
	d := &decoder{json.NewDecoder(bytes.NewReader(data)), ValuesMax}
	d.UseNumber()
	v, err := d.parse(place{}, DepthMax)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Value{}, &Error{Message: fmt.Sprintf("there is more after the message's end, at byte %d", d.InputOffset())}
	}
	return v, nil
}

// decoder reads the values of one message.
type decoder struct {
	*json.Decoder
	left int // how many values more it may have
}

func (d *decoder) parse(at place, depth int) (Value, error) {
	v := Value{at: at}
	if d.left--; d.left < 0 {
		return v, &Error{Message: fmt.Sprintf("the message has more than %d values", ValuesMax)}
	}
	token, err := d.Token()
	if err != nil {
		return v, notJSON(d, err)
	}
	switch t := token.(type) {
	case nil:
		v.Kind = Null
	case bool:
		v.Kind, v.True = Bool, t
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = String, t
	case json.Delim:
		if depth == 0 {
			return v, &Error{Param: v.Path(), Message: fmt.Sprintf("the message is nested deeper than %d levels", DepthMax)}
		}
		if t == '[' {
			return v, v.items(d, depth-1)
		}
		return v, v.members(d, depth-1)
	}
	return v, nil
}

func (v *Value) items(d *decoder, depth int) error {
	v.Kind = List
	at := v.at
	for d.More() {
		item, err := d.parse(place{in: &at, number: len(v.Items), item: true}, depth)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	return closing(d)
}

func (v *Value) members(d *decoder, depth int) error {
	v.Kind = Object
	at, seen := v.at, map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return notJSON(d, err)
		}
		name, _ := token.(string) // within an object the decoder lets only texts be names
		below := place{in: &at, name: name}
		if seen[name] {
			path := below.path()
			return &Error{Param: path, Message: fmt.Sprintf("%q is given twice", path)}
		}
		seen[name] = true
		member, err := d.parse(below, depth)
		if err != nil {
			return err
		}
		v.Members = append(v.Members, Member{name, member})
	}
	return closing(d)
}

func closing(d *decoder) error {
	if _, err := d.Token(); err != nil {
		return notJSON(d, err)
	}
	return nil
}

func notJSON(d *decoder, err error) error {
	what := "is not JSON"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		what = "ends too early"
	}
	return &Error{Message: fmt.Sprintf("the message %s at byte %d", what, d.InputOffset())}
}
