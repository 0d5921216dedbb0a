package fsm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// factKind and effectKind number the kinds of fact and of effect, from 1.
type (
	factKind   uint8
	effectKind uint8
)

const (
	factBoot factKind = iota + 1
	factConfigured
	factRequested
	factCancelRequested
	factDecided
	factResolved
	factEventRaised
	factScheduleDue
	factTimerFired
	factSignalled
	factBrainAnswered
	factBrainFailed
	factToolAnswered
	factToolStopped
	factRecalled
	factEmbedded
	factStored
	factSessionLoaded
	factSessionSaved
	factSkillLoaded
	factTextRead
	factBrainProgress
	factProbed
	factRevoked
	factKinds // one more than there are
)

const (
	effectAskBrain effectKind = iota + 1
	effectRunTool
	effectRecall
	effectEmbed
	effectStore
	effectLoadSession
	effectSaveSession
	effectLoadSkill
	effectReadText
	effectRunProbe
	effectAbortCall
	effectSendMessage
	effectArmSchedule
	effectDisarmSchedule
	effectAskPerson
	effectAudit
	effectSetTimer
	effectClearTimer
	effectReply
	effectNotify
	effectReport
	effectExit
	effectKinds // one more than there are
)

// factSpec describes a kind of fact.
type factSpec struct {
	name    string // on the wire
	zero    Fact
	decode  func([]byte) (Fact, error) // from the wire
	barrier durability                 // of the fact by itself (JRN-4)
	answers []CallKind                 // the calls that it may answer; none: it is not an answer
	to      func(Fact, CallID) Fact    // the same answer to another call
}

// effectSpec describes a kind of effect.
type effectSpec struct {
	name    string // on the wire
	zero    Effect
	decode  func([]byte) (Effect, error) // from the wire
	barrier func(Effect) bool            // whether it is one by itself (JRN-4)
	handle  func(Effect) HandleID        // whose it is; nil: it names none
	call    CallKind                     // what is then awaited; empty: it is not a call
}

// callSpec describes the answers to a kind of call: that of a world that has nothing, and
// that of one in which the call fails.
type callSpec struct {
	kind  CallKind
	plain Fact
	fails func(why string) Fact
}

// durability says when a fact must be durable before its effects are performed.
type durability uint8

// Not because of the fact; where it has effects; always.
const (
	lazy durability = iota
	ifEffective
	always
)

// facts describes each kind of fact.
var facts = [factKinds]factSpec{
	factBoot:            factOf[Boot]("boot", always),
	factConfigured:      factOf[Configured]("configured", always),
	factRequested:       factOf[Requested]("requested", always),
	factCancelRequested: factOf[CancelRequested]("cancel_requested", always),
	factDecided:         factOf[Decided]("decided", always),
	factResolved:        factOf[Resolved]("resolved", always),
	factEventRaised:     factOf[EventRaised]("event_raised", ifEffective), // without, it joined one that waits
	factScheduleDue:     factOf[ScheduleDue]("schedule_due", ifEffective), // without, the slot was taken before
	factTimerFired:      factOf[TimerFired]("timer_fired", lazy),
	factSignalled:       factOf[Signalled]("signalled", always),
	factBrainAnswered:   answerOf[BrainAnswered]("brain_answered", CallBrain),
	factBrainFailed:     answerOf[BrainFailed]("brain_failed", CallBrain),
	factToolAnswered:    answerOf[ToolAnswered]("tool_answered", CallTool, CallStop), // an aborted tool that answers has also stopped (TOL-7)
	factToolStopped:     answerOf[ToolStopped]("tool_stopped", CallStop),
	factRecalled:        answerOf[Recalled]("recalled", CallRecall),
	factEmbedded:        answerOf[Embedded]("embedded", CallEmbed),
	factStored:          answerOf[Stored]("stored", CallStore),
	factSessionLoaded:   answerOf[SessionLoaded]("session_loaded", CallLoad),
	factSessionSaved:    answerOf[SessionSaved]("session_saved", CallSave),
	factSkillLoaded:     answerOf[SkillLoaded]("skill_loaded", CallSkill),
	factTextRead:        answerOf[TextRead]("text_read", CallText),
	factBrainProgress:   factOf[BrainProgress]("brain_progress", lazy),
	factProbed:          answerOf[Probed]("probed", CallProbe),
	factRevoked:         factOf[Revoked]("revoked", always),
}

// effects describes each kind of effect.
var effects = [effectKinds]effectSpec{
	effectAskBrain:       callOf[AskBrain]("ask_brain", CallBrain),
	effectRunTool:        callOf[RunTool]("run_tool", CallTool).syncs(unsafeStart),
	effectRecall:         callOf[Recall]("recall", CallRecall),
	effectEmbed:          callOf[Embed]("embed", CallEmbed),
	effectStore:          callOf[Store]("store", CallStore),
	effectLoadSession:    callOf[LoadSession]("load_session", CallLoad),
	effectSaveSession:    callOf[SaveSession]("save_session", CallSave),
	effectLoadSkill:      callOf[LoadSkill]("load_skill", CallSkill),
	effectReadText:       callOf[ReadText]("read_text", CallText),
	effectRunProbe:       callOf[RunProbe]("run_probe", CallProbe),
	effectAbortCall:      effectOf[AbortCall]("abort_call", nil),
	effectSendMessage:    effectOf("send_message", func(e SendMessage) HandleID { return e.Handle }).syncs(seen),
	effectArmSchedule:    effectOf[ArmSchedule]("arm_schedule", nil).syncs(seen),
	effectDisarmSchedule: effectOf[DisarmSchedule]("disarm_schedule", nil).syncs(seen),
	effectAskPerson:      effectOf("ask_person", func(e AskPerson) HandleID { return e.Handle }).syncs(seen),
	effectAudit:          effectOf("audit", func(e Audit) HandleID { return e.Handle }),
	effectSetTimer:       effectOf("set_timer", func(e SetTimer) HandleID { return e.Handle }),
	effectClearTimer:     effectOf[ClearTimer]("clear_timer", nil),
	effectReply:          effectOf("reply", func(e Reply) HandleID { return e.Handle }).syncs(seen),
	effectNotify:         effectOf("notify", func(e Notify) HandleID { return e.Handle }).syncs(notice),
	effectReport:         effectOf("report", func(e Report) HandleID { return e.Handle }),
	effectExit:           effectOf[Exit]("exit", nil).syncs(seen),
}

// calls describes the answers to each kind of call.
var calls = []callSpec{
	{CallBrain, BrainAnswered{Stop: StopEndTurn, Text: "done"}, func(why string) Fact { return BrainFailed{Class: BrainError, Reason: why} }},
	{CallTool, ToolAnswered{}, func(why string) Fact { return ToolAnswered{Text: why, Failed: true} }},
	{CallStop, ToolStopped{}, func(string) Fact { return ToolStopped{} }},
	{CallRecall, Recalled{}, func(why string) Fact { return Recalled{Error: why} }},
	{CallEmbed, Embedded{}, func(why string) Fact { return Embedded{Error: why} }},
	{CallStore, Stored{}, func(why string) Fact { return Stored{Error: why} }},
	{CallLoad, SessionLoaded{}, func(why string) Fact { return SessionLoaded{Error: why} }},
	{CallSave, SessionSaved{}, func(why string) Fact { return SessionSaved{Error: why} }},
	{CallSkill, SkillLoaded{}, func(why string) Fact { return SkillLoaded{Error: why} }},
	{CallText, TextRead{}, func(why string) Fact { return TextRead{Error: why} }},
	{CallProbe, Probed{Answer: ProbeUnsure}, func(why string) Fact { return Probed{Answer: ProbeUnsure, Text: why} }},
}

// The kinds are all described, or the process does not start.
var _ = described()

func described() bool {
	for k := range facts[1:] {
		kind := factKind(k + 1)
		zero := facts[kind].zero
		if zero == nil || zero.kind() != kind || !Known(zero) {
			panic(fmt.Errorf("fsm: the kind of fact %d (%s) is not described", kind, facts[kind].name))
		}
	}
	for k := range effects[1:] {
		kind := effectKind(k + 1)
		zero := effects[kind].zero
		if zero == nil || zero.kind() != kind {
			panic(fmt.Errorf("fsm: the kind of effect %d (%s) is not described", kind, effects[kind].name))
		}
		if call := effects[kind].call; call != "" && !slices.ContainsFunc(calls, func(c callSpec) bool { return c.kind == call }) {
			panic(fmt.Errorf("fsm: the kind of call %s is not described", call))
		}
	}
	for _, c := range calls {
		for _, a := range []Fact{c.plain, c.fails("")} {
			if !AnswersKind(a, c.kind) {
				panic(fmt.Errorf("fsm: the call %s has an answer that is none: %s", c.kind, facts[a.kind()].name))
			}
		}
	}
	return true
}

// What the world can see is a barrier.
func seen(Effect) bool          { return true }
func unseen(Effect) bool        { return false }
func unsafeStart(e Effect) bool { return !e.(RunTool).Effects.Repeatable() }
func notice(e Effect) bool      { return e.(Notify).Notice != NoticeQueued }

func factOf[T Fact](name string, barrier durability) factSpec {
	var zero T
	return factSpec{name: name, zero: zero, barrier: barrier, decode: decodeFact[T]}
}

func answerOf[T Answer, P interface {
	*T
	name(CallID)
}](name string, kinds ...CallKind) factSpec {
	spec := factOf[T](name, lazy)
	spec.answers = kinds
	spec.to = func(f Fact, call CallID) Fact {
		said := f.(T)
		P(&said).name(call)
		return said
	}
	return spec
}

func effectOf[T Effect](name string, handle func(T) HandleID) effectSpec {
	var zero T
	spec := effectSpec{name: name, zero: zero, barrier: unseen, decode: decodeEffect[T]}
	if handle != nil {
		spec.handle = func(e Effect) HandleID { return handle(e.(T)) }
	}
	return spec
}

func callOf[T Call](name string, kind CallKind) effectSpec {
	spec := effectOf(name, func(e T) HandleID { return e.Identity().Handle })
	spec.call = kind
	return spec
}

func (s effectSpec) syncs(barrier func(Effect) bool) effectSpec {
	s.barrier = barrier
	return s
}

func decodeFact[T Fact](data []byte) (Fact, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

func decodeEffect[T Effect](data []byte) (Effect, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

// Facts returns the zero fact of each kind, in a fixed order.
func Facts() []Fact {
	var list []Fact
	for _, spec := range facts[1:] {
		list = append(list, spec.zero)
	}
	return list
}

// Effects returns the zero effect of each kind, in a fixed order.
func Effects() []Effect {
	var list []Effect
	for _, spec := range effects[1:] {
		list = append(list, spec.zero)
	}
	return list
}

// kindOf returns the kind of a fact, or 0, whose description is empty.
func kindOf(f Fact) factKind {
	if Known(f) {
		return f.kind()
	}
	return 0
}

// Known reports whether a fact is one of the closed set: neither nil nor a pointer to one.
func Known(f Fact) bool {
	switch f.(type) {
	case Boot, Configured, Requested, CancelRequested, Decided, Resolved, Revoked, EventRaised, ScheduleDue, TimerFired, Signalled,
		BrainAnswered, BrainFailed, ToolAnswered, ToolStopped, Recalled, Embedded, Stored,
		SessionLoaded, SessionSaved, SkillLoaded, TextRead, BrainProgress, Probed:
		return true
	default:
		return false
	}
}
