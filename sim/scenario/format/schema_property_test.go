package format

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm/profile"
	"shelly/sim/scenario/expression"
	"shelly/sim/strict"
)

const propertySchemaFile = "property.v1.json"

// propertySchema is the schema of a property file (PRP-2).
func propertySchema(t *testing.T) *jsonschema.Schema {
	g := &schemaGen{t: t, words: sourceWords(t), forms: append(schemaForms(), drawnForms()...), defs: map[string]*jsonschema.Schema{}, shapes: map[string]string{}}
	g.defs["Generator"] = g.generator()
	root := g.object(reflect.TypeFor[Property]())
	root.Types, root.Type, root.Pattern = nil, "object", ""
	root.Title = "A property of shelly, version 1"
	root.Description = "How cases are made, and what must hold of each."
	root.Properties["property"] = &jsonschema.Schema{Const: jsonschema.Ptr[any](FormatVersion), Description: root.Properties["property"].Description}
	root.Properties["name"].MinLength = jsonschema.Ptr(1)
	narrow(root.Properties["profile"], oneOfWords(profile.Names()))
	root.Properties["covers"].Items = patterned(rulePattern)
	root.Properties["invariants"].MinItems = jsonschema.Ptr(1)
	g.setDefaults()
	root.Defs = g.defs
	return root
}

// generator is what stands in place of a value that is drawn.
func (g *schemaGen) generator() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Title: "generator", Description: "A value that is drawn.",
		Type: "object", AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1), MaxProperties: jsonschema.Ptr(1),
		Properties: map[string]*jsonschema.Schema{
			"$one_of":   {Type: "array", MinItems: jsonschema.Ptr(1), Description: "one of the values of the list"},
			"$text":     g.ofType(reflect.TypeFor[Range]()),
			"$number":   g.ofType(reflect.TypeFor[Range]()),
			"$duration": g.ofType(reflect.TypeFor[DurationRange]()),
		},
		PropertyOrder: []string{"$one_of", "$text", "$number", "$duration"},
	}
	s.Properties["$text"].Description = "a text of that many characters"
	s.Properties["$number"].Description = "a whole number of the range"
	s.Properties["$duration"].Description = "a duration of the range; short ones are the more likely"
	return s
}

// drawnForms are the schemas of the types that only properties have.
func drawnForms() []form {
	words := func(first string, rest ...string) *jsonschema.Schema {
		list := []any{first}
		for _, w := range rest {
			list = append(list, w)
		}
		return &jsonschema.Schema{Enum: list}
	}
	return []form{
		{reflect.TypeFor[Range](), func(g *schemaGen) *jsonschema.Schema {
			s := g.object(reflect.TypeFor[Range]())
			s.Properties["max"].Maximum = jsonschema.Ptr(float64(drawnMax))
			s.Properties["min"].Minimum, s.Properties["max"].Minimum = jsonschema.Ptr(0.0), jsonschema.Ptr(0.0)
			return s
		}},
		{reflect.TypeFor[DurationRange](), func(g *schemaGen) *jsonschema.Schema { return g.object(reflect.TypeFor[DurationRange]()) }},
		{reflect.TypeFor[DrawnTools](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(words("$declared"), listOf(&jsonschema.Schema{Type: "string"}, strict.NodesMax))
		}},
		{reflect.TypeFor[DrawnPoints](), func(g *schemaGen) *jsonschema.Schema {
			points := func() *jsonschema.Schema {
				return words("journal.before_append", "journal.after_append", "effect.before", "effect.after", "step")
			}
			return anyOf(words("$any"), points(), listOf(points(), strict.NodesMax))
		}},
		{reflect.TypeFor[Invariant](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(words("$all"), g.ofType(reflect.TypeFor[expression.Expression]()))
		}},
		{reflect.TypeFor[Share](), func(*schemaGen) *jsonschema.Schema {
			return &jsonschema.Schema{Type: "string", Pattern: `^(0\.[1-9]|[1-9][0-9]?(\.[0-9])?|100(\.0)?)%$`}
		}},
		{reflect.TypeFor[Drawn[Moment]](), drawnSchema[Moment]},
		{reflect.TypeFor[Drawn[Line]](), drawnSchema[Line]},
		{reflect.TypeFor[Drawn[Entry]](), drawnSchema[Entry]},
	}
}

// drawnSchema is an entry of a scenario, of which any value may be drawn.
func drawnSchema[T any](g *schemaGen) *jsonschema.Schema {
	g.drawn = true
	s := g.object(reflect.TypeFor[T]())
	g.drawn = false
	keys := drawnKeys[T]()
	for key := range s.Properties { // order-free: each is kept or not by itself
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+key+" ") {
			delete(s.Properties, key)
		}
	}
	s.Properties["weight"] = &jsonschema.Schema{
		Type: "integer", Minimum: jsonschema.Ptr(1.0), Description: "how often it is picked, against the others; 1 unless given",
	}
	s.PropertyOrder = append([]string{"weight"}, keys...)
	if calls := s.Properties["calls"]; calls != nil {
		words := calls.Description
		s.Properties["calls"] = anyOf(calls, g.ofType(reflect.TypeFor[DrawnCalls]()))
		s.Properties["calls"].Description = words
	}
	s.Description = "An entry of a scenario in which any value may be drawn."
	return s
}
