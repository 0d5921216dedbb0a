package machine_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"

	"pgregory.net/rapid"
)

// Any snapshot is written the same way each time, and a machine restored from it is in its
// state (JRN-13, INV-9).
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
		var s state.Snapshot
		if json.Unmarshal(data, &s) != nil {
			return
		}
		m := machine.Restore(s)
		written, err := json.Marshal(m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		var back state.Snapshot
		if err := json.Unmarshal(written, &back); err != nil {
			t.Fatalf("%s cannot be read: %v", written, err)
		}
		restored := machine.Restore(back)
		if again, err := json.Marshal(restored.Snapshot()); err != nil || !bytes.Equal(written, again) {
			t.Errorf("written as %s, then as %s, %v", written, again, err)
		}
		if m.View().Hash() != restored.View().Hash() {
			t.Errorf("%s is a different state when it is read again", written)
		}
	})
}

// The bytes are a journal: the lines that can be read, whatever they say, take a machine
// only through moves of its tables, and break no invariant.
func FuzzStepJournal(f *testing.F) {
	inputs, err := os.ReadFile("../testdata/inputs.golden")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(inputs)
	for _, journal := range journals(f) {
		f.Add(journal)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, w := machine.New(), check.NewMonitor()
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
				t.Errorf("after %s a restored machine behaves differently", lines.Bytes())
			}
			if t.Failed() {
				return
			}
			twin = machine.Restore(m.Snapshot())
		}
		if n := m.View().Ignored.Moves; n != 0 {
			t.Errorf("a table refused %d moves", n)
		}
	})
}

// journals returns the inputs of the committed journals, those of each in order.
func journals(f *testing.F) [][]byte {
	f.Helper()
	names, err := filepath.Glob("../../sim/scenario/testdata/journals/*.jsonl")
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

// The bytes choose the inputs of a machine, as the properties do (INV-1 … INV-11).
func FuzzStep(f *testing.F) {
	fuzzStarts(f, anythingAtAll)
}

// fuzzStarts fuzzes a property of machines in all the states in which tests begin.
func fuzzStarts(f *testing.F, property func(*rapid.T, *machine.Machine)) {
	var machines []*machine.Machine
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

// noise returns enough bytes to choose a history.
func noise(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, 1<<14)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}
