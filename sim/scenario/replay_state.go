package scenario

import (
	"encoding/json"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"shelly/fsm"
)

// read reads a snapshot's wire form, to the letter and as strictly as an input's.
func (v *State) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		d.add(n, path, "wants a map such as {lifecycle: serving, …}, found "+kindOf(n))
		return
	}
	if d.verbatim == 0 {
		d.verbatim = d.depth // to the letter: no variables are put in
	}
	known := len(d.problems)
	data, ok := d.data(n, path)
	if !ok {
		return
	}
	d.wired(data, reflect.TypeFor[fsm.Snapshot](), path)
	if len(d.problems) > known {
		return
	}
	if err := json.Unmarshal([]byte(data.json()), &v.Snapshot); err != nil {
		d.add(n, path, err.Error())
		return
	}
	d.checkState(&v.Snapshot, path)
}

// checkState wants of a state what the machine takes for granted of its own.
func (d *decoder) checkState(s *fsm.Snapshot, path string) {
	d.checkStateOf(fsm.Lifecycle, s.Lifecycle, member(path, "lifecycle"))
	for i := range s.Handles {
		h, at := &s.Handles[i], element(member(path, "handles"), i)
		d.checkStateOf(fsm.HandleTable, h.State, member(at, "state"))
		if h.Inf.State != "" {
			d.checkStateOf(fsm.InferenceTable, h.Inf.State, member(at, "inf.state"))
		}
		running := h.Inf.State == fsm.Acting || h.Inf.State == fsm.Retrying
		if n := len(h.Inf.Calls); h.Inf.Next < 0 || h.Inf.Next > n || running && h.Inf.Next == n {
			d.at(member(at, "inf.next"), "is none of the calls")
		}
	}
}

func (d *decoder) checkStateOf(t fsm.Table, s fsm.State, path string) {
	var known []string
	for _, row := range t.Rows {
		for _, state := range []fsm.State{row.From, row.To} {
			if !slices.Contains(known, string(state)) {
				known = append(known, string(state))
			}
		}
	}
	if !slices.Contains(known, string(s)) {
		d.at(path, unknown("state", string(s), known))
	}
}
