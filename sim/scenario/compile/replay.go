package compile

import (
	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/explore"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
)

// replay is what the file says that the machine was told, with its times.
func Told(f *format.File) []explore.Told {
	told := make([]explore.Told, len(f.Replay))
	for i, t := range f.Replay {
		told[i] = explore.Told{At: fsm.Millis(f.Start()) + fsm.Millis(t.At), Input: t.Input.Input, Lost: t.Lost, Unseen: t.Unseen}
	}
	return told
}

// from is the state that the replay begins in.
func From(f *format.File) state.Snapshot {
	if f.From == nil {
		return machine.New().Snapshot()
	}
	return f.From.Snapshot
}

// Observer observes a run of the case.
func Observer(f *format.File) *expression.Observer {
	return expression.NewObserver(From(f), fsm.Millis(f.Start()))
}
