package explore

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/script"
)

// Case is a scenario's part in a world to explore (SIM-18): what may arrive, in the
// order of its timeline, and what model, tools, memory and sessions may answer at any
// call.
type Case struct {
	plan     *sim.Plan
	arrivals []action
	configs  []fsm.Config    // what a process is started with, by how many have arrived
	scripts  []script.Script // with each line once, as what it says
	stubs    []sim.Stub      // with each act once, as what it answers

	// LeftOut are the moments of the timeline that are not in the world, in words, each once.
	LeftOut []string

	// Check returns what a worker, and no other, asks after every step for what the case
	// says; nil where it says nothing that a step and the machine's state tell.
	Check func() Check
}

// Check returns what does not hold of a step and the state after it, or nil.
type Check func(in fsm.Input, moves []state.Move, effects []fsm.Effect, s *state.Snapshot) *check.Violation

// CaseWorld is the world of a plan: what happens in its timeline may happen at any
// moment in this order, starts whenever the process has stopped, and what people
// decide whenever they are asked: for the session, too, and they may take that back, if
// somebody does in the timeline. A request with an id that came before, schedules and what
// becomes of services, files and saved sessions are left out.
func CaseWorld(name string, p *sim.Plan) Bounds {
	c := &Case{plan: p}
	c.configs = []fsm.Config{c.granted(p.Machine())}
	b := Bounds{Name: name, Profile: p.Config.Profile, Init: p.Config.Init, Switches: p.Config.Switches, Limits: p.Config.Limits, Case: c}
	for _, m := range c.inOrder() {
		if m.Boot {
			b.Starts++
		}
		b.Grants = b.Grants || m.Revoke != nil || m.Answer != nil && m.Answer.Grant != ""
		if a, ok := c.moment(m); ok {
			c.arrivals = append(c.arrivals, a)
			config := c.configs[len(c.configs)-1]
			if in, ok := a.input.Fact.(fsm.Configured); ok {
				config = in.Config
			}
			c.configs = append(c.configs, config)
		} else if what := leftOut(m); what != "" && !slices.Contains(c.LeftOut, what) {
			c.LeftOut = append(c.LeftOut, what)
		}
	}
	for _, s := range p.Scripts {
		c.scripts = append(c.scripts, script.Script{Purpose: s.Purpose, Session: s.Session, Lines: distinct(s.Lines, func(l script.Line) script.Line {
			l.Takes, l.Stream = 0, nil
			return l
		})})
	}
	for _, s := range p.Stubs {
		c.stubs = append(c.stubs, sim.Stub{Decl: s.Decl, Acts: distinct(s.Acts, func(a sim.Act) sim.Act {
			a = p.Met(a)
			return sim.Act{Returns: a.Returns, Failed: a.Failed, Nothing: a.Nothing, Invalid: a.Invalid, Asks: a.Asks, Hangs: a.Hangs || a.Lost || a.Deaf}
		})})
	}
	b.Requests = len(c.arrivals)
	return b
}

// inOrder is the timeline by time; equal times keep the plan's order.
func (c *Case) inOrder() []sim.Moment {
	list := slices.Clone(c.plan.Timeline)
	slices.SortStableFunc(list, func(a, b sim.Moment) int { return int(a.At - b.At) })
	return list
}

// moment is the machine's input at a moment of the timeline, or false.
func (c *Case) moment(m sim.Moment) (action, bool) {
	switch {
	case m.Request != nil:
		a := action{"request " + m.Request.Request.ID, fsm.Input{Fact: *m.Request}}
		again := slices.ContainsFunc(c.arrivals, func(o action) bool {
			q, ok := o.input.Fact.(fsm.Requested)
			return ok && q.Request == m.Request.Request
		})
		return a, !again // the engine answers it from its record
	case m.Event != nil:
		return action{"event", fsm.Input{Fact: *m.Event}}, true
	case m.Signal != "":
		return action{"signal", fsm.Input{Fact: fsm.Signalled{Name: m.Signal}}}, true
	case m.Configure != nil:
		return action{"another configuration", fsm.Input{Fact: fsm.Configured{Config: c.granted(c.plan.Reconfigured(m.Configure))}}}, true
	case m.Typing != nil:
		session, _ := fsm.Belongs(m.Typing.Session, fsm.Origin{})
		return action{"a person writes", fsm.Input{Fact: fsm.Typing{Session: session}}}, true
	case m.Cancel != nil:
		for _, o := range slices.Backward(c.arrivals) {
			if q, ok := o.input.Fact.(fsm.Requested); ok && (m.Cancel.ID == "" || m.Cancel.ID == q.Request.ID) {
				return action{"cancel " + q.Request.ID, fsm.Input{Fact: fsm.CancelRequested{Request: q.Request}}}, true
			}
		}
	}
	return action{}, false
}

// granted is a configuration with the grants of the plan's file.
func (c *Case) granted(config fsm.Config) fsm.Config {
	config.Grants = slices.Clone(c.plan.Grants)
	return config
}

// leftOut is what a moment would be that has no input of the machine's, or "" for one that the
// world has in another way.
func leftOut(m sim.Moment) string {
	switch {
	case m.Again, m.Request != nil:
		return "a request that is sent again"
	case m.Cancel != nil:
		return "a cancel of what no request begins"
	case m.Schedule != nil:
		return "a schedule"
	case m.Grants != nil:
		return "an edit of the grants"
	case m.Edit != nil:
		return "an edit"
	case m.Full != 0:
		return "a full disk"
	case m.Jump != 0:
		return "a jump of the clock"
	case m.Speeds != nil:
		return "another speed of the server"
	case m.Boot, m.Answer != nil, m.Revoke != nil:
		return ""
	default:
		return "a change of a service"
	}
}

// distinct lists what items come to, each once.
func distinct[T any](items []T, as func(T) T) []T {
	var list []T
	for _, item := range items {
		one := as(item)
		if !slices.ContainsFunc(list, func(o T) bool { return reflect.DeepEqual(o, one) }) {
			list = append(list, one)
		}
	}
	return list
}

// answers are what the case says that a call of a handle may be answered with, or nil
// where it does not say.
func (c *Case) answers(h *state.Handle, a state.Await) []action {
	switch a.Kind {
	case fsm.CallBrain:
		return c.lines(h)
	case fsm.CallTool:
		return c.acts(h, a.Call)
	case fsm.CallLoad:
		return c.loads(h)
	default:
		return nil
	}
}

// lines are any of the script's for the call's purpose, those for all and those of the
// handle's session. One that hangs is no answer; if each does, the call hangs.
func (c *Case) lines(h *state.Handle) []action {
	ask := fsm.AskBrain{Asked: fsm.Asked{Call: h.Await.Call, Handle: h.ID}, Session: h.Session, Purpose: h.Inf.Purpose, Conversation: h.Inf.Talk}
	var list []action
	says := false
	for _, s := range c.scripts {
		if s.Purpose != ask.Purpose || s.Session != "" && s.Session != ask.Session {
			continue
		}
		says = says || len(s.Lines) > 0
		for i, l := range s.Lines {
			if in := l.Answer(ask); in != nil {
				to := cmp.Or(s.Session, string(s.Purpose))
				list = append(list, action{"model gives answer " + strconv.Itoa(i+1) + " to " + to, fsm.Input{Fact: in}})
			}
		}
	}
	if list == nil && says {
		return overdue(h)
	}
	if l, ok := script.Quiet(ask); ok && list == nil {
		list = []action{{"model answers", fsm.Input{Fact: l.Answer(ask)}}}
	}
	return list
}

// overdue is the deadline of a call that nothing answers: it always passes at last, and only so the
// machine goes on.
func overdue(h *state.Handle) []action {
	timer := h.Timer
	if h.Wait != 0 && !machine.Awaits(h).Pauses() {
		timer = h.Wait
	}
	if timer == 0 {
		return []action{}
	}
	return []action{{"no answer in time", fsm.Input{Fact: fsm.TimerFired{Timer: timer}}}}
}

// acts are any of the stub's. One that never answers is no answer; if none does, the call hangs.
func (c *Case) acts(h *state.Handle, call fsm.CallID) []action {
	n := h.Inf.Next + max(h.Inf.Reading(call), 0)
	if n >= len(h.Inf.Calls) {
		return nil
	}
	var list []action
	says := false
	for _, s := range c.stubs {
		if s.Decl.Name != h.Inf.Calls[n].Name {
			continue
		}
		says = says || len(s.Acts) > 0
		for i, a := range s.Acts {
			if in := a.Answer(fsm.RunTool{Asked: fsm.Asked{Call: call}}); in != nil {
				list = append(list, action{s.Decl.Name + " gives answer " + strconv.Itoa(i+1), fsm.Input{Fact: in}})
			}
		}
	}
	if list == nil && says {
		return overdue(h)
	}
	return list
}

// loads are the session as it was saved before the first start, and that it cannot be
// read.
func (c *Case) loads(h *state.Handle) []action {
	i := slices.IndexFunc(c.plan.Sessions, func(s disk.Saved) bool { return s.Name == h.Session })
	if i < 0 {
		return nil
	}
	s := c.plan.Sessions[i].State
	s.Memory, s.MemoryHash = c.plan.MemoryFile, disk.MemoryHash(c.plan.MemoryFile)
	return []action{
		{"session is loaded", fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(h.Await.Call), Session: s}}},
		{"session cannot be read", fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(h.Await.Call), Error: "broken"}}},
	}
}
