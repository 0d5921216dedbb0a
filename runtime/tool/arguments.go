package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/tool/parameters"
)

// Arguments are the arguments of a call that fit its declaration: text, float64, bool,
// []any, map[string]any by name, as encoding/json reads them. A whole number beyond 2^53, which
// float64 might not hold exactly, is an int64 or uint64, so that a long id is passed on as it was given.
type Arguments map[string]any

// Text returns a text, or otherwise if it was left out.
func (a Arguments) Text(name, otherwise string) string {
	if s, ok := a[name].(string); ok {
		return s
	}
	return otherwise
}

// numberMax bounds the absolute value of a number.
const numberMax = 1_000_000_000

// Number returns a whole number, or otherwise if it was left out.
func (a Arguments) Number(name string, otherwise int) int {
	switch n := a[name].(type) {
	case float64:
		return int(min(max(n, -numberMax), numberMax))
	case int64:
		return int(min(max(n, -numberMax), numberMax))
	case uint64:
		return int(min(n, numberMax))
	}
	return otherwise
}

// Is reports whether an argument was given as true.
func (a Arguments) Is(name string) bool {
	is, _ := a[name].(bool)
	return is
}

// signature is a tool's schema, ready to check arguments and to explain what is
// wrong with them to a small model.
type signature struct {
	tool    string
	effects bool     // the tool has some
	subject []string // the arguments that approvals are about, if the tool names them
	parameters.Schema
	names []string                        // the required ones first, each part in order
	each  map[string]*jsonschema.Resolved // by name, except those that refer to something
}

func newSignature(decl fsm.ToolDecl) (signature, error) {
	of, err := parameters.Read(decl.Parameters)
	if err != nil {
		return signature{}, err
	}
	s := signature{tool: decl.Name, effects: decl.Effects != fsm.EffectsNone, subject: decl.Subject, Schema: of, names: slices.Clone(of.Required), each: map[string]*jsonschema.Resolved{}}
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		if !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
		if one := parameters.Alone(of.Properties[name]); one != nil {
			s.each[name] = one
		}
	}
	return s, nil
}

// parse reads and checks the arguments of a call (TOL-2). It accepts the harmless forms
// that models write: nothing or null for no arguments, the object as a JSON
// string, null for an optional argument that is left out and cannot be null, and what
// [signature.meant] knows. A tool without effects is called without the arguments that it does not know;
// ignored then says which they are.
func (s signature) parse(raw string) (a Arguments, ignored string, err error) {
	if raw = strings.TrimSpace(raw); raw == "" {
		raw = "null"
	}
	v, err := decode(raw)
	if err != nil {
		return nil, "", fmt.Errorf("the arguments are not JSON (%v); %s", err, s.usage())
	}
	if text, ok := v.(string); ok && strings.TrimSpace(text) == "" {
		v = nil
	} else if ok {
		if v, err = decode(text); err != nil {
			return nil, "", fmt.Errorf("the arguments are a text, not a JSON object; %s", s.usage())
		}
	}
	if v == nil {
		v = map[string]any{}
	}
	given, ok := v.(map[string]any)
	if !ok {
		return nil, "", fmt.Errorf("the arguments are %s, not a JSON object; %s", kindOf(v), s.usage())
	}
	unknown, err := s.check(given)
	if err != nil {
		return nil, "", fmt.Errorf("%w; %s", err, s.usage())
	}
	if unknown != "" {
		ignored = "ignored: " + unknown + "; " + s.usage()
	}
	return given, ignored, nil
}

// decode reads a JSON value.
func decode(text string) (any, error) {
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return measured(v)
}

// measured returns a value with a number of Go's in place of each json.Number.
func measured(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return number(v.String())
	case []any:
		for i := range v {
			if v[i], err = measured(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = measured(v[name]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// number reads a number: a whole one beyond 2^53 as an int64 or uint64 if one of them can hold it.
func number(text string) (any, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s is too large", wording.Clip(text, wording.ShownMax))
	}
	if math.Abs(f) >= 1<<53 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n, nil
		}
	}
	return f, nil
}

// unknownMax is the most unknown arguments that are named, so that missing ones stay visible.
const unknownMax = 5

// check checks the arguments against the schema: name by name, for errors in plain words, and
// then as a whole. If all else fits, a tool without effects does without those that it does not know, which
// unknown then names.
func (s signature) check(a Arguments) (unknown string, err error) {
	var wrong []string
	strangers := s.strangers(a)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		p, known := s.Properties[name]
		if !known {
			continue
		}
		one, given := s.one(name), a[name]
		a[name] = s.meant(name, given, one)
		switch {
		case given != nil && a[name] == nil: // also where null would mean something
			delete(a, name)
		case one != nil && one.Validate(a[name]) == nil: // null, too
		case a[name] == nil && !slices.Contains(s.Required, name):
			if one != nil || !s.Nullable(name) {
				delete(a, name)
			}
		case one != nil:
			wrong = append(wrong, s.misfit(name, p, a[name]))
		}
	}
	for _, name := range s.Required {
		if _, given := a[name]; !given {
			wrong = append(wrong, "argument "+name+" is missing")
		}
	}
	if unknown = named(strangers); len(wrong) > 0 || unknown != "" && s.effects {
		return "", errors.New(strings.Join(slices.DeleteFunc(append([]string{unknown}, wrong...), func(text string) bool { return text == "" }), "; "))
	}
	for _, name := range strangers {
		delete(a, name)
	}
	if err := s.Validate(map[string]any(a)); err != nil {
		return "", fmt.Errorf("the arguments do not fit the schema: %s", plainly(err))
	}
	return unknown, nil
}

// saysWhy lists the names under which models explain a call, as other agents' tools want it.
var saysWhy = []string{"description", "explanation", "instructions", "justification", "purpose", "rationale", "reason", "reasoning", "thought", "why"}

// explains reports whether an argument that the schema does not know is only for whoever reads the call. That is certain
// of commands and changes of files, which are all in their subject and text; to a server's tool it may be what matters.
func (s signature) explains(name string, v any) bool {
	_, text := v.(string)
	return text && len(s.subject) > 0 && slices.Contains(saysWhy, name)
}

// strangers returns the names of arguments that the schema does not know, if it takes no others. One that says
// nothing, as null does, or only why the tool is called is taken out.
func (s signature) strangers(a Arguments) (names []string) {
	if s.Open {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if _, known := s.Properties[name]; known {
			continue
		}
		if a[name] == nil || s.explains(name, a[name]) {
			delete(a, name)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// named says which unknown arguments there are; empty: none.
func named(unknown []string) string {
	said := make([]string, 0, unknownMax+1)
	for i, name := range unknown {
		if i == unknownMax {
			said = append(said, strconv.Itoa(len(unknown)-unknownMax)+" more unknown arguments")
			break
		}
		said = append(said, "unknown argument "+strconv.Quote(name))
	}
	return strings.Join(said, "; ")
}

// one returns the schema of an argument alone, or nil if only the whole schema can check it.
func (s signature) one(name string) *jsonschema.Resolved {
	if one := s.each[name]; one != nil {
		return one
	}
	return s.Part(s.Properties[name])
}

// meant returns the value that an argument stands for where it does not fit the schema: a number, true,
// false or null that is written as a text, and nothing at all as an empty one, also where the text is one of a few. Where approvals are about
// other arguments, it also returns the list of objects that a text holds as JSON, and that of a single
// object: a pattern for an argument would see these texts otherwise than what the tool gets (APR-11).
func (s signature) meant(name string, v any, one *jsonschema.Resolved) any {
	p := s.Properties[name]
	if one == nil || one.Validate(v) == nil {
		return v
	}
	other := v
	if text, is := v.(string); is {
		other = unquoted(text)
		switch of := other.(type) {
		case string:
			return v
		case bool:
			if s.effects && strings.TrimSpace(text) != strconv.FormatBool(of) {
				return v
			}
		}
		choice := strings.TrimSpace(text) == ""
		if other == nil && (s.effects || !s.textless(p, choice) || slices.Contains(s.Required, name)) { // an empty text may be a wrong one, and an approval may be about it
			return v
		}
	}
	compound := false
	switch of := other.(type) {
	case map[string]any:
		compound, other = true, []any{of}
	case []any:
		compound = true
	}
	allowed := !compound || len(s.subject) > 0 && !slices.Contains(s.subject, name) && p.Items != nil && len(p.Items.Properties) > 0
	if allowed && (other == nil || one.Validate(other) == nil) {
		return other
	}
	return v
}

// unquoted returns the value that a text holds as JSON, or as Python writes it, or the text if there is none.
func unquoted(text string) any {
	bare := strings.TrimSpace(text)
	switch strings.ToLower(bare) {
	case "", "null", "none":
		return nil
	case "true", "false":
		return strings.EqualFold(bare, "true")
	}
	if v, err := decode(bare); err == nil {
		return v
	}
	return text
}

// usage lists the arguments that the tool takes.
func (s signature) usage() string {
	parts := make([]string, len(s.names))
	for i, name := range s.names {
		parts[i] = name + " (" + s.describe(s.Properties[name])
		if slices.Contains(s.Required, name) {
			parts[i] += ", required"
		}
		parts[i] += ")"
	}
	switch {
	case len(parts) > 0:
		return s.tool + " takes: " + strings.Join(parts, ", ")
	case s.Open:
		return s.tool + " takes what its schema allows"
	}
	return s.tool + " takes no arguments"
}
