package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/sim/script"
)

// stage is a stage that a model call comes to, and when.
type stage struct {
	fsm.Stage
	at fsm.Millis
}

// progress puts on the agenda the facts about the stages of a call, as the
// daemon tells it (INF-50): none in the call's first seconds, and of those that are over
// by then none at all, but for a load before the stage that the call is in then. The call was
// asked at a time and is over at another.
func (w *world) progress(call fsm.CallID, asked, over fsm.Millis, stages ...stage) {
	if !w.config.Switches.Progress {
		return
	}
	w.agenda.drop(func(d *due) bool { return !d.tells(call) })
	for i, s := range stages {
		end, next := over, i+1
		if s.Stage == fsm.StageLoading && next < len(stages) && stages[next].Stage == fsm.StageAccepted {
			next++ // what the load has emptied is read until then
		}
		if next < len(stages) {
			end = stages[next].at
		}
		at := max(s.at, asked+fsm.ProgressAfter)
		if at < end && !slices.Contains(w.progressed[call], s.Stage) {
			w.agenda.add(due{at: max(at, w.agenda.now), call: call, fact: fsm.BrainProgress{Call: call, Stage: s.Stage}})
		}
	}
}

// tells reports whether what is due is the progress of a call.
func (d *due) tells(call fsm.CallID) bool {
	p, ok := d.fact.(fsm.BrainProgress)
	return ok && p.Call == call
}

// came notes a stage that has been given to the machine.
func (w *world) came(p fsm.BrainProgress) {
	if w.progressed == nil {
		w.progressed = map[fsm.CallID][]fsm.Stage{}
	}
	w.progressed[p.Call] = append(w.progressed[p.Call], p.Stage)
}

// scripted are the stages of a call that no server serves: its first piece is the first
// that is written of it.
func (w *world) scripted(e fsm.AskBrain, line script.Line, takes fsm.Millis) {
	now, first := w.agenda.now, line.Takes
	stages := []stage{{fsm.StageAccepted, now}}
	if line.Stream != nil && first < takes {
		stages = append(stages, stage{fsm.StageWriting, now + first})
	}
	w.progress(e.Call, now, now+takes, stages...)
}
