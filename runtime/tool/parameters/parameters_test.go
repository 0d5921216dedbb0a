package parameters

import (
	"fmt"
	"strings"
	"testing"
)

func TestTOL94ASchemaThatDoesNotEndIsRefused(t *testing.T) {
	var doubled strings.Builder
	for i := range 30 {
		_, _ = fmt.Fprintf(&doubled, `"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}, `, i, i+1, i+1)
	}
	for text, want := range map[string]string{ // order-free: each is read alone
		`{"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"p": {"$ref": "#/$defs/a"}}}`:       "without end",
		`{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"not": {"$ref": "#/$defs/a"}}]}}}`: "without end",
		`{"allOf": [{"$ref": "#"}]}`:                                                                                                      "without end",
		`{"if": {"$ref": "#"}}`:                                                                                                           "without end",
		`{"dependentSchemas": {"a/b": {"$ref": "#"}}}`:                                                                                    "without end",
		`{"$defs": {"a/b": {"$ref": "#/$defs/a~1b"}}}`:                                                                                    "without end",
		`{"$defs": {"a": {"$anchor": "x", "$ref": "#x"}}}`:                                                                                "without end",
		`{"$defs": {"a": {"$dynamicAnchor": "x", "oneOf": [{"$dynamicRef": "#x"}]}}}`:                                                     "without end",
		`{"$id": "https://a.example/s", "$defs": {"a": {"$ref": "https://a.example/s#/$defs/a"}}}`:                                        "without end",
		`{"$id": "https://a.example/s", "$defs": {"a": {"$id": "t", "allOf": [{"$ref": "#"}]}}}`:                                          "without end",
		`{"$defs": {` + doubled.String() + `"d30": {}}}`:                                                                                  "parts apply",
		`{"properties": {"p": {"$ref": "#"}, "list": {"items": {"$ref": "#"}}}}`:                                                          "",
		`{"$defs": {"a": {"properties": {"b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}}}, "allOf": [{"$ref": "#/$defs/a"}]}`: "",
		`{"$id": "https://a.example/s", "$defs": {"a": {"type": "string"}}, "properties": {"p": {"$ref": "/s#/$defs/a"}}}`:                "",
		`{"const": {"allOf": [{"$ref": "#"}]}}`:                                                                                           "",
	} {
		s, err := Read(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil {
			_ = s.Validate(map[string]any{"p": map[string]any{"p": map[string]any{}}, "b": nil})
		}
	}
}
