package grant

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"shelly/fsm"
)

// argument is one argument of a call, as a pattern sees it.
type argument struct{ name, text string }

// argumentsOf returns the arguments of a call, in their order. A name that is given twice
// is there twice. It returns false if they are not an object.
func argumentsOf(raw string) ([]argument, bool) {
	if raw = strings.TrimSpace(raw); raw == "" || raw == "null" {
		return nil, true
	}
	var quoted string
	if json.Unmarshal([]byte(raw), &quoted) == nil { // some models write the object as a string
		raw = quoted
	}
	d := json.NewDecoder(strings.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var list []argument
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		if text := string(value); text != "null" { // null counts as left out
			list = append(list, argument{name.(string), textOf(value)})
		}
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, false
	}
	return list, true
}

// textOf returns the text of a value: a string as it is; a list of strings without blanks,
// as an argv mostly is, joined with blanks; anything else as compact JSON.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(value, &list) == nil && plain(list) {
		return strings.Join(list, " ")
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, value) // a decoder has read it, so it is JSON
	return compact.String()
}

// plain reports whether a list of strings stays unambiguous when joined with blanks.
func plain(list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return s == "" || strings.ContainsAny(s, " \t\r\n") })
}

// subject returns the arguments of a call that a grant for it is about (APR-13): those that
// the tool names, or all.
func subject(decl *fsm.ToolDecl, all []argument) []argument {
	if len(decl.Subject) == 0 {
		return all
	}
	var list []argument
	for _, a := range all {
		if slices.ContainsFunc(decl.Subject, func(name string) bool { return strings.EqualFold(a.name, name) }) {
			list = append(list, a)
		}
	}
	return list
}
