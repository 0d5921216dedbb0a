package judge

import (
	"cmp"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
)

// handleSeen is a handle that was admitted in a run.
type handleSeen struct {
	id      fsm.HandleID
	kind    fsm.Kind
	request string
}

// seen lists the handles of the run in the order of admission, those that a replay
// begins with first. Finished handles leave the state, so the journal is folded once
// more to see them come; one that came and ended in a single step is in its moves alone.
func (j *judgement) seen() []handleSeen {
	if j.handles != nil {
		return j.handles
	}
	last := fsm.HandleID(0)
	come := func(h handleSeen) {
		if h.id > last {
			j.handles, last = append(j.handles, h), h.id
		}
	}
	from := compile.From(j.file)
	for _, h := range from.Handles {
		come(handleSeen{h.ID, h.Kind, h.Request.ID})
	}
	last = from.LastHandle
	for _, f := range sim.Fold(from, j.result.Steps) {
		for _, h := range admitted(f) {
			come(h)
		}
		last = f.Machine.View().LastHandle
	}
	return j.handles
}

// admitted are the handles that a step may have admitted, in their order.
func admitted(f engine.Folded) (list []handleSeen) {
	for _, h := range f.Machine.View().Handles {
		list = append(list, handleSeen{h.ID, h.Kind, h.Request.ID})
	}
	for _, m := range f.Moves {
		if m.Table == state.HandleTable.Name && !slices.ContainsFunc(list, func(h handleSeen) bool { return h.id == m.Handle }) {
			ended := handleSeen{id: m.Handle, kind: m.Kind}
			if in, ok := f.Input.Fact.(fsm.Requested); ok && m.Kind == fsm.KindUser {
				ended.request = in.Request.ID
			}
			list = append(list, ended)
		}
	}
	slices.SortFunc(list, func(a, b handleSeen) int { return cmp.Compare(a.id, b.id) })
	return list
}

// find returns the handle that is chosen, or false where there is none.
func (j *judgement) find(want *format.HandlePath) (handleSeen, bool) {
	n := want.Nth.Or(1)
	for _, h := range j.seen() {
		if !chooses(want, h) {
			continue
		}
		if n--; n == 0 {
			return h, true
		}
	}
	return handleSeen{}, false
}

func chooses(want *format.HandlePath, h handleSeen) bool {
	switch {
	case want.Kind != "" && want.Kind != string(h.kind), want.ID != "" && want.ID != h.request:
		return false
	case want.Kind == "" && want.ID == "":
		return h.kind == fsm.KindUser || h.kind == fsm.KindEvent
	default:
		return true
	}
}

// inferences are the paths of all inferences of the chosen handle. A run of the
// table ends in a final state; one that goes on after a restart is one run.
func (j *judgement) inferences(want *format.HandlePath) data.Value {
	h, ok := j.find(want)
	if !ok {
		return data.Value{}
	}
	return j.inferencesOf(h.id)
}

// inferencesOf are the paths of all inferences of a handle.
func (j *judgement) inferencesOf(id fsm.HandleID) data.Value {
	runs := data.Value{Kind: data.ListKind}
	ended := true
	for _, s := range j.result.Steps {
		for _, m := range s.Moves {
			if m.Table != state.InferenceTable.Name || m.Handle != id {
				continue
			}
			if ended {
				runs.List = append(runs.List, statesValue([]fsm.State{m.From}))
			}
			run := &runs.List[len(runs.List)-1]
			if !m.Stays() {
				run.List = append(run.List, data.Text(string(m.To)))
			}
			ended = slices.Contains(state.InferenceTable.Final, m.To)
		}
	}
	return runs
}
