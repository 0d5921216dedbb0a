package parameters

import (
	"encoding/json"
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
		`{"properties": {"p": {"$ref": "https://a.example/s#/a"}}}`:                                 "loading https://a.example/s: it refers to another schema, and none is loaded",
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
		strings.Repeat(`{"not": `, 101) + `{}` + strings.Repeat(`}`, 101):                                                                 "nested more than 100 deep",
		strings.Repeat(`{"allOf": [`, 51) + `{}` + strings.Repeat(`]}`, 51):                                                               "nested more than 100 deep",
		strings.Repeat(`{"not": `, 99) + `{}` + strings.Repeat(`}`, 99):                                                                   "",
		`{"description": "` + strings.Repeat(`[{\"`, 200) + `"}`:                                                                          "",
		`{"const": {"allOf": [{"$ref": "#"}]}}`:                                                                                           "",
	} {
		s, err := Read(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", text, err, want)
		}
		if err == nil {
			_ = s.Validate(map[string]any{"p": map[string]any{"p": map[string]any{}}, "b": nil})
		}
	}
}

func TestTOL94WhatCannotBeCheckedIsLeftOutOfTheCheck(t *testing.T) {
	for text, c := range map[string]struct { // order-free: each is read alone
		unchecked string
		takes     []string
		refuses   []string
	}{
		`{"properties": {"a": {"type": "string", "pattern": "^(?!x).*$"}}, "required": ["a"]}`: {
			`pattern "^(?!x).*$"`, []string{`{"a": "x"}`}, []string{`{"a": 1}`, `{}`}},
		`{"properties": {"pattern": {"type": "string"}, "required": {"type": "string"}}, "default": {"pattern": "("}}`: {
			"", []string{`{"pattern": "("}`}, []string{`{"pattern": 1}`, `{"required": 1}`}},
		`{"properties": {"a": {"pattern": "^.{1,5000}$"}, "b": {"pattern": "^.{1,5000}$"}, "c": {"pattern": "(a)\\1"}}}`: {
			`pattern "^.{1,5000}$"; pattern "(a)\\1"`, []string{`{"a": ""}`}, nil},
		`{"properties": {"a": {"pattern": "^a{0,900}b{0,900}c{0,900}$"}}}`: {
			`pattern "^a{0,900}b{0,900}c{0,900}$"`, []string{`{"a": "d"}`}, nil},
		`{"patternProperties": {"^(?!x)": {"type": "string"}, "^y": {"type": "integer"}}, "additionalProperties": false}`: {
			`patternProperties "^(?!x)"`, []string{`{"z": ""}`}, []string{`{"y": ""}`}},
		`{"properties": {"a": {"not": {"pattern": "(?!x)"}, "oneOf": [{"pattern": "(?=x)"}, {"pattern": "x"}, {"type": "boolean"}]}}}`: {
			`pattern "(?!x)"; pattern "(?=x)"`, []string{`{"a": "x"}`, `{"a": "y"}`}, nil},
		`{"properties": {"a": {"minimum": 0, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false}}}`: {
			"", []string{`{"a": 5}`, `{"a": 0.5}`}, []string{`{"a": 0}`, `{"a": 6}`}},
		`{"properties": {"a": {"type": "string", "required": true}}}`:                                        {"required true", []string{`{}`}, []string{`{"a": 1}`}},
		`{"$id": "Options", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}`: {"", []string{`{"a": ""}`}, []string{`{"a": 1}`}},
		`{"$defs": {"s": {"type": "string"}}, "definitions": {"s": {"type": "integer"}, "a/ b%": {"items": {"$ref": "#/definitions/s"}}},
			"properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/definitions/s"}, "c": {"$ref": "#/definitions/a~1%20b%25"}, "d": {"$ref": "#/definitions/a~1%20b%25/items"}}}`: {
			"", []string{`{"a": "", "b": 1, "c": [1], "d": 1}`}, []string{`{"a": 1}`, `{"b": ""}`, `{"c": [""]}`, `{"d": ""}`}},
		`{"properties": {"a": {"$defs": {"s": {"type": "string"}}, "definitions": {"s": {"type": "integer"}},
			"properties": {"x": {"$ref": "#/properties/a/$defs/s"}, "y": {"$ref": "#/properties/a/definitions/s"}}}}}`: {
			"", []string{`{"a": {"x": "", "y": 1}}`}, []string{`{"a": {"x": 1}}`, `{"a": {"y": ""}}`}},
		`{"$defs": {"o": {"type": "null"}}, "definitions": {"o": {"$defs": {"i": {"type": "string"}}, "definitions": {"i": {"type": "integer"}}}},
			"properties": {"a": {"$ref": "#/definitions/o/definitions/i"}, "b": {"$ref": "#/definitions/o/$defs/i"}, "c": {"$ref": "#/$defs/o"}}}`: {
			"", []string{`{"a": 1, "b": "", "c": null}`}, []string{`{"a": ""}`, `{"b": 1}`, `{"c": 1}`}},
		`{"$defs": {"p": {}}, "definitions": {"q": {"$id": "https://a.example/q", "$defs": {"i": {"type": "string"}}, "definitions": {"i": {"type": "integer"}},
			"properties": {"x": {"$ref": "#/definitions/i"}, "y": {"$ref": "#/$defs/i"}}}}, "properties": {"a": {"$ref": "https://a.example/q"}}}`: {
			"", []string{`{"a": {"x": 1, "y": ""}}`}, []string{`{"a": {"x": ""}}`, `{"a": {"y": 1}}`}},
	} {
		loose, unchecked := Loose(text)
		if got := strings.Join(unchecked, "; "); got != c.unchecked {
			t.Errorf("%s: not checked is %s", text, got)
		}
		s, err := Read(loose)
		if err != nil {
			t.Errorf("%s: %v", loose, err)
			continue
		}
		for i, args := range append(c.takes, c.refuses...) {
			var v any
			_ = json.Unmarshal([]byte(args), &v)
			if err := s.Validate(v); (err == nil) != (i < len(c.takes)) {
				t.Errorf("%s: %s: got %v; want an error %t", text, args, err, i >= len(c.takes))
			}
		}
	}
}
