package text_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/runtime/store/text"
	"shelly/runtime/yardstick"
)

// kept holds texts by number.
type kept map[uint64][]byte

func (k kept) take(t interface{ Fatalf(string, ...any) }, known *text.Known, body []byte, where text.Place) []byte {
	form, texts := known.Take(body, where)
	refs, err := text.Refs(form)
	if err != nil || len(refs) != len(texts) {
		t.Fatalf("%d references for %d texts, %v", len(refs), len(texts), err)
	}
	for i, one := range texts {
		if refs[i] != one.Ref || !one.Is(one.Bytes) || len(one.Bytes) < text.MinBytes {
			t.Fatalf("reference %+v, text %+v of %d bytes", refs[i], one.Ref, len(one.Bytes))
		}
		if old, there := k[one.Number]; there && !bytes.Equal(old, one.Bytes) {
			t.Fatalf("two texts have number %d", one.Number)
		}
		k[one.Number] = bytes.Clone(one.Bytes)
	}
	if n, err := text.Length(form); n != len(body) || err != nil {
		t.Fatalf("length %d, %v; want %d", n, err, len(body))
	}
	return form
}

func (k kept) find(r text.Ref, use func([]byte) error) error {
	if one, there := k[r.Number]; there {
		return use(one)
	}
	return errors.New("it is missing")
}

func (k kept) bytes() (n int) {
	for _, one := range k {
		n += len(one)
	}
	return n
}

// noise returns a text of the given length without repetitions.
func noise(seed uint64, length int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]byte, length)
	for i := range out {
		out[i] = " abcdefghijklmnopqrstuvwxyz\n\"<é"[rng.IntN(30)]
	}
	return strings.ToValidUTF8(string(out), "?")
}

// Whatever a body is, its form yields it again, byte for byte.
func TestJRN34ABodyIsReadAsItWasWritten(t *testing.T) {
	words := []string{noise(1, 600), noise(2, 900), strings.Repeat("x", 1500), strings.Repeat(" \n", 700), "\u2028\u2029<>&\\\"\b\f\x01\x7f", "é", "\xff", "\xe2\x80", `\u00e9`, `"`, `\`, "short"}
	rapid.Check(t, func(r *rapid.T) {
		known, k := text.NewKnown(1), kept{}
		for i := range rapid.IntRange(1, 6).Draw(r, "bodies") {
			part := rapid.Custom(func(r *rapid.T) string {
				w := rapid.SampledFrom(words).Draw(r, "word")
				return w[rapid.IntRange(0, len(w)).Draw(r, "from"):]
			})
			said := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(r, "parts"), "")
			body, where := []byte(said), text.Whole
			switch rapid.IntRange(0, 4).Draw(r, "form") {
			case 0:
				body, _ = json.Marshal(map[string]any{"a": said, "b": 1, "c": []string{said, "d"}})
				where = text.InStrings
			case 1:
				body, _ = json.Marshal(said)
				body, _ = json.Marshal(string(body))
				where = text.InStrings
			case 2:
				where = text.InStrings
			case 3:
				body, _ = json.Marshal([]any{said, list(3, rapid.SampledFrom([]int{20, 50, 3000}).Draw(r, "words")), said})
				where = text.InStrings
			}
			before := bytes.Clone(body)
			form := k.take(r, known, body, where)
			got, err := text.Fill([]byte("before"), form, k.find)
			if err != nil || string(got) != "before"+string(before) || !bytes.Equal(before, body) {
				r.Fatalf("body %d of %d bytes is read as %d, %v", i, len(before), len(got), err)
			}
		}
	})
}

// A text is kept once: in several bodies, in JSON and unquoted, alone and within a longer one, and
// as the beginning and the end of one.
func TestJRN34ATextIsKeptOnce(t *testing.T) {
	whole := noise(3, 20_000)
	head, tail := strings.ToValidUTF8(whole[:2000], ""), strings.ToValidUTF8(whole[len(whole)-1500:], "")
	for _, tt := range []struct {
		name   string
		bodies []any // a string: not as JSON
		most   int
	}{
		{"the same string in several", []any{[]string{whole}, map[string]string{"x": whole}, []string{"a", whole, whole}}, len(whole)},
		{"in JSON and as it is", []any{[]string{whole}, whole, []string{whole}}, len(whole)},
		{"as it is and in JSON", []any{whole, []string{whole}}, len(whole)},
		{"head and tail, the whole, and both with a mark", []any{[]string{head, tail}, whole, []string{head + " … " + tail}, []string{"result 7:\n" + head + " … " + tail + "\n"}}, len(whole)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known, k, inline := text.NewKnown(1), kept{}, 0
			for _, b := range tt.bodies {
				body, where := []byte(nil), text.InStrings
				if s, ok := b.(string); ok {
					body, where = []byte(s), text.Whole
				} else {
					body, _ = json.Marshal(b)
				}
				inline += len(k.take(t, known, body, where))
			}
			if got := k.bytes(); got > tt.most || inline > 300 {
				t.Errorf("%d bytes are kept in %d texts, and %d in forms; want %d", got, len(k), inline, tt.most)
			}
		})
	}
}

// A text of MinBytes is taken out, and a shorter one is not.
func TestJRN34AShortTextStaysWhereItIs(t *testing.T) {
	for _, length := range []int{1, 63, 64, text.MinBytes - 1, text.MinBytes, text.MinBytes + 1} {
		for _, where := range []text.Place{text.InStrings, text.Whole} {
			body := []byte(noise(4, 5000)[:length])
			if where == text.InStrings {
				body = []byte(`{"a":"` + strings.Repeat("y", length) + `"}`)
			}
			form := kept{}.take(t, text.NewKnown(1), body, where)
			if text.IsForm(form) != (length >= text.MinBytes) {
				t.Errorf("%d bytes, place %d: form %t", length, where, text.IsForm(form))
			}
		}
	}
}

// A form whose text is missing or wrong is an error, and so is one that is cut short.
func TestJRN34AFormWithoutItsTextIsAnError(t *testing.T) {
	body, _ := json.Marshal([]string{noise(5, 3000), "b"})
	k := kept{}
	form := k.take(t, text.NewKnown(1), body, text.InStrings)
	if _, err := text.Fill(nil, form, kept{}.find); err == nil {
		t.Error("the text is missing, but there is no error")
	}
	for number := range k {
		other := kept{number: []byte(noise(6, 3000))}
		if _, err := text.Fill(nil, form, other.find); err == nil || !strings.Contains(err.Error(), fmt.Sprint(number)) {
			t.Errorf("another text: %v", err)
		}
	}
	for n := 1; n < len(form); n++ {
		if _, err := text.Fill(nil, form[:n], k.find); err == nil {
			t.Errorf("cut to %d of %d bytes, but there is no error", n, len(form))
		}
	}
}

// The number of known texts is bounded, and the latest are among them.
func TestJRN34TheLatestTextsAreKnown(t *testing.T) {
	known, k := text.NewKnown(1), kept{}
	var bodies [][]byte
	for i := range uint64(5000) {
		body := []byte(noise(i, 600))
		k.take(t, known, body, text.Whole)
		bodies = append(bodies, body)
	}
	before := len(k)
	for _, body := range bodies[len(bodies)-2000:] {
		k.take(t, known, body, text.Whole)
	}
	if len(k) != before {
		t.Errorf("%d of the latest texts are not known", len(k)-before)
	}
}

// A text that nearly matches a known one everywhere takes no more time than others: the number of
// comparisons is bounded.
func TestJRN34ATextThatRepeatsItselfIsTakenOut(t *testing.T) {
	known, k := text.NewKnown(1), kept{}
	for _, body := range []string{
		strings.Repeat("x", 60_000), strings.Repeat("x", 100_000) + "y", "y" + strings.Repeat("x", 300_000),
		strings.Repeat(strings.Repeat("x", 999)+"z", 300),
	} {
		form := k.take(t, known, []byte(body), text.Whole)
		if got, err := text.Fill(nil, form, k.find); err != nil || string(got) != body {
			t.Errorf("%d bytes are read as %d, %v", len(body), len(got), err)
		}
	}
	if !slices.ContainsFunc([]uint64{1, 2, 3}, func(n uint64) bool { return k[n] != nil }) {
		t.Error("nothing was taken out")
	}
}

// Reading any bytes as a form either works or returns an error.
func FuzzForm(f *testing.F) {
	form, _ := text.NewKnown(1).Take([]byte(`{"a":"`+strings.Repeat("<é\n", 400)+`"}`), text.InStrings)
	f.Add(form)
	p := text.NewKnown(1).Pack()
	p.Add([]byte(`{"a":"` + strings.Repeat("<é\n", 400) + `"}`))
	form, _ = p.Form()
	f.Add(form)
	f.Add([]byte{0xff, 1, 0})
	f.Fuzz(func(t *testing.T, form []byte) {
		_, _ = text.Length(form)
		_, _ = text.Refs(form)
		_, _ = text.Fill(nil, form, func(r text.Ref, use func([]byte) error) error { return use(make([]byte, min(r.Bytes, 1<<16))) })
		k := kept{}
		again := k.take(t, text.NewKnown(1), form, text.InStrings)
		if got, err := text.Fill(nil, again, k.find); err != nil || !bytes.Equal(got, form) {
			t.Errorf("%q is read as %q, %v", form, got, err)
		}
	})
}

// BenchmarkTake measures taking a text of 5 KB out of a body that holds it as JSON: a new text, a
// known one, and one that contains known ones; and packing a body of 11 KB with no long text. The
// yardstick is json.Valid of the same body.
func BenchmarkTake(b *testing.B) {
	body, _ := json.Marshal([]string{noise(9, 5000)})
	parts, _ := json.Marshal([]string{noise(9, 5000)[:1024], noise(9, 5000)[3000:]})
	short, _ := json.Marshal(slices.Repeat(list(1, 22), 5))
	for _, tt := range []struct {
		name  string
		known [][]byte
		body  []byte
	}{{"new", nil, body}, {"known", [][]byte{body}, body}, {"parts", [][]byte{parts}, body}, {"short", [][]byte{}, short}} {
		b.Run(tt.name, func(b *testing.B) {
			k := text.NewKnown(1)
			for _, known := range tt.known {
				k.Take(known, text.InStrings)
			}
			b.SetBytes(int64(len(tt.body)))
			for b.Loop() {
				if tt.known == nil {
					b.StopTimer()
					k = text.NewKnown(1)
					b.StartTimer()
				}
				k.Take(tt.body, text.InStrings)
			}
			yardstick.Of(b, "json-valid", func() { json.Valid(tt.body) })
		})
	}
}
