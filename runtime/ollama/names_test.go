package ollama

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

// named returns the fields of a struct by their names on the wire.
func named(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			fields[name] = f
		}
	}
	return fields
}

// The types of this package have the same names on the wire as the library's, so that a change of
// the API is noticed.
func TestTheWireHasTheLibrarysNames(t *testing.T) {
	for ours, theirs := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[Sent]():        reflect.TypeFor[api.Options](),
		reflect.TypeFor[chatRequest](): reflect.TypeFor[api.ChatRequest](),
		reflect.TypeFor[message]():     reflect.TypeFor[api.Message](),
		reflect.TypeFor[call]():        reflect.TypeFor[api.ToolCall](),
		reflect.TypeFor[function]():    reflect.TypeFor[api.ToolCallFunction](),
		reflect.TypeFor[tool]():        reflect.TypeFor[api.Tool](),
		reflect.TypeFor[schema]():      reflect.TypeFor[api.ToolFunction](),
		reflect.TypeFor[chunk]():       reflect.TypeFor[api.ChatResponse](),
		reflect.TypeFor[Pulling]():     reflect.TypeFor[api.ProgressResponse](),
	} {
		known := named(theirs)
		for name := range named(ours) {
			if _, ok := known[name]; !ok && name != "error" { // any answer may be an error instead
				t.Errorf("%v has %q, which %v does not know", ours, name, theirs)
			}
		}
	}
	known := named(reflect.TypeFor[api.Message]())
	for name := range named(reflect.TypeOf(chunk{}.Message)) {
		if _, ok := known[name]; !ok {
			t.Errorf("the message of a chunk has %q, which %v does not know", name, reflect.TypeFor[api.Message]())
		}
	}
}

func TestBRN41TheNamesOfAModelAsTheServerTakesThem(t *testing.T) {
	for _, name := range []string{"op", "OP", "op:latest", "Op:Latest", "library/op", "Library/op:latest", "registry.ollama.ai/library/op", "Registry.Ollama.AI/library/OP:latest", "https://registry.ollama.ai/library/op", " op "} {
		if !SameModel(name, "op:latest") {
			t.Errorf("%q is another than op:latest: %s", name, tagged(name))
		}
	}
	for _, name := range []string{"", "op:4b", "opx", "me/op", "example.com/library/op", "example.com/op", "op/latest"} {
		if SameModel(name, "op:latest") {
			t.Errorf("%q is op:latest", name)
		}
	}
	if !SameModel("hf.co/me/Model-GGUF:Q4_K_M", "HF.co/me/model-gguf:q4_k_m") {
		t.Error("the letters of a name from elsewhere count")
	}
}
