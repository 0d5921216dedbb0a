package format

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// What a reference to a variable looks like: alone, for a value of any type, and
// within a text (SCN-17).
const (
	wholeReference  = `^\$\{[a-z][a-z0-9_]{0,39}\}$`
	insideReference = `\$\{[a-z][a-z0-9_]{0,39}\}`
)

// schemaGen makes JSON Schemas of the types of the format (SCN-20). Each struct and
// each type that reads itself is a definition.
type schemaGen struct {
	t      *testing.T
	words  words
	forms  []form
	defs   map[string]*jsonschema.Schema // by type name
	shapes map[string]string             // the definitions of matchers by what they are for
	stated []*jsonschema.Schema          // those whose descriptions may state a default
	drawn  bool                          // any value may be drawn; such definitions have names of their own
}

// form is the schema of a type that reads itself. Its description is the type's
// comment unless it has one.
type form struct {
	of     reflect.Type
	schema func(g *schemaGen) *jsonschema.Schema
}

var readerType = reflect.TypeFor[strict.Reader]()

// ofType returns the schema for a value of a type, or for how it is drawn where it may
// be.
func (g *schemaGen) ofType(t reflect.Type) *jsonschema.Schema {
	if g.drawn {
		return anyOf(g.plainType(t), &jsonschema.Schema{Ref: "#/$defs/Generator"})
	}
	return g.plainType(t)
}

func (g *schemaGen) plainType(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(readerType) {
		return g.ofReader(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.ref(t, func() *jsonschema.Schema { return g.object(t) })
	case reflect.Slice:
		if t.Name() == "" {
			return g.list(t.Elem())
		}
		return g.ref(t, func() *jsonschema.Schema { return g.list(t.Elem()) })
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Int:
		return integer(math.MinInt32)
	case reflect.Bool:
		return orReference(&jsonschema.Schema{Type: "boolean"})
	}
	g.t.Fatalf("%s has no schema", t)
	return nil
}

// ofReader returns the schema of a type that reads itself.
func (g *schemaGen) ofReader(t reflect.Type) *jsonschema.Schema {
	switch name, _, _ := strings.Cut(t.Name(), "["); name {
	case "Several":
		return g.oneOrMore(t.Elem())
	case "ByName":
		member, _ := t.Elem().FieldByName("Value")
		return orReference(&jsonschema.Schema{
			Type: "object", PropertyNames: &jsonschema.Schema{MinLength: jsonschema.Ptr(1)},
			AdditionalProperties: g.ofType(member.Type),
		})
	}
	i := slices.IndexFunc(g.forms, func(f form) bool { return f.of == t })
	if i < 0 {
		g.t.Fatalf("%s has a read method and no schema; add it to schemaForms in schemaforms_test.go", t.Name())
	}
	return g.ref(t, func() *jsonschema.Schema { return g.forms[i].schema(g) })
}

// ref refers to the definition of a type, which is made at the first use.
func (g *schemaGen) ref(t reflect.Type, make func() *jsonschema.Schema) *jsonschema.Schema {
	name, _, generic := strings.Cut(t.Name(), "[")
	if generic {
		parts := strings.Split(strings.TrimSuffix(t.Name(), "]"), ".")
		name += parts[len(parts)-1]
	}
	if g.drawn {
		name += "Drawn"
	}
	if g.defs[name] == nil {
		g.defs[name] = &jsonschema.Schema{} // types refer to themselves
		s := make()
		s.Title = spaced(name)
		if s.Description == "" {
			s.Description = g.words.of(t)
		}
		*g.defs[name] = *s
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// oneOrMore is a value of a type, or a list of them.
func (g *schemaGen) oneOrMore(of reflect.Type) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{g.ofType(of), g.list(of)}}
}

func (g *schemaGen) list(of reflect.Type) *jsonschema.Schema {
	return orReference(&jsonschema.Schema{Type: "array", Items: g.ofType(of)})
}

// object is a struct: its keys and no others.
func (g *schemaGen) object(t reflect.Type) *jsonschema.Schema {
	s := orReference(&jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: none(),
		MinProperties: jsonschema.Ptr(1),
	})
	for _, f := range strict.Fields(t) {
		s.Properties[f.Name] = g.property(t, f)
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	if refine := schemaRules()[t]; refine != nil {
		refine(s)
	}
	return s
}

// property is one key of a struct.
func (g *schemaGen) property(t reflect.Type, f strict.Field) *jsonschema.Schema {
	key, of := t.FieldByIndex(f.Index), ownerOf(t, f.Index)
	s := g.ofType(key.Type)
	shape := key.Tag.Get("of")
	switch {
	case f.Range.Max != "" && reflect.PointerTo(reflect.TypeFor[Count]()) == key.Type:
		s = bounded("integer", reflect.StructTag(`min:"1" max:"`+f.Range.Max+`"`))
		if g.drawn {
			s = anyOf(s, &jsonschema.Schema{Ref: "#/$defs/Generator"})
		}
	case shape != "":
		of := keyOf(key.Tag, &match.Matcher{})
		s = g.shaped("Matcher"+strings.ToUpper(shape[:1])+shape[1:], of.Shape)
		wordsOf(s, of.Words)
		if key.Tag.Get("list") != "counted" { // how many, or a list
			sortOf(s, of)
		}
	case f.Enum == nil:
	case g.drawn:
		s = anyOf(oneOfWords(f.Enum), &jsonschema.Schema{Ref: "#/$defs/Generator"})
	case key.Type.Kind() == reflect.Slice:
		s.Items = oneOfWords(f.Enum)
	default:
		s = oneOfWords(f.Enum)
	}
	s.Description = g.words.ofField(of, key.Name)
	if statedDefault.MatchString(s.Description) {
		g.stated = append(g.stated, s)
	}
	return s
}

// ownerOf is the struct, t or one that is embedded in it, that has a field itself.
func ownerOf(t reflect.Type, index []int) reflect.Type {
	for _, i := range index[:len(index)-1] {
		t = t.Field(i).Type
	}
	return t
}

var statedDefault = regexp.MustCompile(`(?:^|[;,:] )("[^"]+"|\S+) unless given`)

// setDefaults gives each key the default that its description states, such as
// "…; 1 unless given", where it is a value of the key and no prose.
func (g *schemaGen) setDefaults() {
	for _, s := range g.stated {
		root, _ := strict.Parse([]byte("default: "+statedDefault.FindStringSubmatch(s.Description)[1]), "a map", "")
		if root == nil {
			continue
		}
		plain, ok := plainOf(root.Content[1])
		if !ok || g.resolve(s).Validate(plain) != nil {
			continue
		}
		text, err := json.Marshal(plain)
		if err != nil {
			g.t.Fatal(err)
		}
		s.Default = text
	}
}

// resolve makes a schema of this generator ready to validate by, with the definitions that it
// needs.
func (g *schemaGen) resolve(s *jsonschema.Schema) *jsonschema.Resolved {
	g.t.Helper()
	whole := s.CloneSchemas()
	whole.Defs = map[string]*jsonschema.Schema{}
	g.define(whole.Defs, s)
	ready, err := whole.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		g.t.Fatal(err)
	}
	return ready
}

// reference finds the name of a definition that a schema in JSON refers to.
var reference = regexp.MustCompile(`"\$ref":"#/\$defs/([^"]+)"`)

// define adds the definitions that a schema refers to, and those that they refer to.
func (g *schemaGen) define(defs map[string]*jsonschema.Schema, s *jsonschema.Schema) {
	g.t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, found := range reference.FindAllSubmatch(text, -1) {
		name := string(found[1])
		if defs[name] == nil {
			defs[name] = g.defs[name].CloneSchemas()
			g.define(defs, defs[name])
		}
	}
}

// orReference lets ${name} stand for a value that is not a text.
func orReference(s *jsonschema.Schema) *jsonschema.Schema {
	s.Types, s.Type = []string{s.Type, "string"}, ""
	s.Pattern = wholeReference
	return s
}

// oneOfWords is a text that is one of some words.
func oneOfWords(allowed []string) *jsonschema.Schema {
	list := make([]any, len(allowed))
	for i, word := range allowed {
		list[i] = word
	}
	return &jsonschema.Schema{Type: "string", AnyOf: []*jsonschema.Schema{{Enum: list}, {Pattern: insideReference}}}
}

// none is the schema of nothing.
func none() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// spaced is a type's name in words: brain failing for BrainFailing.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
