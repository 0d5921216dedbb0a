package wire

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// An argument of a tool's call over HTTP is repeated in a header if the tool's schema names one for
// it by x-mcp-header, since 2026-07-28 (SEP-2243). The library does so only in the calls that are
// made by its own method.

// paramHeader is what the names of these headers begin with.
const paramHeader = "Mcp-Param-"

// repeated is an argument that is repeated in a header.
type repeated struct {
	of     *argument
	header string
}

// argument is a property of the arguments, or of another property. Whole paths would take the square
// of a schema's length.
type argument struct {
	in   *argument // nil: of the arguments
	name string
}

// value returns the argument's value in a call's arguments, or nil.
func (a *argument) value(arguments any) any {
	if a == nil {
		return arguments
	}
	in, _ := a.in.value(arguments).(map[string]any)
	return in[a.name]
}

// property is what of a schema names the headers. The library leaves out tools with invalid names.
type property struct {
	Header     string              `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// repeats returns the arguments that the schema of a tool has repeated.
func repeats(schema json.RawMessage) (list []repeated) {
	var of property
	if json.Unmarshal(schema, &of) != nil {
		return nil
	}
	of.walk(nil, func(r repeated) { list = append(list, r) })
	return list
}

func (p property) walk(at *argument, found func(repeated)) {
	for name, in := range p.Properties {
		below := &argument{at, name}
		if in.Header != "" {
			found(repeated{below, paramHeader + in.Header})
		}
		in.walk(below, found)
	}
}

type headersKey struct{}

// repeating returns a context whose requests have the headers that repeat a call's arguments.
func repeating(ctx context.Context, list []repeated, arguments any) context.Context {
	header := http.Header{}
	for _, r := range list {
		if text, ok := headerText(r.of.value(arguments)); ok {
			header.Set(r.header, text)
		}
	}
	return context.WithValue(ctx, headersKey{}, header)
}

// repeat sets the headers of a request's context.
func repeat(req *http.Request) {
	header, _ := req.Context().Value(headersKey{}).(http.Header)
	maps.Copy(req.Header, header)
}

// numberMax is the largest whole number that a float64 has for certain.
const numberMax = 1 << 53

// headerText returns an argument as a header has it; false: it has no header.
func headerText(value any) (string, bool) {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatInt(int64(v), 10), v == math.Trunc(v) && math.Abs(v) <= numberMax
	case int64, uint64: // beyond that
		return fmt.Sprint(v), true
	case string:
		return HeaderText(v), true
	}
	return "", false
}

// The marks of a text that a header cannot have as it is.
const (
	encodedBegin = "=?base64?"
	encodedEnd   = "?="
)

// HeaderText returns a text as a header has it. No text can end the header.
func HeaderText(text string) string {
	odd := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if odd || strings.Trim(text, " ") != text || strings.HasPrefix(text, encodedBegin) && strings.HasSuffix(text, encodedEnd) {
		return encodedBegin + base64.StdEncoding.EncodeToString([]byte(text)) + encodedEnd
	}
	return text
}

// textOf returns the text that a header has by [HeaderText].
func textOf(header string) string {
	encoded, begins := strings.CutPrefix(header, encodedBegin)
	encoded, ends := strings.CutSuffix(encoded, encodedEnd)
	text, err := base64.StdEncoding.DecodeString(encoded)
	if !begins || !ends || err != nil {
		return header
	}
	return string(text)
}
