package explore

import (
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// action is something the explored world may do.
type action struct {
	name  string
	input fsm.Input
}

// alphabet is what may happen in a world. It is only read once it is made.
type alphabet struct {
	bounds *Bounds
	boots  []fsm.Input // of a process, by how many arrivals are left; in a named world all are the first
	unsafe bool        // an unsafe tool may start
}

func newAlphabet(b *Bounds) *alphabet {
	x := &alphabet{bounds: b}
	boot := func(c fsm.Config) {
		x.boots = append(x.boots, fsm.Input{Fact: fsm.Boot{Config: c}})
		x.unsafe = x.unsafe || slices.ContainsFunc(c.Tools, func(t fsm.ToolDecl) bool { return !t.Builtin && !t.Effects.Repeatable() })
	}
	if b.Case == nil {
		boot(b.config())
		return x
	}
	for left := range len(b.Case.arrivals) + 1 {
		boot(b.Case.configs[len(b.Case.arrivals)-left])
	}
	return x
}

// group is a part of the alphabet: actions that spend the same of what may still happen.
type group uint8

// The groups, in the order in which they are tried.
const (
	answering  group = iota // an answer to a call in flight, a person's word, the end of a wait
	timing                  // a deadline passes
	starting                // a start after the machine has stopped
	late                    // the answer to a call that was given up
	cancelling              // a request is cancelled
	arriving                // a request or, in a case's world, the next moment of its timeline
	raising                 // an event
	signalling              // a signal
	booting                 // the process dies, and another begins
)

// of returns the actions of a group in a position, in the room of a list. Which arrival or
// start it is depends on how many arrivals are left.
func (x *alphabet) of(g group, s *state.Snapshot, given given, left int, room []action) []action {
	list := room[:0]
	switch g {
	case answering:
		return x.answers(s, list)
	case timing:
		return timeouts(s, list)
	case starting:
		return append(list, action{"start", x.boots[left]})
	case late:
		return given.answers(list)
	case cancelling:
		return cancels(s, list)
	case arriving:
		return append(list, x.arrival(x.bounds.Requests-left))
	case raising:
		return append(list, action{"event", fsm.Input{Fact: fsm.EventRaised{Source: "world", Event: "changed", To: x.chat()}}})
	case signalling:
		return append(list, action{"signal", fsm.Input{Fact: fsm.Signalled{Name: "TERM"}}})
	default:
		return append(list, action{"boot", x.boots[left]})
	}
}

// number is what of the arrivals left decides a group's actions.
func (x *alphabet) number(g group, left int) int {
	if g == arriving || (g == starting || g == booting) && x.bounds.Case != nil {
		return left
	}
	return 0
}

// arrival is the request of a number, from 0, or the moment of the case's timeline.
// Requests are numbered in the order of their arrival: which of several alike comes
// first is no choice (SIM-17).
func (x *alphabet) arrival(number int) action {
	if c := x.bounds.Case; c != nil {
		return c.arrivals[number]
	}
	id := "r" + strconv.Itoa(number+1)
	session := "s" + strconv.Itoa(number%max(x.bounds.Sessions, 1)+1)
	if x.bounds.Chat {
		session = x.chat().Key()
	}
	text := id
	if x.bounds.Commands && number%2 == 1 {
		text = "/new"
	}
	return action{"request " + id, fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: session, Text: text}}}
}

// chat is the one that the requests are of, if they are of one.
func (x *alphabet) chat() fsm.Origin {
	if !x.bounds.Chat {
		return fsm.Origin{}
	}
	return fsm.Origin{Channel: "world", Chat: "c"}
}

// cancels are of each request that is there.
func cancels(s *state.Snapshot, list []action) []action {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Kind == fsm.KindUser {
			list = append(list, action{"cancel " + h.Request.ID, fsm.Input{Fact: fsm.CancelRequested{Request: h.Request}}})
		}
	}
	return list
}

// answers returns every answer of the abstract world: to the calls in flight, for
// each kind of call one of each outcome that the machine tells apart; of a person;
// and the end of a wait before another try.
func (x *alphabet) answers(s *state.Snapshot, list []action) []action {
	for i := range s.Handles {
		h := &s.Handles[i]
		for _, a := range h.InFlight() {
			list = x.callAnswers(list, s, h, a)
		}
		list = wordsOf(list, s, h)
		if x.bounds.Grants {
			list = grantsFor(list, s, h)
		}
		if machine.Awaits(h).Pauses() {
			list = append(list, action{"wait is over", fsm.Input{Fact: fsm.TimerFired{Timer: h.Wait}}})
		}
	}
	return list
}

// callAnswers answers a call of a handle in flight.
func (x *alphabet) callAnswers(list []action, s *state.Snapshot, h *state.Handle, a state.Await) []action {
	if c := x.bounds.Case; c != nil {
		if given := c.answers(h, a); given != nil {
			return append(list, given...)
		}
	}
	call := a.Call
	switch a.Kind {
	case fsm.CallBrain:
		return x.brainAnswers(list, s, call, &h.Inf)
	case fsm.CallTool:
		return append(x.asks(list, call),
			action{"tool answers", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: resultOf(h, call)}}},
			action{"tool fails", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "no", Failed: true}}},
			action{"tool did nothing", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "no", Failed: true, Nothing: true}}},
		)
	case fsm.CallProbe:
		return append(list,
			action{"probe says done", fsm.Input{Fact: fsm.Probed{Answered: fsm.To(call), Answer: fsm.ProbeDone, Text: "ok"}}},
			action{"probe says never", fsm.Input{Fact: fsm.Probed{Answered: fsm.To(call), Answer: fsm.ProbeNever}}},
			action{"probe says working", fsm.Input{Fact: fsm.Probed{Answered: fsm.To(call), Answer: fsm.ProbeWorking}}},
			action{"probe is unsure", fsm.Input{Fact: fsm.Probed{Answered: fsm.To(call), Answer: fsm.ProbeUnsure}}},
		)
	case fsm.CallStop:
		return append(list,
			action{"tool stops", fsm.Input{Fact: fsm.ToolStopped{Answered: fsm.To(call)}}},
			action{"tool answers late", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "ok"}}},
		)
	case fsm.CallRecall:
		return append(list,
			action{"recall finds", fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(call), Entries: []fsm.Memory{{ID: "m", Summary: "fact"}}}}},
			action{"recall finds nothing", fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(call)}}},
			action{"recall fails", fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(call), Error: "broken"}}},
		)
	case fsm.CallEmbed:
		return append(list,
			action{"embedded", fsm.Input{Fact: fsm.Embedded{Answered: fsm.To(call), Vector: []byte{0, 0, 128, 63}, Model: "e"}}},
			action{"embedding fails", fsm.Input{Fact: fsm.Embedded{Answered: fsm.To(call), Error: "broken"}}},
		)
	case fsm.CallStore:
		return append(list,
			action{"stored", fsm.Input{Fact: fsm.Stored{Answered: fsm.To(call)}}},
			action{"store fails", fsm.Input{Fact: fsm.Stored{Answered: fsm.To(call), Error: "broken"}}},
		)
	case fsm.CallLoad:
		return x.sessions(list,
			action{"session is new", fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(call)}}},
			action{"session has turns", fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(call), Session: turnsBefore()}}},
			action{"session cannot be read", fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(call), Error: "broken"}}})
	case fsm.CallSave:
		return x.sessions(list,
			action{"session is saved", fsm.Input{Fact: fsm.SessionSaved{Answered: fsm.To(call)}}},
			action{"session was changed meanwhile", fsm.Input{Fact: fsm.SessionSaved{Answered: fsm.To(call), Conflict: true, Session: turnsBefore()}}},
			action{"session cannot be saved", fsm.Input{Fact: fsm.SessionSaved{Answered: fsm.To(call), Error: "broken"}}})
	case "":
		return list
	default:
		return append(list,
			action{string(h.Await.Kind) + " answers", fsm.Input{Fact: fsm.PlainAnswer(call, h.Await.Kind)}},
			action{string(h.Await.Kind) + " fails", fsm.Input{Fact: fsm.FailedAnswer(call, h.Await.Kind, "broken")}},
		)
	}
}

// resultOf is what a tool returns. Of a batch each call has a result of its own, so that one
// in the place of another is seen (INV-14).
func resultOf(h *state.Handle, call fsm.CallID) string {
	if k := h.Inf.Reading(call); k >= 0 {
		return "ok " + strconv.Itoa(k)
	}
	return "ok"
}

// sessions leaves a modest world the first outcome of a session.
func (x *alphabet) sessions(list []action, outcomes ...action) []action {
	if x.bounds.Modest {
		outcomes = outcomes[:1]
	}
	return append(list, outcomes...)
}

// turnsBefore is a session that has seen a turn.
func turnsBefore() fsm.Session {
	return fsm.Session{Version: 1, History: []fsm.Message{
		{Role: fsm.RoleUser, Text: "long before"}, {Role: fsm.RoleAssistant, Text: "done"},
		{Role: fsm.RoleUser, Text: "before"}, {Role: fsm.RoleAssistant, Text: "done"},
	}}
}

// wordsOf returns what a person may say to a handle that waits for one.
func wordsOf(list []action, s *state.Snapshot, h *state.Handle) []action {
	switch {
	case h.State == state.Approving:
		key := state.PersonKey(s, h.ID)
		return append(list,
			action{"person approves", fsm.Input{Fact: fsm.Decided{Handle: h.ID, Key: key, Approve: true}}},
			action{"person refuses", fsm.Input{Fact: fsm.Decided{Handle: h.ID, Key: key}}},
		)
	case h.State == state.Held:
		return append(list, action{"person tells the outcome", fsm.Input{Fact: fsm.Resolved{Handle: h.ID, Text: "it was done"}}})
	case h.Poison && s.Lifecycle == state.Serving:
		return append(list, action{"person lets it go on", fsm.Input{Fact: fsm.Resolved{Handle: h.ID}}})
	default:
		return list
	}
}

// asks is the answer of a tool that wants its call approved.
func (x *alphabet) asks(list []action, call fsm.CallID) []action {
	if !x.bounds.Grants {
		return list
	}
	return append(list, action{"tool asks", fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "why", Failed: true, Nothing: true, Asks: "why"}}})
}

// grantsFor is what a person may say about later calls.
func grantsFor(list []action, s *state.Snapshot, h *state.Handle) []action {
	if h.State == state.Approving {
		list = append(list, action{"person approves for the session", fsm.Input{Fact: fsm.Decided{
			Handle: h.ID, Key: state.PersonKey(s, h.ID), Approve: true, Grant: fsm.GrantSession,
		}}})
	}
	if len(s.Grants) > 0 {
		list = append(list, action{"person takes the grant back", fsm.Input{Fact: fsm.Revoked{Grant: grant.ID(&s.Grants[0])}}})
	}
	return list
}

// brainAnswers is the model's part. An initial inference and a farewell need
// nothing from memory, and a farewell calls no tool: with all that a request may
// do, every state of a parked request would be combined with every state of
// theirs.
func (x *alphabet) brainAnswers(list []action, s *state.Snapshot, call fsm.CallID, inf *state.Inference) []action {
	switches := &s.Config.Switches
	list = append(list, action{"model answers", fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "done"}}})
	if !x.bounds.Modest {
		list = append(list,
			action{"model is cut", fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopMaxTokens, Text: "do"}}},
			action{"model fails", fsm.Input{Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainTimeout, Reason: "broken"}}})
		if s.Config.Limits.MaxAnswerAttempts > 1 {
			list = append(list, action{"model says nothing", fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn}}})
		}
	}
	if switches.Compress {
		list = append(list, action{"conversation does not fit", fsm.Input{Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainContextTruncated, Reason: "too long"}}})
	}
	if inf.Purpose == fsm.PurposeCompact {
		list = append(list, action{"model consolidates", fsm.Input{Fact: fsm.BrainAnswered{
			Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: `{"history_entry":"it was so","memory_update":"facts"}`,
		}}})
	}
	if inf.Tools != fsm.NoTools && inf.Purpose != fsm.PurposeFarewell && inf.Purpose != fsm.PurposePrefill {
		list = x.calls(list, s, call, inf)
	}
	if inf.Purpose == fsm.PurposeAnswer && !switches.NoCognition {
		list = append(list,
			action{"model needs", fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: fsm.NeedMarker + " fact"}}})
	}
	return list
}

// calls are the answers that ask for tools: the first one that is declared, and spawn
// where that is offered.
func (x *alphabet) calls(list []action, s *state.Snapshot, call fsm.CallID, inf *state.Inference) []action {
	asks := func(name string, calls ...fsm.ToolCall) action {
		return action{name, fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopToolUse, Calls: calls}}}
	}
	tool := "tool"
	if i := slices.IndexFunc(s.Config.Tools, func(t fsm.ToolDecl) bool { return !t.Builtin }); i >= 0 {
		tool = s.Config.Tools[i].Name
	}
	list = append(list, asks("model calls", fsm.ToolCall{Name: tool, Args: "{}"}))
	if !x.bounds.Modest {
		list = append(list, asks("model calls two", fsm.ToolCall{Name: tool, Args: "{}"}, fsm.ToolCall{Name: "nothing", Args: "{}"}))
	}
	if decl, _ := s.Config.Tool(tool); s.Config.Limits.ReadsAtOnce > 1 && decl.Effects == fsm.EffectsNone {
		list = append(list, asks("model reads two", fsm.ToolCall{Name: tool, Args: "1"}, fsm.ToolCall{Name: tool, Args: "2"}))
	}
	if _, spawns := s.Config.Tool(fsm.ToolSpawn); spawns && inf.Purpose == fsm.PurposeAnswer {
		list = append(list, asks("model spawns", fsm.ToolCall{Name: fsm.ToolSpawn, Args: `{"task":"look"}`}))
	}
	return list
}

// timeouts are of the armed deadlines. A wait before another try is none.
func timeouts(s *state.Snapshot, list []action) []action {
	add := func(t fsm.TimerID) {
		list = append(list, action{"time-out", fsm.Input{Fact: fsm.TimerFired{Timer: t}}})
	}
	if s.GraceTimer != 0 {
		add(s.GraceTimer)
	}
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.Timer != 0 {
			add(h.Timer)
		}
		if h.Wait != 0 && !machine.Awaits(h).Pauses() {
			add(h.Wait)
		}
	}
	return list
}
