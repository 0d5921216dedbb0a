package comm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// errNull says that a value is null. A member that is null counts as missing: many libraries write
// what is not set so.
var errNull = errors.New("the value is null")

// field is one member that an object may hold, and how its value is read.
type field struct {
	name string
	read func(d *json.Decoder, name string) error
}

// text is a field that holds a text.
func text(name string, to *string) field {
	return scalar(name, to, "is not a text", "put it in double quotes")
}

// truth is a field that holds true or false.
func truth(name string, to *bool) field {
	return scalar(name, to, "is neither true nor false", "write one of them, without quotes")
}

// scalar is a field that holds a T, and what to say of another value.
func scalar[T string | bool](name string, to *T, is, hint string) field {
	return field{name, func(d *json.Decoder, name string) error {
		token, err := d.Token()
		if err != nil {
			return notJSON(d, err)
		}
		if token == nil {
			return errNull
		}
		value, ok := token.(T)
		if !ok {
			return badRequest(fmt.Sprintf("field %q %s", name, is), hint)
		}
		*to = value
		return nil
	}}
}

// list is a field that holds a list of at most countMax; item reads one of it.
func list(name string, countMax int, item func(d *json.Decoder, name string) error) field {
	return field{name, func(d *json.Decoder, name string) error {
		token, err := d.Token()
		switch {
		case err != nil:
			return notJSON(d, err)
		case token == nil:
			return errNull
		case token != json.Delim('['):
			return badRequest(fmt.Sprintf("field %q is not a list", name), "put it in brackets")
		}
		for n := 0; d.More(); n++ {
			if n == countMax {
				return badRequest(fmt.Sprintf("field %q has more than %d items", name, countMax), "send fewer")
			}
			at := fmt.Sprintf("%s[%d]", name, n)
			err := item(d, at)
			if errors.Is(err, errNull) {
				return badRequest(fmt.Sprintf("field %q is null", at), "leave it out")
			}
			if err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return notJSON(d, err)
		}
		return nil
	}}
}

// images is a field that holds a list of images in base64 (COM-11).
func images(name string, to *[][]byte) field {
	return list(name, ImagesMax, func(d *json.Decoder, name string) error {
		var encoded string
		if err := text(name, &encoded).read(d, name); err != nil {
			return err
		}
		image, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err != nil || len(image) == 0 {
			return badRequest(fmt.Sprintf("field %q is not an image in base64", name), "encode the file's bytes as RFC 4648 says, with padding")
		}
		if err := CheckImage(image); err != nil {
			return badRequest(fmt.Sprintf("field %q %v", name, err), "send the bytes of a PNG, JPEG or WebP file")
		}
		*to = append(*to, image)
		return nil
	})
}

// conversation is a field that holds messages, oldest message first.
func conversation(name string, to *[]fsm.Message) field {
	return list(name, ContextMax, func(d *json.Decoder, name string) error {
		var role string
		var m fsm.Message
		if err := object(d, name, text("role", &role), text("content", &m.Text)); err != nil {
			return err
		}
		switch m.Role = fsm.Role(role); m.Role {
		case fsm.RoleSystem, fsm.RoleUser, fsm.RoleAssistant:
			*to = append(*to, m)
			return nil
		default:
			return badRequest(fmt.Sprintf("the role of %q is %s", name, wording.Quote(role)), "the roles are system, user and assistant")
		}
	})
}

// decodeObject reads data as exactly one JSON object of the given fields. It is
// stricter than encoding/json, which takes names in any case, lets the last of
// two equal names win and puts U+FFFD in place of invalid UTF-8: what two readers
// could understand differently is refused (COM-6). Its errors are bad_request.
//
// The tokens are encoding/json's; only the objects are read here. encoding/json/v2 would do
// most of it but is still experimental in this version of Go. The strict YAML reader builds the
// whole tree first, while this one stops at the first item too many or bad image, and names its
// place.
func decodeObject(data []byte, fields ...field) error {
	if !utf8.Valid(data) {
		return badRequest("the message is not valid UTF-8", "send JSON in UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := object(d, "", fields...); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badRequest(fmt.Sprintf("there is more after the message's end, at byte %d", d.InputOffset()), "send one JSON object")
	}
	return nil
}

// DecodeTexts reads data as exactly one JSON object whose members are texts, as strictly as
// request bodies are read. Its errors are bad_request.
func DecodeTexts(data []byte, members map[string]*string) error {
	var fields []field
	for _, name := range slices.Sorted(maps.Keys(members)) {
		fields = append(fields, text(name, members[name]))
	}
	return decodeObject(data, fields...)
}

// object reads the next value as an object of the given fields. At is the place of the object in the
// message; empty: it is the message.
func object(d *json.Decoder, at string, fields ...field) error {
	switch token, err := d.Token(); {
	case err != nil:
		return notJSON(d, err)
	case token == json.Delim('{'):
	case at != "":
		return badRequest(fmt.Sprintf("field %q is not an object", at), "the fields of one are "+fieldNames(fields))
	default:
		return badRequest("the message is not a JSON object", `send an object such as {"text": "hello"}`)
	}
	seen := make([]bool, len(fields))
	for d.More() {
		if err := decodeField(d, at, fields, seen); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return notJSON(d, err)
	}
	return nil
}

func decodeField(d *json.Decoder, at string, fields []field, seen []bool) error {
	token, err := d.Token()
	if err != nil {
		return notJSON(d, err)
	}
	name, _ := token.(string) // within an object the decoder lets only texts be names
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if at != "" {
		name = at + "." + name
	}
	if i < 0 {
		return badRequest("unknown field "+wording.Quote(name), "the fields are "+fieldNames(fields))
	}
	if seen[i] {
		return badRequest(fmt.Sprintf("field %q is given twice", name), "send it once")
	}
	seen[i] = true
	if err := fields[i].read(d, name); !errors.Is(err, errNull) {
		return err
	}
	return nil
}

func notJSON(d *json.Decoder, err error) error {
	what := "is not JSON"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		what = "ends too early"
	}
	return badRequest(fmt.Sprintf("the message %s at byte %d", what, d.InputOffset()), "send one JSON object")
}

func fieldNames(fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}
