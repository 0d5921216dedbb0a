package format

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

const (
	lengthPattern  = `^\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|ns))+)$`
	timePattern    = `^\+?([0-9.]+(h|m|s|ms|us|µs|ns))*[0-9]*\.?[0-9]*[1-9][0-9]*\.?[0-9]*(h|m|s|ms|us|µs|ns)([0-9.]+(h|m|s|ms|us|µs|ns))*$` // a length that is not 0
	leapPattern    = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|ns))+)$`
	instantPattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`
	offsetForm     = `^([Zz]|UTC|[+-](0?[0-9]|1[0-4])([0-5][0-9])?|[+-](0[0-9]|1[0-4]):[0-5][0-9])$`
	rulePattern    = `^[A-Z]{3}-[1-9][0-9]*$`
)

// schemaForms are the schemas of the types that read themselves. What a schema
// cannot say, such as that a text is a regular expression, is the loader's alone.
func schemaForms() []form {
	return []form{
		{reflect.TypeFor[Duration](), func(*schemaGen) *jsonschema.Schema { return patterned(lengthPattern) }},
		{reflect.TypeFor[Hours](), func(*schemaGen) *jsonschema.Schema {
			return patterned(`^\s*([01]?[0-9]|2[0-3]):[0-5][0-9]\s*-\s*([01]?[0-9]|2[0-3]):[0-5][0-9]\s*$`)
		}},
		{reflect.TypeFor[limitTime](), func(*schemaGen) *jsonschema.Schema { return patterned(timePattern) }},
		{reflect.TypeFor[Leap](), func(*schemaGen) *jsonschema.Schema { return patterned(leapPattern) }},
		{reflect.TypeFor[Time](), func(*schemaGen) *jsonschema.Schema { return patterned(instantPattern) }},
		{reflect.TypeFor[Offset](), func(*schemaGen) *jsonschema.Schema { return patterned(offsetForm) }},
		{reflect.TypeFor[Count](), func(*schemaGen) *jsonschema.Schema {
			return integer(1)
		}},
		{reflect.TypeFor[Chance](), func(*schemaGen) *jsonschema.Schema {
			return &jsonschema.Schema{
				Types: []string{"number", "string"}, Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(1.0),
				Pattern: chanceForm + "|" + insideReference,
			}
		}},
		{reflect.TypeFor[Seed](), func(*schemaGen) *jsonschema.Schema {
			return orReference(&jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(math.MaxUint64))})
		}},
		{reflect.TypeFor[document.Include](), func(*schemaGen) *jsonschema.Schema {
			file := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)} }
			return anyOf(file(), listOf(file(), document.IncludesMax))
		}},
		{reflect.TypeFor[document.Vars](), func(*schemaGen) *jsonschema.Schema { return byVariable(anyConstant()) }},
		{reflect.TypeFor[document.Matrix](), func(*schemaGen) *jsonschema.Schema {
			return anyOf(byVariable(listOf(anyConstant(), document.CasesPerFileMax)), listOf(byVariable(anyConstant()), document.CasesPerFileMax))
		}},
		{reflect.TypeFor[Signal](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords(signals()), &jsonschema.Schema{Const: jsonschema.Ptr[any](true)}, g.object(reflect.TypeFor[signalForm]()))
		}},
		{reflect.TypeFor[Args](), func(*schemaGen) *jsonschema.Schema { return orReference(&jsonschema.Schema{Type: "object"}) }},
		{reflect.TypeFor[Hash](), func(*schemaGen) *jsonschema.Schema { return patterned(`^[0-9a-f]{16}$`) }},
		{reflect.TypeFor[Input](), func(*schemaGen) *jsonschema.Schema {
			kind := oneOfWords(expression.InputKinds())
			kind.Description = "what it tells; the other keys are those of this kind"
			return orReference(&jsonschema.Schema{
				Type: "object", Required: []string{"kind"}, Properties: map[string]*jsonschema.Schema{"kind": kind},
			})
		}},
		{reflect.TypeFor[State](), func(*schemaGen) *jsonschema.Schema {
			return orReference(&jsonschema.Schema{Type: "object", Required: []string{"lifecycle"}})
		}},
		{reflect.TypeFor[Data](), func(*schemaGen) *jsonschema.Schema { return &jsonschema.Schema{} }},
		{reflect.TypeFor[expression.Expression](), func(*schemaGen) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: `\S`} }},
		{reflect.TypeFor[Condition](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(g.ofType(reflect.TypeFor[expression.Expression]()), g.ofType(reflect.TypeFor[Item]()))
		}},
		{reflect.TypeFor[Claim](), orCondition[Claim]},
		{reflect.TypeFor[Promise](), orCondition[Promise]},
		{reflect.TypeFor[BrainFailing](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords(BrainClasses()), g.object(reflect.TypeFor[BrainFailing]()))
		}},
		{reflect.TypeFor[Failing](), orText[Failing]},
		{reflect.TypeFor[Loaded](), orText[Loaded]},
		{reflect.TypeFor[Word](), orText[Word]},
		{reflect.TypeFor[UnknownCall](), orText[UnknownCall]},
		{reflect.TypeFor[BadCall](), orText[BadCall]},
		{reflect.TypeFor[Chunks](), func(g *schemaGen) *jsonschema.Schema {
			list := g.list(reflect.TypeFor[string]())
			list.MinItems = jsonschema.Ptr(1)
			return anyOf(g.ofType(reflect.TypeFor[Count]()), list)
		}},
		{reflect.TypeFor[Pick](), pickSchema},
		{reflect.TypeFor[Crashes](), func(g *schemaGen) *jsonschema.Schema { return g.oneOrMore(reflect.TypeFor[Crash]()) }},
		{reflect.TypeFor[Server](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords([]string{laptopServer}), g.object(reflect.TypeFor[Server]()))
		}},
		{reflect.TypeFor[Speed](), func(*schemaGen) *jsonschema.Schema { return patterned(`^[1-9][0-9]{0,6}/s$`) }},
		{reflect.TypeFor[Embedding](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords([]string{"off"}), g.ofType(reflect.TypeFor[Outage]()))
		}},
		{reflect.TypeFor[Script](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords([]string{liveScript}), g.list(reflect.TypeFor[Line]()))
		}},
		{reflect.TypeFor[Tools](), func(g *schemaGen) *jsonschema.Schema {
			return anyOf(oneOfWords([]string{realTools}), g.ofType(reflect.TypeFor[strict.ByName[Entries]]()))
		}},
		{reflect.TypeFor[Config](), configSchema},
		{reflect.TypeFor[match.Matcher](), matcherSchema},
		{reflect.TypeFor[Item](), itemSchema},
	}
}

// schemaRules add to the schemas of structs what [decoder.check] wants of single
// values.
func schemaRules() map[reflect.Type]func(*jsonschema.Schema) {
	return map[reflect.Type]func(*jsonschema.Schema){
		reflect.TypeFor[File](): func(s *jsonschema.Schema) {
			version := anyOf(&jsonschema.Schema{Const: jsonschema.Ptr[any](FormatVersion)}, &jsonschema.Schema{Type: "string", Pattern: wholeReference})
			version.Description = s.Properties["scenario"].Description
			s.Properties["scenario"] = version
			s.Properties["name"].MinLength = jsonschema.Ptr(1)
			narrow(s.Properties["profile"], oneOfWords(profile.Names()))
			s.Properties["covers"].Items = patterned(rulePattern)
			s.Properties["repeat"].Maximum = jsonschema.Ptr(float64(RepeatMax))
		},
		reflect.TypeFor[Skill](): func(s *jsonschema.Schema) { s.Properties["name"].MinLength = jsonschema.Ptr(1) },
		reflect.TypeFor[Expect](): func(s *jsonschema.Schema) {
			for _, list := range []string{"golden", "handles", "trace"} {
				s.Properties[list].MinItems = jsonschema.Ptr(1)
			}
			s.Properties["tools"].MinProperties = jsonschema.Ptr(1)
		},
		reflect.TypeFor[Ordering](): func(s *jsonschema.Schema) {
			s.Properties["before"].MinItems, s.Properties["before"].MaxItems = jsonschema.Ptr(2), jsonschema.Ptr(2)
			s.Properties["in_order"].MinItems = jsonschema.Ptr(2)
		},
		reflect.TypeFor[Moment](): func(s *jsonschema.Schema) {
			for _, c := range new(Moment).Happens() {
				s.OneOf = append(s.OneOf, given(c.Key, reflect.TypeFor[Moment]()))
			}
			s.OneOf = append(s.OneOf, &jsonschema.Schema{Type: "string"}) // a variable
			s.Properties["command"].Pattern = `^(/|$)|` + insideReference
			cancel := anyOf(&jsonschema.Schema{Const: jsonschema.Ptr[any](true)}, &jsonschema.Schema{Type: "string"}) // no question, as the others pick
			cancel.Description = s.Properties["cancel"].Description
			s.Properties["cancel"] = cancel
		},
		reflect.TypeFor[BrainFailing](): func(s *jsonschema.Schema) { narrow(s.Properties["code"], oneOfWords(BrainClasses())) },
		reflect.TypeFor[Crash](): func(s *jsonschema.Schema) {
			points := slices.DeleteFunc(CrashPoints(), func(p string) bool { return strings.HasPrefix(p, "step.") })
			at := oneOfWords(points)
			at.AnyOf = append(at.AnyOf, &jsonschema.Schema{Pattern: `^step\.[1-9][0-9]*$`})
			narrow(s.Properties["at"], at)
			narrow(s.Properties["effect"], oneOfWords(expression.EffectKinds()))
		},
	}
}

// given is a map in which a key is given. A switch that is off and an empty text
// are as good as none.
func given(key string, of reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Required: []string{key}}
	for _, f := range strict.Fields(of) {
		if k := of.FieldByIndex(f.Index).Type.Kind(); f.Name == key && (k == reflect.Bool || k == reflect.String) {
			s.Properties = map[string]*jsonschema.Schema{key: {Not: &jsonschema.Schema{Enum: []any{false, ""}}}}
		}
	}
	return s
}

// listOf is a list that is not empty and no variable.
func listOf(s *jsonschema.Schema, most int) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: s, MinItems: jsonschema.Ptr(1), MaxItems: &most}
}

// byVariable is a map by names of variables.
func byVariable(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", MinProperties: jsonschema.Ptr(1), AdditionalProperties: s,
		PropertyNames: &jsonschema.Schema{Pattern: `^[a-z][a-z0-9_]{0,39}$`},
	}
}

// anyConstant is any value but null.
func anyConstant() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "number", "boolean", "array", "object"}}
}

// narrow lets a text be only what another schema allows.
func narrow(s, to *jsonschema.Schema) { s.AnyOf = to.AnyOf }

func anyOf(list ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: list} }

// patterned is a text of one form, or one in which a variable stands.
func patterned(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern + "|" + insideReference}
}

// orText is a struct that may be written as a text.
func orText[T any](g *schemaGen) *jsonschema.Schema {
	s := g.object(reflect.TypeFor[T]())
	s.Pattern = ""
	return s
}

// orCondition is a struct around a condition that may be written as the condition
// alone.
func orCondition[T any](g *schemaGen) *jsonschema.Schema {
	s := &jsonschema.Schema{If: &jsonschema.Schema{Type: "object"}, Then: g.object(reflect.TypeFor[T]()), Else: g.ofType(reflect.TypeFor[Condition]())}
	for _, f := range strict.Fields(reflect.TypeFor[T]()) {
		s.If.AnyOf = append(s.If.AnyOf, &jsonschema.Schema{Required: []string{f.Name}})
	}
	return s
}

func pickSchema(g *schemaGen) *jsonschema.Schema {
	s := g.object(reflect.TypeFor[Pick]())
	s.Types = []string{"object", "string", "integer", "boolean"}
	s.Minimum = jsonschema.Ptr(1.0)
	s.Not = &jsonschema.Schema{Const: jsonschema.Ptr[any](false)}
	return s
}

// configSchema has each setting with the comment on its field.
func configSchema(g *schemaGen) *jsonschema.Schema {
	s := orReference(&jsonschema.Schema{
		Type: "object", AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1), PropertyOrder: configKeys(),
		Properties: map[string]*jsonschema.Schema{
			"init":  oneOfWords([]string{string(fsm.InitEveryStart), string(fsm.InitFirstStart), string(fsm.InitOff)}),
			"tools": g.list(reflect.TypeFor[string]()),
		},
	})
	listed := g.words.listed(reflect.TypeFor[Config](), regexp.MustCompile(`^\w+`))
	s.Properties["init"].Description = listed["init"]
	s.Properties["tools"].Description = listed["tools"]
	s.Properties["approve"] = orReference(&jsonschema.Schema{Type: "object", AdditionalProperties: oneOfWords(approveWords()), Description: listed["approve"]})
	s.Properties["heartbeat"] = g.ofType(reflect.TypeFor[Heartbeat]())
	s.Properties["heartbeat"].Description = listed["heartbeat"]
	for _, group := range configGroups(&fsm.Config{}) {
		t := group.value.Type()
		for i, name := range jsonNames(t) {
			s.Properties[name] = g.setting(name, t.Field(i))
			s.Properties[name].Description = g.words.ofField(t, t.Field(i).Name)
		}
	}
	s.Properties["temperature"].Description = listed["temperature"]
	s.Properties["prompts"] = g.prompts()
	s.Properties["prompts"].Description = listed["prompts"]
	return s
}

// setting is one setting of config, as override.read reads it.
func (g *schemaGen) setting(name string, of reflect.StructField) *jsonschema.Schema {
	switch t := of.Type; {
	case name == "temperature":
		return bounded("number", of.Tag)
	case t == reflect.TypeFor[fsm.Millis]():
		return g.ofType(reflect.TypeFor[limitTime]())
	case t == reflect.TypeFor[[]fsm.Millis]():
		return g.list(reflect.TypeFor[limitTime]())
	case t.Kind() == reflect.Int:
		return bounded("integer", of.Tag)
	case t.Kind() == reflect.Bool:
		return g.ofType(t)
	default:
		return oneOfWords(switchWords(of))
	}
}

// integer is a whole number from one on; 2147483647 is the most that is read.
func integer(least float64) *jsonschema.Schema {
	return orReference(&jsonschema.Schema{Type: "integer", Minimum: &least, Maximum: jsonschema.Ptr(float64(math.MaxInt32))})
}

// bounded is a number between the bounds in a field's tags.
func bounded(kind string, tag reflect.StructTag) *jsonschema.Schema {
	var least, most float64
	within := bounds(tag)
	fmt.Sscan(within.Min+" "+within.Max, &least, &most)
	return orReference(&jsonschema.Schema{Type: kind, Minimum: &least, Maximum: &most})
}

func (g *schemaGen) prompts() *jsonschema.Schema {
	t := reflect.TypeFor[fsm.Prompts]()
	s := orReference(&jsonschema.Schema{
		Type: "object", AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1),
		Properties: map[string]*jsonschema.Schema{}, PropertyOrder: jsonNames(t),
	})
	for i, name := range jsonNames(t) {
		of := reflect.TypeFor[string]()
		if t.Field(i).Type.Kind() == reflect.Slice {
			of = reflect.TypeFor[[]PromptPart]()
		}
		s.Properties[name] = g.ofType(of)
		if of.Kind() == reflect.String && t.Field(i).Tag.Get("empty") != "ok" {
			s.Properties[name].Pattern = `\S`
		}
		s.Properties[name].Description = g.words.ofField(t, t.Field(i).Name)
	}
	return s
}

// matcherSchema is a scalar, a list, a map of members, or a map with one operator.
func matcherSchema(g *schemaGen) *jsonschema.Schema { return g.matcher("Matcher", nil) }

// shaped refers to the definition of the matchers for a shape, which is made at the
// first use.
func (g *schemaGen) shaped(name string, shape match.Shape) *jsonschema.Schema {
	switch {
	case shape == nil:
		return g.ofType(reflect.TypeFor[match.Matcher]())
	case len(shape) == 0:
		name = "MatcherScalar"
	}
	form := fmt.Sprintf("%#v", shape) // keys in order
	if first, ok := g.shapes[form]; ok {
		name = first
	}
	if g.defs[name] == nil {
		g.shapes[form] = name
		g.defs[name] = &jsonschema.Schema{}
		s := g.matcher(name, shape)
		s.Title, s.Description = spaced(name), g.words.of(reflect.TypeFor[match.Matcher]())
		*g.defs[name] = *s
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// matcher is the schema of the matchers for a shape, which has a definition's name.
func (g *schemaGen) matcher(name string, shape match.Shape) *jsonschema.Schema {
	inner := func() *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }
	list := func() *jsonschema.Schema {
		return orReference(&jsonschema.Schema{Type: "array", Items: inner(), MinItems: jsonschema.Ptr(1)})
	}
	s := &jsonschema.Schema{
		Types: []string{"object", "array", "string", "number", "boolean"},
		Items: inner(), Properties: map[string]*jsonschema.Schema{}, PropertyOrder: match.MatcherNames(),
		AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1),
		If:   &jsonschema.Schema{PropertyNames: &jsonschema.Schema{Pattern: `^([^$]|$)`}},
		Else: &jsonschema.Schema{MaxProperties: jsonschema.Ptr(1)},
	}
	var operators []any
	for _, word := range match.MatcherNames() {
		operators = append(operators, word)
	}
	s.Not = &jsonschema.Schema{Enum: operators}
	rest, free := shape["*"]
	switch {
	case shape == nil:
		s.PatternProperties = map[string]*jsonschema.Schema{`^([^$]|$)`: inner()}
	case free:
		of := g.shaped(name+"Of", rest.Shape)
		sortOf(of, rest)
		s.PatternProperties = map[string]*jsonschema.Schema{`^([^$]|$)`: of}
	default:
		for _, key := range shape.Keys() {
			s.Properties[key] = g.shaped(name+strings.ToUpper(key[:1])+key[1:], shape[key].Shape)
			s.Properties[key].Description = shape[key].Means
			wordsOf(s.Properties[key], shape[key].Words)
			sortOf(s.Properties[key], shape[key])
			s.PropertyOrder = append(s.PropertyOrder, key)
		}
	}
	listed := g.words.listed(reflect.TypeFor[match.Matcher](), regexp.MustCompile(`\$\w+`))
	for _, name := range match.MatcherNames() {
		var of *jsonschema.Schema
		switch name {
		case "$any", "$absent":
			of = anyOf(&jsonschema.Schema{Enum: []any{true, "true"}}, &jsonschema.Schema{Type: "string", Pattern: wholeReference})
		case "$exact", "$contains", "$len":
			of = inner()
		case "$regex":
			of = &jsonschema.Schema{Type: "string"}
		case "$one_of", "$all", "$unordered":
			of = list()
		case "$gt", "$gte", "$lt", "$lte":
			of = patterned(lengthPattern + "|" + instantPattern)
			of.Types, of.Type = []string{"number", "string"}, ""
		case "$literal":
			of = &jsonschema.Schema{}
		default:
			g.t.Fatalf("the matcher %s has no schema; add it here", name)
		}
		of.Description = listed[name]
		s.Properties[name] = of
	}
	return s
}

// itemSchema is a map of some of an event's keys, each a matcher.
func itemSchema(g *schemaGen) *jsonschema.Schema {
	s := orReference(&jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, PropertyOrder: itemKeys(),
		AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1),
	})
	listed := g.words.listed(reflect.TypeFor[Item](), regexp.MustCompile(`^\w+`))
	for _, key := range itemKeys() {
		s.Properties[key] = g.shaped("MatcherItem"+strings.ToUpper(key[:1])+key[1:], ShapeOf("item").Shape[key].Shape)
		s.Properties[key].Description = listed[key]
		wordsOf(s.Properties[key], (&Item{}).words(key))
		sortOf(s.Properties[key], ShapeOf("item").Shape[key])
	}
	return s
}

// sortOf lets a matcher be only one that something of a key may fit: a map, or what the key is
// of. A variable may stand for each.
func sortOf(s *jsonschema.Schema, of match.Key) {
	switch {
	case of.Shape == nil:
	case of.Lists > 0:
		s.Types, s.Pattern = []string{"object", "array", "string"}, wholeReference
	case of.Sort == match.Maps:
		s.Types, s.Pattern = []string{"object", "string"}, wholeReference
	case of.Sort == match.Numbers, of.Sort == match.Counts, of.Sort == match.Ordinals:
		s.Types, s.Pattern = []string{"object", "number", "string"}, wholeReference
	case of.Sort == match.Switches:
		s.Types, s.Pattern = []string{"object", "boolean", "string"}, wholeReference
	case of.Sort == match.Durations:
		s.Types, s.Pattern = []string{"object", "string"}, lengthPattern+"|"+insideReference
	case of.Sort == match.Times:
		s.Types, s.Pattern = []string{"object", "string"}, instantPattern+"|"+insideReference
	default:
		s.Types = []string{"object", "string"}
	}
}

// wordsOf lets a text be only one of some words; what is in a list or a matcher only the loader
// looks at.
func wordsOf(s *jsonschema.Schema, words []string) {
	if words != nil {
		s.AnyOf = oneOfWords(words).AnyOf
	}
}
