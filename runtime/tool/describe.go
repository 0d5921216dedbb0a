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
func misfit(name string, p *jsonschema.Schema, v any) string {
	switch v := v.(type) {
	case []any:
		if p.MinItems != nil && len(v) < *p.MinItems || p.MaxItems != nil && len(v) > *p.MaxItems {
			return fmt.Sprintf("argument %s must be %s, not of %d", name, describe(p), len(v))
		}
		for i, item := range v {
			if unfit(p.Items, item) {
				return misfit(fmt.Sprintf("%s[%d]", name, i), p.Items, item)
			}
		}
	case map[string]any:
		for _, part := range p.Required {
			if _, given := v[part]; !given {
				return fmt.Sprintf("argument %s.%s is missing", name, part)
			}
		}
		for _, part := range slices.Sorted(maps.Keys(v)) {
			if unfit(p.Properties[part], v[part]) {
				return misfit(name+"."+part, p.Properties[part], v[part])
			}
		}
	}
	wanted := describe(p)
	if err := against(p, v); err != nil && meets(v, wanted) {
		return fmt.Sprintf("argument %s does not fit its schema: %s", name, strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return fmt.Sprintf("argument %s must be %s, not %s", name, wanted, kindOf(v))
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
func unfit(p *jsonschema.Schema, v any) bool { return p != nil && against(p, v) != nil }

// against checks a value against a part of a schema; one that needs others is not checked.
func against(p *jsonschema.Schema, v any) error {
	of, err := p.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil
	}
	return of.Validate(v)
}

// choicesMax is the most bytes of the values of an enum that are named.
const choicesMax = 200

func describe(p *jsonschema.Schema) string {
	switch {
	case p != nil && len(p.Enum) > 0:
		choices := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			text, _ := json.Marshal(v) // came from JSON
			choices[i] = string(text)
		}
		return "one of " + wording.Clip(strings.Join(choices, ", "), choicesMax)
	case p == nil || p.Type == "": // several types, or a reference
		return "any value that the schema allows"
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
