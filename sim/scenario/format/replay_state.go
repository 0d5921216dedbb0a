package format

import (
	"encoding/json"
	"reflect"
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// read reads a snapshot's wire form, to the letter and as strictly as an input's.
func (v *State) Read(d *strict.Decoder, n *strict.Node, path string) {
	known := len(d.Problems)
	told, ok := verbatim(d, n, path, "{lifecycle: serving, …}")
	if !ok {
		return
	}
	wired(d, told, reflect.TypeFor[state.Snapshot](), path)
	if len(d.Problems) > known {
		return
	}
	if err := json.Unmarshal([]byte(told.JSON()), &v.Snapshot); err != nil {
		d.Add(n, path, err.Error())
		return
	}
	checkState(d, &v.Snapshot, path)
}

// checkState wants of a state what the machine takes for granted of its own.
func checkState(d *strict.Decoder, s *state.Snapshot, path string) {
	checkStateOf(d, state.Lifecycle, s.Lifecycle, strict.Member(path, "lifecycle"))
	for i := range s.Handles {
		h, at := &s.Handles[i], strict.Element(strict.Member(path, "handles"), i)
		checkStateOf(d, state.HandleTable, h.State, strict.Member(at, "state"))
		if h.Inf.State != "" {
			checkStateOf(d, state.InferenceTable, h.Inf.State, strict.Member(at, "inf.state"))
		}
		running := h.Inf.State == state.Acting || h.Inf.State == state.Retrying
		if n := len(h.Inf.Calls); h.Inf.Next < 0 || h.Inf.Next > n || running && h.Inf.Next == n {
			d.At(strict.Member(at, "inf.next"), "is none of the calls")
		} else if len(h.Inf.Batch) > n-h.Inf.Next {
			d.At(strict.Member(at, "inf.batch"), "has more calls than there are from inf.next on")
		}
	}
}

func checkStateOf(d *strict.Decoder, t state.Table, s fsm.State, path string) {
	var known []string
	for _, row := range t.Rows {
		for _, state := range []fsm.State{row.From, row.To} {
			if !slices.Contains(known, string(state)) {
				known = append(known, string(state))
			}
		}
	}
	if !slices.Contains(known, string(s)) {
		d.At(path, wording.Unknown("state", string(s), known))
	}
}
