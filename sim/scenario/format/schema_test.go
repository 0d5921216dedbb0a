package format

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

var renew = flag.Bool("update", false, "write the schemas as the types have them")

// schemaFolder holds the schemas that editors use and that the program prints.
const schemaFolder = "../../../scenarios/schema"

// scenarioSchema is the schema of a scenario file.
func scenarioSchema(t *testing.T) *jsonschema.Schema {
	g := &schemaGen{t: t, words: sourceWords(t), forms: schemaForms(), defs: map[string]*jsonschema.Schema{}, shapes: map[string]string{}}
	root := g.object(reflect.TypeFor[File]())
	root.Types, root.Type, root.Pattern = nil, "object", ""
	root.Title = "A scenario of shelly, version 1"
	root.Description = "A world, a script for the model, a timeline of inputs, faults, and what must hold."
	g.setDefaults()
	root.Defs = g.defs
	return root
}

// fragmentSchema is the schema of what a scenario includes: any of its keys but those
// of its own (SCN-16). What they hold is the scenario's schema's to say.
func fragmentSchema(t *testing.T) *jsonschema.Schema {
	whole := scenarioSchema(t)
	s := &jsonschema.Schema{
		Title:       "A fragment of a scenario of shelly, version 1",
		Description: "Keys that the scenarios which include it have as well.",
		Type:        "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: none(), MinProperties: jsonschema.Ptr(1),
	}
	for _, key := range whole.PropertyOrder {
		if !slices.Contains([]string{"scenario", "name", "include", "matrix", "found"}, key) {
			s.Properties[key] = &jsonschema.Schema{Ref: scenarioSchemaFile + "#/properties/" + key}
			s.PropertyOrder = append(s.PropertyOrder, key)
		}
	}
	return s
}

const (
	scenarioSchemaFile = "scenario.v1.json"
	fragmentSchemaFile = "fragment.v1.json"
)

// The committed schemas are those of the types; -update renews them (SCN-20).
func TestSchemaIsUpToDate(t *testing.T) {
	sameSchema(t, scenarioSchemaFile, scenarioSchema(t))
	sameSchema(t, fragmentSchemaFile, fragmentSchema(t))
	sameSchema(t, propertySchemaFile, propertySchema(t))
}

// What a scenario has but for its own keys is a fragment, and nothing else is (SCN-20).
func TestTheSchemaOfFragmentsHasNoKeyOfAScenario(t *testing.T) {
	schema, err := fragmentSchema(t).Resolve(&jsonschema.ResolveOptions{
		BaseURI: "file:///schema/" + fragmentSchemaFile,
		Loader:  func(*url.URL) (*jsonschema.Schema, error) { return scenarioSchema(t), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, fits := range map[string]bool{ // order-free: each is looked at by itself
		"tools: {exec: [{returns: x}]}\nvars: {a: 1}": true,
		"name: x":                       false,
		"tools: {exec: [{retruns: x}]}": false,
		"include: a.yaml":               false,
		"{}":                            false,
	} {
		root, problem := strict.Parse([]byte(text), "a fragment", "")
		if problem != nil {
			t.Fatal(problem)
		}
		plain, _ := plainOf(root)
		if err := schema.Validate(plain); (err == nil) != fits {
			t.Errorf("%s: got %v; want it to fit: %t", text, err, fits)
		}
	}
}

// sameSchema compares a schema with the committed file. The file's name is its
// relative id, so that an editor looks for what it refers to beside it.
func sameSchema(t *testing.T, name string, s *jsonschema.Schema) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	head := `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "` + name + `",`
	var b bytes.Buffer
	if err := json.Indent(&b, append([]byte(head), text[1:]...), "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	path := filepath.Join(schemaFolder, name)
	if *renew {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), b.String()); diff != "" {
		t.Errorf("%s is not that of the types; run make schema (-committed +types):\n%s", name, diff)
	}
}

// Editors show what a key means: each has words (SCN-20).
func TestEveryKeyOfTheSchemaHasWords(t *testing.T) {
	root := scenarioSchema(t)
	for _, def := range root.Defs { // order-free: each is looked at by itself
		hasWords(t, def)
	}
	hasWords(t, root)
}

func hasWords(t *testing.T, s *jsonschema.Schema) {
	if s.Title == "" || s.Description == "" {
		t.Errorf("the definition %q has no words; comment its type", s.Title)
	}
	for key, property := range s.Properties { // order-free
		if property.Description == "" && !(strings.HasPrefix(s.Title, "matcher ") && key[0] != '$') { // the expectation's words name its keys
			t.Errorf("the key %s of %s has no words; comment its field", key, s.Title)
		}
	}
}

// plainOf is a node as a program reads it that knows YAML and not the format, or false
// where it has a number that JSON does not know.
func plainOf(n *strict.Node) (plain any, ok bool) {
	v, ok := data.Read(&strict.Decoder{}, n, "")
	return plain, ok && json.Unmarshal([]byte(v.JSON()), &plain) == nil
}
