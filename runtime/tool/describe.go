package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm/wording"
)

// misfit says what is wrong with an argument that does not fit its schema: it names the part of a
// list or of an object that is at fault.
func (s signature) misfit(name string, p *jsonschema.Schema, v any) string {
	all := p
	p = s.form(p, v)
	switch v := v.(type) {
	case []any:
		if p.MinItems != nil && len(v) < *p.MinItems || p.MaxItems != nil && len(v) > *p.MaxItems {
			return fmt.Sprintf("argument %s must be %s, not of %d", name, s.describe(p), len(v))
		}
		for i, item := range v {
			if s.unfit(p.Items, item) {
				return s.misfit(fmt.Sprintf("%s[%d]", name, i), p.Items, item)
			}
		}
	case map[string]any:
		for _, part := range p.Required {
			if _, given := v[part]; !given {
				return fmt.Sprintf("argument %s.%s is missing", name, part)
			}
		}
		for _, part := range slices.Sorted(maps.Keys(v)) {
			if s.unfit(p.Properties[part], v[part]) {
				return s.misfit(name+"."+part, p.Properties[part], v[part])
			}
		}
	}
	if err := s.against(p, v); err != nil && meets(v, s.describe(p)) {
		return fmt.Sprintf("argument %s does not fit its schema: %s", name, plainly(err))
	}
	return fmt.Sprintf("argument %s must be %s, not %s", name, s.describe(all), kindOf(v))
}

// plainly returns an error of the library on one line, without what every one begins with.
func plainly(err error) string {
	return wording.OneLine(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "validating root: "), "<anonymous schema>", "…"))
}

// form returns the part of a schema that a value of this kind is meant to fit: the only one for its kind, if a
// schema has several parts.
func (s signature) form(p *jsonschema.Schema, v any) *jsonschema.Schema {
	p = s.Followed(p)
	var found *jsonschema.Schema
	for _, part := range s.parts(p) {
		switch {
		case !kindFits(part, v):
		case found != nil:
			return p
		default:
			found = part
		}
	}
	return cmp.Or(found, p)
}

// kindFits reports whether a schema names the kind of a value.
func kindFits(p *jsonschema.Schema, v any) bool {
	switch v.(type) {
	case []any:
		return p.Type == "array"
	case map[string]any:
		return p.Type == "object"
	case string:
		return p.Type == "string"
	case bool:
		return p.Type == "boolean"
	case nil:
		return p.Type == "null"
	}
	return p.Type == "integer" || p.Type == "number"
}

// parts returns the schemas of which a value must fit one, without those that refer to something that
// cannot be followed; none: the schema is not such a choice.
func (s signature) parts(p *jsonschema.Schema) (parts []*jsonschema.Schema) {
	if p == nil || p.Type != "" || len(p.Enum) > 0 || p.Const != nil {
		return nil
	}
	choices := append(slices.Clone(p.AnyOf), p.OneOf...)
	switch {
	case len(p.Types) > 0:
		choices = nil
		for _, kind := range p.Types {
			part := *p
			part.Type, part.Types = kind, nil
			choices = append(choices, &part)
		}
	case len(p.AllOf) == 1 && len(choices) == 0: // as some write a reference that has a default
		choices = p.AllOf
	}
	for _, choice := range choices {
		parts = append(parts, s.Followed(choice))
	}
	return parts
}

// textless reports whether nothing that fits a schema is a text, or only one of a few texts if choice is true.
func (s signature) textless(p *jsonschema.Schema, choice bool) bool {
	p = s.Followed(p)
	if parts := s.parts(p); len(parts) > 0 {
		return !slices.ContainsFunc(parts, func(part *jsonschema.Schema) bool { return len(s.parts(part)) > 0 || !s.textless(part, choice) })
	}
	return p.Type != "" && p.Type != "string" || choice && len(p.Enum) > 0
}

// meets reports whether a value is what a description says, so that it breaks a rule that the
// description does not name.
func meets(v any, wanted string) bool {
	switch v := v.(type) {
	case string:
		return wanted == "a string"
	case float64:
		return wanted == "a number" || wanted == "a whole number" && v == math.Trunc(v)
	case int64, uint64:
		return wanted == "a number" || wanted == "a whole number"
	}
	return strings.HasPrefix(wanted, kindOf(v))
}

// unfit reports whether a part of a value certainly does not fit its schema.
func (s signature) unfit(p *jsonschema.Schema, v any) bool { return p != nil && s.against(p, v) != nil }

// against checks a value against a part of a schema; one that needs others than definitions is not checked.
func (s signature) against(p *jsonschema.Schema, v any) error {
	of := s.Part(p)
	if of == nil {
		return nil
	}
	return of.Validate(v)
}

// choicesMax is the most bytes of the values of an enum that are named.
const choicesMax = 200

// anything is what is said of a schema that cannot be put in words.
const anything = "any value that the schema allows"

// describe says what fits a schema.
func (s signature) describe(p *jsonschema.Schema) string {
	p = s.Followed(p)
	var all []string
	for _, part := range s.parts(p) {
		what := anything
		if len(s.parts(part)) == 0 {
			what = describe(part)
		}
		if what == anything || len(all) == choicesMost {
			return anything
		}
		if !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	if len(all) > 0 {
		return strings.Join(all, " or ")
	}
	return describe(p)
}

// choicesMost is the most kinds of values that are named for one argument.
const choicesMost = 4

// describe says what fits a schema that is no choice.
func describe(p *jsonschema.Schema) string {
	switch {
	case p != nil && len(p.Enum) > 0:
		choices := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			text, _ := json.Marshal(v) // came from JSON
			choices[i] = string(text)
		}
		return "one of " + wording.Clip(strings.Join(choices, ", "), choicesMax)
	case p != nil && p.Const != nil:
		text, _ := json.Marshal(*p.Const) // came from JSON
		return wording.Clip(string(text), choicesMax)
	case p == nil || p.Type == "": // not in words, or a reference
		return anything
	case p.Type == "null":
		return "null"
	case p.Type == "integer":
		return "a whole number" + span(" from %s to %s", " from %s on", " up to %s", p.Minimum, p.Maximum)
	case p.Type == "number":
		return "a number" + span(" from %s to %s", " from %s on", " up to %s", p.Minimum, p.Maximum)
	case p.Type == "string" && cmp.Or(p.MinLength, p.MaxLength) != nil:
		return "a text of" + span(" %s to %s characters", " at least %s characters", " at most %s characters", p.MinLength, p.MaxLength)
	case p.Type == "string" && p.Pattern != "":
		return "a text that matches " + strconv.Quote(p.Pattern)
	case p.Type == "array":
		what := span(" of %s to %s", " of at least %s", " of at most %s", p.MinItems, p.MaxItems)
		if p.Items != nil && len(p.Items.Properties) > 0 {
			what = cmp.Or(what, " of") + " objects with " + strings.Join(slices.Sorted(maps.Keys(p.Items.Properties)), ", ")
		}
		return "a list" + what
	case p.Type == "boolean":
		return "true or false"
	case p.Type == "object":
		return "an object"
	default:
		return "a " + p.Type
	}
}

// span words bounds; empty: there are none.
func span[N int | float64](both, least, most string, from, to *N) string {
	text := func(n *N) string { return strconv.FormatFloat(float64(*n), 'f', -1, 64) }
	switch {
	case from != nil && to != nil:
		return fmt.Sprintf(both, text(from), text(to))
	case from != nil:
		return fmt.Sprintf(least, text(from))
	case to != nil:
		return fmt.Sprintf(most, text(to))
	}
	return ""
}

// kindOf shows a JSON value briefly.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64, uint64:
		return fmt.Sprint(v)
	case string:
		return "the text " + strconv.Quote(wording.Edge(Mend(v), 80))
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
