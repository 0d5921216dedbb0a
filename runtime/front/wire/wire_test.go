package wire_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"shelly/runtime/front/wire"
)

// read reads a message of a few fields.
func read(text string) (model string, texts []string, err error) {
	v, err := wire.Parse([]byte(text))
	if err != nil {
		return "", nil, err
	}
	var streams bool
	err = v.Object(
		wire.Text("model", &model), wire.Flag("stream", &streams),
		wire.Each("texts", 2, func(v wire.Value) error {
			texts = append(texts, v.Text)
			return v.Is(wire.String)
		}),
		wire.Idle("heat", wire.Number), wire.Refused("tools", "there are none", "none"), wire.Only("n", 1, "there is one answer"),
	)
	return model, texts, err
}

func TestFRT2WhatTwoReadersCouldUnderstandDifferentlyIsRefused(t *testing.T) {
	for _, tt := range []struct{ text, param, want string }{
		{`{"model":"a"}`, "", ""},
		{`{"model":null,"tools":[],"n":1,"heat":0.7}`, "", ""},
		{`{"tools":"none"}`, "", ""},
		{`{"tools":false}`, "", ""},
		{`{"model":"a","model":"a"}`, "model", `"model" is given twice`},
		{`{"Model":"a"}`, "Model", `unknown field "Model"; the fields are model, stream, texts, heat, tools, n`},
		{`{"model":7}`, "model", `"model" is a number; send a text`},
		{`{"stream":"yes"}`, "stream", `"stream" is a text; send true or false`},
		{`{"texts":["a",{"b":1}]}`, "texts[1]", `"texts[1]" is an object; send a text`},
		{`{"texts":["a","b","c"]}`, "texts", `"texts" has more than 2 items; send fewer`},
		{`{"heat":"hot"}`, "heat", `"heat" is a text; send a number`},
		{`{"tools":[{}]}`, "tools", `"tools" is not supported: there are none`},
		{`{"tools":0}`, "tools", `"tools" is not supported: there are none`},
		{`{"n":1.0}`, "", ""},
		{`{"n":2}`, "n", `"n" is not supported: there is one answer`},
		{`{"n":"1"}`, "n", `"n" is not supported: there is one answer`},
		{`[]`, "", "the message is a list; send an object"},
		{"[1" + strings.Repeat(",1", wire.ValuesMax) + "]", "", "the message has more than 200000 values"},
		{`{"model":"a"} {}`, "", "there is more after the message's end, at byte 15"},
		{`{"model":"a"`, "", "the message ends too early at byte 12"},
		{`{"model":'a'}`, "", "the message is not JSON at byte 9"},
		{"{\"model\":\"\xff\"}", "", "the message is not valid UTF-8"},
		{`{"` + strings.Repeat("x", 1000) + `":1}`, strings.Repeat("x", 100) + "…", `unknown field "` + strings.Repeat("x", 100) + `…"; the fields are model, stream, texts, heat, tools, n`},
		{strings.Repeat(`{"x":`, 100) + "1" + strings.Repeat("}", 100), strings.Repeat("x.", 63) + "x", "the message is nested deeper than 64 levels"},
		{`{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "x" + strings.Repeat("[0]", 63), "the message is nested deeper than 64 levels"},
	} {
		_, _, err := read(tt.text)
		fault := (*wire.Error)(nil)
		if tt.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &fault) || fault.Message != tt.want || fault.Param != tt.param {
			t.Errorf("%s: %v (%+v); want %q about %q", tt.text, err, fault, tt.want, tt.param)
		}
	}
}

// A message with many values below a long name takes memory by its length, and not by the product
// of the two.
func TestFRT2ALongNameIsNotKeptForEachValueBelowIt(t *testing.T) {
	takes := func(values int) uint64 {
		message := []byte(`{"` + strings.Repeat("a", 1<<16) + `":[1` + strings.Repeat(",1", values-1) + `]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := wire.Parse(message); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := takes(10), takes(1000); many > few+1<<20 {
		t.Errorf("%d bytes with 10 values and %d with 1000", few, many)
	}
}

// Whatever the bytes are, they are read or refused, and never more than once.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null}]}`, `"\ud800"`, `[[[[`, `{"a":1,"a":2}`, "\xff", `1e999`, `{}{}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if fault := (*wire.Error)(nil); err != nil && !errors.As(err, &fault) {
			t.Errorf("%v is not an Error", err)
		}
		if err == nil && v.Kind == "" {
			t.Errorf("%q has no kind", data)
		}
	})
}
