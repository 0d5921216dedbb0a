package mock

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// What a request demands of the form of an answer applies to a script as it does to a model
// (CLI-61).

// shaped returns the answer as the request wants it: in its format, up to a stop word, and without
// calls if no tools were offered, because a model writes none then.
func (r *chatRequest) shaped(a Answer, stops []string) Answer {
	if len(a.Calls) > 0 && (len(r.Tools) == 0 || r.formatted()) {
		if !r.formatted() {
			a = a.saying(a.said() + written((&speaker{asked: r}).calls(a)))
		}
		a.Calls = nil
	}
	if r.formatted() {
		a = a.saying(conforming(r.Format, a.said()))
	}
	if text := a.said(); len(stops) > 0 {
		end := len(text)
		for _, stop := range stops {
			if i := strings.Index(text, stop); i >= 0 && stop != "" {
				end = min(end, i)
			}
		}
		if end < len(text) {
			a = a.saying(text[:end])
			a.Calls, a.Length = nil, false
		}
	}
	return a
}

// said returns the whole text.
func (a *Answer) said() string {
	text := ""
	for _, p := range a.pieces() {
		text += p.Text
	}
	return text
}

// saying returns the answer with another text, keeping the pieces of the old one as far as they
// agree with it.
func (a Answer) saying(text string) Answer {
	var pieces []Piece
	rest := text
	for _, p := range a.pieces() {
		if p.Text != "" && !strings.HasPrefix(rest, p.Text) {
			p.Text = ""
		}
		rest = rest[len(p.Text):]
		pieces = append(pieces, p)
	}
	a.Text, a.Empty, a.Pieces = text, false, append(pieces, Piece{Text: rest})
	return a
}

// formatted reports whether the request wants JSON.
func (r *chatRequest) formatted() bool {
	switch string(bytes.TrimSpace(r.Format)) {
	case "", "null", `""`:
		return false
	default:
		return true
	}
}

// conforming returns a text as the format wants it: unchanged if it is an object already, otherwise
// the smallest value that meets the schema, with the text in the first place for a string.
func conforming(format json.RawMessage, text string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) == nil {
		return text
	}
	var schema shapeOf
	if json.Unmarshal(format, &schema) != nil { // "json"
		return string(encodeWord(map[string]string{"answer": text}))
	}
	return string(encodeWord(schema.least(&filling{text: text, items: schemaItemsMax}, schemaDepthMax)))
}

const (
	schemaDepthMax = 8    // bounds how deeply a value is nested: a schema may contain itself
	schemaItemsMax = 1000 // bounds the items of all lists together: a short schema may ask for any number
)

// filling is what is left to put into a value.
type filling struct {
	text  string
	items int
}

// shapeOf is the part of a JSON schema that a value is made from.
type shapeOf struct {
	Type       any                `json:"type"`
	Properties map[string]shapeOf `json:"properties"`
	Items      *shapeOf           `json:"items"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	AnyOf      []shapeOf          `json:"anyOf"`
	MinItems   int                `json:"minItems"`
}

func (s shapeOf) least(f *filling, depth int) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0 && depth > 0:
		return s.AnyOf[0].least(f, depth-1)
	}
	kind, _ := s.Type.(string)
	if list, ok := s.Type.([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch {
	case kind == "string":
		said := f.text
		f.text = ""
		return said
	case kind == "integer", kind == "number":
		return 0
	case kind == "boolean":
		return false
	case kind == "null" || depth == 0:
		return nil
	case kind == "array":
		list := []any{}
		for n := s.MinItems; n > 0 && f.items > 0 && s.Items != nil; n-- {
			f.items--
			list = append(list, s.Items.least(f, depth-1))
		}
		return list
	}
	return s.members(f, depth)
}

// members returns all members that an object may have, in the order of their names.
func (s shapeOf) members(f *filling, depth int) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		object[name] = s.Properties[name].least(f, depth-1)
	}
	return object
}
