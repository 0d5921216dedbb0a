package fsm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
)

// linesOf are the lines of a golden file.
func linesOf(f *testing.F, name string) [][]byte {
	f.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		f.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// serves is a machine that has taken a request in.
func serves() *fsm.Machine {
	m := fsm.New()
	c := fsm.DefaultProfile()
	c.Init = fsm.InitOff
	m.Step(fsm.Input{At: 1, Fact: fsm.Boot{Config: c}})
	m.Step(fsm.Input{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: "r1"}, Text: "hello"}})
	return m
}

// Whatever the bytes of an input are, they are an error or an input that is written
// the same each time, and that does after a recovery what it has done before (JRN-15,
// INV-9).
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
			t.Errorf("%s has other effects when it is read again", written)
		}
		if a.View().Hash() != b.View().Hash() {
			t.Errorf("%s leads to another state when it is read again: %s", written, cmp.Diff(a.Snapshot(), b.Snapshot()))
		}
	})
}

// An effect of any content has a wire form that is one JSON object with its kind, and
// one hash (JRN-6, JRN-15).
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

// A snapshot of any content is written the same each time, and a machine restored
// from it is in the state that it holds (JRN-13, INV-9).
func FuzzSnapshot(f *testing.F) {
	golden, err := os.ReadFile("testdata/snapshot.golden")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	for _, odd := range []string{"", "null", "{}", `{"handles":[null]}`, `{"handles":[{"id":1},{"id":1}]}`, `{"last_id":-1}`} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s fsm.Snapshot
		if json.Unmarshal(data, &s) != nil {
			return
		}
		m := fsm.Restore(s)
		written, err := json.Marshal(m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		var back fsm.Snapshot
		if err := json.Unmarshal(written, &back); err != nil {
			t.Fatalf("%s cannot be read: %v", written, err)
		}
		restored := fsm.Restore(back)
		if again, err := json.Marshal(restored.Snapshot()); err != nil || !bytes.Equal(written, again) {
			t.Errorf("written as %s, then as %s, %v", written, again, err)
		}
		if m.View().Hash() != restored.View().Hash() {
			t.Errorf("%s is another state when it is read again", written)
		}
	})
}

// Bytes are a journal: what can be read of it, line by line, leads a machine through
// no move that its tables do not have, and breaks no invariant, whatever it says.
func FuzzStepJournal(f *testing.F) {
	f.Add(bytes.Join(linesOf(f, "inputs.golden"), []byte("\n")))
	for _, journal := range journals(f) {
		f.Add(journal)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, w := fsm.New(), fsm.NewMonitor()
		twin := m.Clone()
		lines := bufio.NewScanner(bytes.NewReader(data))
		for n := 0; lines.Scan() && n < 100; n++ {
			in, err := fsm.UnmarshalInput(lines.Bytes())
			if err != nil {
				continue
			}
			effects := m.Step(in)
			for _, v := range w.Step(m, in, effects) {
				t.Errorf("after %s: %s", lines.Bytes(), v)
			}
			if fsm.HashEffects(twin.Step(in)) != fsm.HashEffects(effects) || twin.View().Hash() != m.View().Hash() {
				t.Errorf("after %s a restored machine does something else", lines.Bytes())
			}
			if t.Failed() {
				return
			}
			twin = fsm.Restore(m.Snapshot())
		}
		if n := m.View().Ignored.Moves; n != 0 {
			t.Errorf("a table refused %d moves", n)
		}
	})
}

// journals are the inputs of the committed journals, those of each in its order.
func journals(f *testing.F) [][]byte {
	f.Helper()
	names, err := filepath.Glob("../sim/scenario/testdata/journals/*.jsonl")
	if err != nil || len(names) == 0 {
		f.Fatalf("no journals: %v", err)
	}
	var list [][]byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var inputs [][]byte
		for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var record struct{ Input json.RawMessage }
			if err := json.Unmarshal(line, &record); err != nil {
				f.Fatal(err)
			}
			inputs = append(inputs, record.Input)
		}
		list = append(list, bytes.Join(inputs, []byte("\n")))
	}
	return list
}

// Bytes choose what a machine is told, as the properties do (INV-1 … INV-11).
func FuzzStep(f *testing.F) {
	fuzzStarts(f, anythingAtAll)
}

// fuzzStarts fuzzes a property of machines in all of the states that tests begin in.
func fuzzStarts(f *testing.F, property func(*rapid.T, *fsm.Machine)) {
	var machines []*fsm.Machine
	for _, g := range starts() {
		for _, s := range g.starts {
			machines = append(machines, s.machine(f))
		}
	}
	for n := range uint64(8) {
		f.Add(noise(n))
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		property(t, rapid.SampledFrom(machines).Draw(t, "start").Clone())
	}))
}

// noise are bytes enough to choose a history.
func noise(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, 1<<14)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}
