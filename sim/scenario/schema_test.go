package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// schemaFolder holds the schemas that editors use and that the program prints.
const schemaFolder = "../../scenarios/schema"

// scenarioSchema is the schema of a scenario file.
func scenarioSchema(t *testing.T) *jsonschema.Schema {
	g := &schemaGen{t: t, words: sourceWords(t), forms: schemaForms(), defs: map[string]*jsonschema.Schema{}}
	root := g.object(reflect.TypeFor[File]())
	root.Types, root.Type, root.Pattern = nil, "object", ""
	root.Title = "A scenario of shelly, version 1"
	root.Description = "A world, a script for the model, a timeline of inputs, faults, and what must hold."
	g.setDefaults()
	root.Defs = g.defs
	return root
}

// The committed schema is that of the types; -update renews it (SCN-20).
func TestSchemaIsUpToDate(t *testing.T) {
	sameSchema(t, "scenario.v1.json", scenarioSchema(t))
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
	if *update {
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
		if property.Description == "" {
			t.Errorf("the key %s of %s has no words; comment its field", key, s.Title)
		}
	}
}
