package comm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// field is one text that an object may hold.
type field struct {
	name string
	to   *string
}

// decodeObject reads data as exactly one JSON object of the given texts. It is
// stricter than encoding/json, which takes names in any case, lets the last of
// two equal names win and puts U+FFFD in place of invalid UTF-8: what two readers
// could understand differently is refused (COM-6). Its errors are bad_request.
func decodeObject(data []byte, fields ...field) error {
	if !utf8.Valid(data) {
		return badRequest("the message is not valid UTF-8", "send JSON in UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := delim(d, '{'); err != nil {
		return err
	}
	seen := make([]bool, len(fields))
	for d.More() {
		if err := decodeField(d, fields, seen); err != nil {
			return err
		}
	}
	if err := delim(d, '}'); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badRequest(fmt.Sprintf("there is more behind the message's end at byte %d", d.InputOffset()), "send one JSON object")
	}
	return nil
}

func decodeField(d *json.Decoder, fields []field, seen []bool) error {
	token, err := d.Token()
	if err != nil {
		return notJSON(d, err)
	}
	name, _ := token.(string) // within an object the decoder lets only texts be names
	i := 0
	for i < len(fields) && fields[i].name != name {
		i++
	}
	if i == len(fields) {
		return badRequest(fmt.Sprintf("unknown field %q", name), "the fields are "+fieldNames(fields))
	}
	if seen[i] {
		return badRequest(fmt.Sprintf("field %q is there twice", name), "send it once")
	}
	seen[i] = true
	if token, err = d.Token(); err != nil {
		return notJSON(d, err)
	}
	text, ok := token.(string)
	if !ok {
		return badRequest(fmt.Sprintf("field %q is not a text", name), "put it in double quotes")
	}
	*fields[i].to = text
	return nil
}

func delim(d *json.Decoder, want json.Delim) error {
	switch token, err := d.Token(); {
	case err != nil:
		return notJSON(d, err)
	case token != want:
		return badRequest("the message is not a JSON object", `send an object such as {"text": "hello"}`)
	default:
		return nil
	}
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
