package fsm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
)

// linesOf returns the lines of a golden file.
func linesOf(f *testing.F, name string) [][]byte {
	f.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		f.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// serves returns a machine that has admitted a request.
func serves() *machine.Machine {
	m := machine.New()
	c := profile.Default()
	c.Init = fsm.InitOff
	m.Step(fsm.Input{At: 1, Fact: fsm.Boot{Config: c}})
	m.Step(fsm.Input{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: "r1"}, Text: "hello"}})
	return m
}

// Any bytes are either an error or an input that is written the same way each time, and
// that has the same effects after a recovery as before (JRN-15, INV-9).
func FuzzUnmarshalInput(f *testing.F) {
	for _, line := range linesOf(f, "inputs.golden") {
		f.Add(line)
	}
	for _, odd := range []string{
		"", "null", "[]", `{"kind":7}`, `{"kind":"dreamt"}`, `{"KIND":"stored"}`, `{"kind":"stored","kind":"boot"}`, `{"kind":"stored","call":1e3}`,
		`{"kind":"requested","text":"\ud800"}`, "{\"kind\":\"requested\",\"text\":\"\xff\"}", `{"kind":"requested","images":[""],"context":[]}`,
		`{"kind":"brain_answered","calls":[null]}`, `{"kind":"boot","config":{"limits":null}}`, `{"kind":"embedded","vector":"AA=="} `,
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := fsm.UnmarshalInput(data)
		if err != nil {
			if in.Fact != nil || err.Error() == "" {
				t.Fatalf("an error %q and the input %v", err, in)
			}
			return
		}
		var head struct{ Kind string }
		if json.Unmarshal(data, &head) != nil || head.Kind != fsm.InputKind(in) {
			t.Fatalf("%s is read as %T", data, in.Fact)
		}
		written, err := fsm.MarshalInput(in)
		if err != nil {
			t.Fatalf("%+v was read and cannot be written: %v", in, err)
		}
		back, err := fsm.UnmarshalInput(written)
		if err != nil || fsm.InputKind(back) != fsm.InputKind(in) {
			t.Fatalf("%s is read as %T, %v", written, back, err)
		}
		again, err := fsm.MarshalInput(back)
		if err != nil || !bytes.Equal(written, again) {
			t.Fatalf("written as %s, then as %s, %v", written, again, err)
		}
		a, b := serves(), serves()
		if before, after := fsm.HashEffects(a.Step(in)), fsm.HashEffects(b.Step(back)); before != after {
			t.Errorf("%s has different effects when it is read again", written)
		}
		if a.View().Hash() != b.View().Hash() {
			t.Errorf("%s leads to another state when it is read again: %s", written, cmp.Diff(a.Snapshot(), b.Snapshot()))
		}
	})
}

// Any effect has a wire form that is one JSON object with its kind, and one hash (JRN-6,
// JRN-15).
func FuzzMarshalEffect(f *testing.F) {
	types := map[string]reflect.Type{}
	for _, e := range effects() {
		types[fsm.EffectKind(e)] = reflect.TypeOf(e)
	}
	for _, line := range linesOf(f, "effects.golden") {
		f.Add(line)
	}
	f.Add([]byte(`{"kind":"reply","text":"\ud800<&>"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var head struct{ Kind string }
		if json.Unmarshal(data, &head) != nil || types[head.Kind] == nil {
			t.Skip("no effect")
		}
		read := func(data []byte) fsm.Effect {
			v := reflect.New(types[head.Kind])
			if json.Unmarshal(data, v.Interface()) != nil {
				return nil
			}
			return v.Elem().Interface().(fsm.Effect)
		}
		e := read(data)
		if e == nil {
			t.Skip("no effect")
		}
		written, err := fsm.MarshalEffect(e)
		if err != nil || !bytes.HasPrefix(written, []byte(`{"kind":"`+head.Kind+`"`)) {
			t.Fatalf("%+v is written as %s, %v", e, written, err)
		}
		back := read(written)
		if back == nil {
			t.Fatalf("%s cannot be read", written)
		}
		if again, err := fsm.MarshalEffect(back); err != nil || !bytes.Equal(written, again) {
			t.Errorf("written as %s, then as %s, %v", written, again, err)
		}
		if a, b := fsm.HashEffects([]fsm.Effect{e}), fsm.HashEffects([]fsm.Effect{back}); a != b {
			t.Errorf("%s has the hash %x, and read again %x", written, a, b)
		}
	})
}
