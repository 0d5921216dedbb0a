package misfit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"shelly/runtime/misfit"
)

func TestNoTypesOfGoAreNamed(t *testing.T) {
	var v struct {
		A struct {
			B *int     `json:"b"`
			C []string `json:"c"`
		} `json:"a"`
		D bool           `json:"d"`
		E map[string]any `json:"e"`
		F float64        `json:"f"`
		G string         `json:"g"`
	}
	for text, want := range map[string]string{ // order-free: each is read alone
		`7`:                  `a value is a number, not an object`,
		`{"a": {"b": "x"}}`:  `"b" is a text, not a whole number`,
		`{"a": {"b": 1.5}}`:  `"b" is the number 1.5, not a whole number`,
		`{"a": {"c": true}}`: `"c" is true or false, not a list`,
		`{"d": {}}`:          `"d" is an object, not true or false`,
		`{"e": []}`:          `"e" is a list, not an object`,
		`{"f": "1"}`:         `"f" is a text, not a number`,
		`{"g": 1}`:           `"g" is a number, not a text`,
		`{`:                  `unexpected end of JSON input`,
	} {
		if got := misfit.Worded(json.Unmarshal([]byte(text), &v)); got == nil || got.Error() != want {
			t.Errorf("%s: got %v; want an error, %q", text, got, want)
		}
	}
	d := json.NewDecoder(strings.NewReader(`{"z": 1}`))
	d.DisallowUnknownFields()
	if got := misfit.Worded(d.Decode(&v)); got == nil || got.Error() != `unknown field "z"` {
		t.Errorf("got %v; want that z is unknown", got)
	}
	if err := misfit.Worded(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}
