package text_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shelly/runtime/store/text"
)

// pack packs parts, and keeps their texts.
func (k kept) pack(t interface{ Fatalf(string, ...any) }, known *text.Known, parts ...[]byte) []byte {
	p := known.Pack()
	length := 0
	for _, part := range parts {
		p.Add(part)
		length += len(part)
	}
	form, texts := p.Form()
	for _, one := range texts {
		k[one.Number] = bytes.Clone(one.Bytes)
	}
	refs, err := text.Refs(form)
	if err != nil || !slices.EqualFunc(refs, texts, func(r text.Ref, one text.Text) bool { return r == one.Ref }) {
		t.Fatalf("references %v for texts %v, %v", refs, texts, err)
	}
	if n, err := text.Length(form); n != length || err != nil || !text.IsForm(form) {
		t.Fatalf("length %d, %v, form %t; want %d", n, err, text.IsForm(form), length)
	}
	return form
}

// list returns a JSON list of that many strings, all too short to be taken out.
func list(seed uint64, length int) []string {
	words := make([]string, length)
	for i := range words {
		words[i] = noise(seed+uint64(i)%100, 100)
	}
	return words
}

// Whatever the parts are, their form yields them again, byte for byte.
func TestJRN34APackedBodyIsReadAsItWasWritten(t *testing.T) {
	long, short := noise(7, 2000), map[int][]string{}
	for _, n := range []int{0, 10, 700, 3000} { // the last one is more than a block
		short[n] = list(1, n)
	}
	rapid.Check(t, func(r *rapid.T) {
		known, k := text.NewKnown(1), kept{}
		for range rapid.IntRange(1, 3).Draw(r, "bodies") {
			var parts [][]byte
			for range rapid.IntRange(0, 5).Draw(r, "parts") {
				said := any(long[rapid.IntRange(0, len(long)).Draw(r, "from"):])
				if rapid.Bool().Draw(r, "many") {
					said = short[rapid.SampledFrom([]int{0, 10, 700, 3000}).Draw(r, "words")]
				}
				part, _ := json.Marshal(map[string]any{"a": said, "b": 1})
				parts = append(parts, part)
			}
			before := bytes.Join(parts, nil)
			got, err := text.Fill([]byte("before"), k.pack(r, known, parts...), k.find)
			if err != nil || string(got) != "before"+string(before) {
				r.Fatalf("a body of %d bytes is read as %d, %v", len(before), len(got), err)
			}
		}
	})
}

// What stands in several parts is written once, be it long or short.
func TestJRN34APackedBodyRepeatsNothing(t *testing.T) {
	part, _ := json.Marshal(map[string]any{"long": noise(8, 3000), "short": list(1, 20)})
	known, k := text.NewKnown(1), kept{}
	one := k.pack(t, known, part)
	many := k.pack(t, known, slices.Repeat([][]byte{part}, 50)...)
	if len(k) != 1 || len(many) > 2*len(one) {
		t.Errorf("%d texts; 50 parts have %d bytes, one has %d", len(k), len(many), len(one))
	}
}

// What is short is compressed where there is much of it in a body, beside its long texts.
func TestJRN34WhatIsShortIsCompressed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		said   []string
		packed bool
	}{
		{"little", list(4, 20), false},
		{"much", slices.Repeat(list(4, 20), 20), true},
		{"much beside a long text", append(slices.Repeat(list(4, 20), 20), noise(9, 3000)), true},
		{"more than a block", slices.Repeat(list(4, 100), 40), true},
		{"little beside a long text", append(list(4, 20), noise(9, 3000)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _ := json.Marshal(tt.said)
			k := kept{}
			form := k.take(t, text.NewKnown(1), body, text.InStrings)
			if short := len(body) - k.bytes(); tt.packed != (len(form) < short/2) {
				t.Errorf("%d bytes that are short have a form of %d", short, len(form))
			}
			for n := 1; tt.packed && n < len(form); n += 1 + len(form)/50 {
				if _, err := text.Fill(nil, form[:n], k.find); err == nil {
					t.Errorf("cut to %d of %d bytes, but there is no error", n, len(form))
				}
			}
		})
	}
}

func TestJRN34APackedFormThatIsCutShortIsAnError(t *testing.T) {
	part, _ := json.Marshal(list(2, 5000))
	k := kept{}
	form := k.pack(t, text.NewKnown(1), part)
	for n := 1; n < len(form); n += 97 {
		if _, err := text.Fill(nil, form[:n], k.find); err == nil {
			t.Errorf("cut to %d of %d bytes, but there is no error", n, len(form))
		}
	}
}
