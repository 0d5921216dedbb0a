package expression

import (
	"reflect"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim"
)

// State is what an expression is about (SCN-31): the machine after a step, and what
// the steps up to that one have done. Times are whole milliseconds.
type State struct {
	Now       int            `expr:"now"`        // virtual time since the first start
	Step      int            `expr:"step"`       // the step's number, from 1
	Epoch     int            `expr:"epoch"`      // how often the process has started
	Crashes   int            `expr:"crashes"`    // how often it started after it had died
	CrashedIn string         `expr:"crashed_in"` // what the machine was at when it last died: see crashedIn; empty before
	Input     string         `expr:"input"`      // the kind of the step's input
	Effects   []string       `expr:"effects"`    // the kinds of the step's effects, in order
	Lifecycle string         `expr:"lifecycle"`  // the lifecycle's state
	Handles   []handleState  `expr:"handles"`    // the unfinished handles, in the order of admission
	Active    int            `expr:"active"`     // handles that run, subagents apart
	Subagents int            `expr:"subagents"`  // subagents that run
	Queued    int            `expr:"queued"`     // handles in the state queued
	Parked    int            `expr:"parked"`     // handles in the state parked
	Requests  int            `expr:"requests"`   // requests that the machine has taken in
	Replies   int            `expr:"replies"`    // final replies
	Asked     int            `expr:"asked"`      // model calls
	Starts    map[string]int `expr:"tools"`      // starts of tools by name, as the world saw them; 0 for any other
	Sent      int            `expr:"sent"`       // tokens of the prompts that the model's server has served; 0 without a server
	Read      int            `expr:"read"`       // those of them that it has read
	Written   int            `expr:"written"`    // tokens that it has written
	Memory    int            `expr:"memory"`     // entries that were stored
	Limits    limitState     `expr:"limits"`     // the limits in force

	Tick func() (bool, error) `expr:"a pass"` // counts a pass of a loop; no expression can write its name
}

// handleState is an unfinished handle.
type handleState struct {
	ID        int    `expr:"id"`
	Kind      string `expr:"kind"`
	State     string `expr:"state"`
	Session   string `expr:"session"`
	Request   string `expr:"request"`   // its request's id; empty for other kinds
	Parent    int    `expr:"parent"`    // the handle that started this subagent; 0 for other kinds
	Inference string `expr:"inference"` // the state of its last inference; empty before the first
	Rounds    int    `expr:"rounds"`    // tool rounds of that inference
	Attempts  int    `expr:"attempts"`  // starts of the tool call that it is at; 0: not begun
	Needs     int    `expr:"needs"`     // cognition rounds that ended in a need
	Calls     int    `expr:"calls"`     // tool calls begun
	Crashes   int    `expr:"crashes"`   // crashes while it was active
	Replied   bool   `expr:"replied"`   // whoever waits has been told
	Age       int    `expr:"age"`       // time since it was admitted
}

// limitState is some of [fsm.Limits], by their names.
type limitState struct {
	MaxActive          int `expr:"max_active"`
	MaxQueue           int `expr:"max_queue"`
	MaxSubagents       int `expr:"max_subagents"`
	MaxToolRounds      int `expr:"max_tool_rounds"`
	MaxIterations      int `expr:"max_iterations"`
	MaxToolCalls       int `expr:"max_tool_calls"`
	MaxToolAttempts    int `expr:"max_tool_attempts"`
	MaxCognitionRounds int `expr:"max_cognition_rounds"`
	MaxStoreAttempts   int `expr:"max_store_attempts"`
	MaxCrashes         int `expr:"max_crashes"`
	InitTimeout        int `expr:"init_timeout"`
	HandleTimeout      int `expr:"handle_timeout"`
	SubagentTimeout    int `expr:"subagent_timeout"`
	ShutdownTimeout    int `expr:"shutdown_timeout"`
	Grace              int `expr:"grace"`
	AbortTimeout       int `expr:"abort_timeout"`
	ProbeTimeout       int `expr:"probe_timeout"`
}

// exprNames are the names that a struct gives to expressions.
func exprNames(t reflect.Type) []string {
	var list []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("expr"); t.Field(i).Type.Kind() != reflect.Func {
			list = append(list, name)
		}
	}
	return list
}

// Observer folds a run's steps once more and keeps the state up to date.
type Observer struct {
	State
	machine  *machine.Machine
	start    fsm.Millis
	last     fsm.HandleID
	admitted []admission // of the unfinished handles
}

type admission struct {
	handle fsm.HandleID
	at     fsm.Millis
}

// NewObserver observes a run that begins at a time in a state.
func NewObserver(from state.Snapshot, start fsm.Millis) *Observer {
	o := &Observer{machine: machine.Restore(from), start: start, last: from.LastHandle, State: State{Starts: map[string]int{}}}
	for _, h := range from.Handles {
		o.admitted = append(o.admitted, admission{h.ID, o.start})
	}
	return o
}

// Observe brings the state after one step.
func (o *Observer) Observe(s sim.Step) {
	before, at := o.machine.View().Lifecycle, crashedIn(o.machine.View())
	engine.Tell(o.machine, s.Input)
	v := o.machine.View()
	o.count(s, before, at)
	o.Now, o.Epoch, o.Lifecycle = int(s.At-o.start), v.Epoch, string(v.Lifecycle)
	o.Limits = limitsOf(&v.Config.Limits)
	o.follow(v, s.At)
}

// count takes note of what the step took in and caused.
func (o *Observer) count(s sim.Step, before fsm.State, at string) {
	o.Step++
	o.Input, o.Effects = fsm.InputKind(s.Input), nil
	switch in := s.Input.Fact.(type) {
	case fsm.Boot:
		if before != state.Down && before != state.Stopped {
			o.Crashes++
			o.CrashedIn = at
		}
	case fsm.Requested:
		o.Requests++
	case fsm.Stored:
		if in.Error == "" {
			o.Memory++
		}
	}
	for _, e := range s.Effects {
		o.Effects = append(o.Effects, fsm.EffectKind(e))
		switch e.(type) {
		case fsm.AskBrain:
			o.Asked++
		case fsm.Reply:
			o.Replies++
		}
	}
	for _, v := range s.Served {
		o.Sent, o.Read, o.Written = o.Sent+v.Prompt, o.Read+v.Read, o.Written+v.Written
	}
	for _, tool := range s.Started { // as expect.tools counts them, whatever the journal lost
		o.Starts[tool]++
	}
}

// crashedIn is the state of the inference of the first handle that is in one, else
// that of the first unfinished handle, else that of the lifecycle.
func crashedIn(v *state.Snapshot) string {
	for i := range v.Handles {
		h := &v.Handles[i]
		if s := h.Inf.State; s != "" && !slices.Contains(state.InferenceTable.Final, s) {
			return string(s)
		}
	}
	if len(v.Handles) > 0 {
		return string(v.Handles[0].State)
	}
	return string(v.Lifecycle)
}

// follow lists the unfinished handles and counts them.
func (o *Observer) follow(v *state.Snapshot, at fsm.Millis) {
	o.Handles, o.Active, o.Subagents, o.Queued, o.Parked = nil, 0, 0, 0, 0
	for i := range v.Handles {
		h := &v.Handles[i]
		if h.ID > o.last {
			o.admitted = append(o.admitted, admission{h.ID, at})
		}
		switch {
		case h.State == state.Queued, h.State == state.Idling:
			o.Queued++
		case h.State == state.Parked:
			o.Parked++
		case h.Suspended(): // it has neither a place nor one in the queue
		case h.Kind == fsm.KindSubagent:
			o.Subagents++
		default:
			o.Active++
		}
		o.Handles = append(o.Handles, o.handle(h, at))
	}
	o.last = v.LastHandle
	o.admitted = slices.DeleteFunc(o.admitted, func(a admission) bool { return v.IndexOf(a.handle) < 0 })
}

func (o *Observer) handle(h *state.Handle, at fsm.Millis) handleState {
	s := handleState{
		ID: int(h.ID), Kind: string(h.Kind), State: string(h.State), Session: h.Session, Request: h.Request.ID, Parent: int(h.Parent),
		Inference: string(h.Inf.State), Rounds: h.Inf.Rounds, Attempts: h.Inf.Attempts(),
		Needs: h.Rounds, Calls: h.Uses, Crashes: h.Crashes, Replied: h.Replied,
	}
	for _, a := range o.admitted {
		if a.handle == h.ID {
			s.Age = int(at - a.at)
		}
	}
	return s
}

func limitsOf(l *fsm.Limits) limitState {
	return limitState{
		MaxActive: l.MaxActive, MaxQueue: l.MaxQueue, MaxSubagents: l.MaxSubagents,
		MaxToolRounds: l.MaxToolRounds, MaxIterations: l.MaxIterations, MaxToolCalls: l.MaxToolCalls,
		MaxToolAttempts: l.MaxToolAttempts, MaxCognitionRounds: l.MaxCognitionRounds,
		MaxStoreAttempts: l.MaxStoreAttempts, MaxCrashes: l.MaxCrashes,
		InitTimeout: int(l.InitTimeout), HandleTimeout: int(l.HandleTimeout), SubagentTimeout: int(l.SubagentTimeout),
		ShutdownTimeout: int(l.ShutdownTimeout), Grace: int(l.Grace), AbortTimeout: int(l.AbortTimeout), ProbeTimeout: int(l.ProbeTimeout),
	}
}

// Moment is what a momentary expression is about.
func Moment(in fsm.Input, effects []fsm.Effect, s *state.Snapshot) *State {
	o := Observer{State: State{Input: fsm.InputKind(in), Lifecycle: string(s.Lifecycle), Limits: limitsOf(&s.Config.Limits)}}
	for _, e := range effects {
		o.Effects = append(o.Effects, fsm.EffectKind(e))
	}
	o.follow(s, 0)
	return &o.State
}
