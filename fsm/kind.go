package fsm

import (
	"fmt"
	"slices"
)

// CallKind is what kind of answer a call waits for.
type CallKind string

// The kinds of call.
const (
	CallBrain  CallKind = "brain"
	CallTool   CallKind = "tool"
	CallStop   CallKind = "stop" // an aborted tool: only its stop is awaited
	CallRecall CallKind = "recall"
	CallEmbed  CallKind = "embed"
	CallStore  CallKind = "store"
	CallLoad   CallKind = "load"  // a session
	CallSave   CallKind = "save"  // a session
	CallSkill  CallKind = "skill" // a skill's text
	CallText   CallKind = "text"  // a part of a kept result
	CallProbe  CallKind = "probe" // what became of a tool's call
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
	factScheduleChanged
	factTyping
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

// facts describes each kind of fact.
var facts = [factKinds]factSpec{
	factBoot:            factOf[Boot]("boot", always),
	factConfigured:      factOf[Configured]("configured", always),
	factRequested:       factOf[Requested]("requested", always),
	factCancelRequested: factOf[CancelRequested]("cancel_requested", always),
	factDecided:         factOf[Decided]("decided", always),
	factResolved:        factOf[Resolved]("resolved", always),
	factEventRaised:     factOf[EventRaised]("event_raised", ifEffective), // without effects it joined one that waits
	factScheduleDue:     factOf[ScheduleDue]("schedule_due", ifEffective), // without effects the slot had been taken
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
	factScheduleChanged: factOf[ScheduleChanged]("schedule_changed", always),
	factTyping:          factOf[Typing]("typing", lazy),
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

// The process does not start unless every kind is described.
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
	case Boot, Configured, Requested, CancelRequested, Decided, Resolved, Revoked, ScheduleChanged, EventRaised, ScheduleDue, TimerFired, Signalled,
		BrainAnswered, BrainFailed, ToolAnswered, ToolStopped, Recalled, Embedded, Stored,
		SessionLoaded, SessionSaved, SkillLoaded, TextRead, BrainProgress, Probed, Typing:
		return true
	default:
		return false
	}
}

// Barrier reports whether a step (an input and its effects) must be durable, along with
// everything before it, before any of its effects is performed (JRN-4): the world can see
// that a request was accepted, that an unsafe tool was started, that a reply was given, and
// that the epoch began or ended. What lies between two barriers may be lost in a crash and
// is then done again. The machine knows one more barrier: the answer of an unsafe tool.
func Barrier(in Input, effects []Effect) bool {
	if slices.ContainsFunc(effects, barrier) {
		return true
	}
	switch facts[kindOf(in.Fact)].barrier {
	case always:
		return true
	case ifEffective:
		return len(effects) > 0
	default:
		return false
	}
}

func barrier(e Effect) bool { return effects[e.kind()].barrier(e) }

func (Boot) kind() factKind            { return factBoot }
func (Configured) kind() factKind      { return factConfigured }
func (Requested) kind() factKind       { return factRequested }
func (CancelRequested) kind() factKind { return factCancelRequested }
func (Decided) kind() factKind         { return factDecided }
func (Resolved) kind() factKind        { return factResolved }
func (EventRaised) kind() factKind     { return factEventRaised }
func (ScheduleDue) kind() factKind     { return factScheduleDue }
func (TimerFired) kind() factKind      { return factTimerFired }
func (Signalled) kind() factKind       { return factSignalled }
func (BrainAnswered) kind() factKind   { return factBrainAnswered }
func (BrainFailed) kind() factKind     { return factBrainFailed }
func (ToolAnswered) kind() factKind    { return factToolAnswered }
func (ToolStopped) kind() factKind     { return factToolStopped }
func (Recalled) kind() factKind        { return factRecalled }
func (Embedded) kind() factKind        { return factEmbedded }
func (Stored) kind() factKind          { return factStored }
func (SessionLoaded) kind() factKind   { return factSessionLoaded }
func (SessionSaved) kind() factKind    { return factSessionSaved }
func (SkillLoaded) kind() factKind     { return factSkillLoaded }
func (TextRead) kind() factKind        { return factTextRead }
func (BrainProgress) kind() factKind   { return factBrainProgress }
func (Probed) kind() factKind          { return factProbed }
func (Revoked) kind() factKind         { return factRevoked }
func (ScheduleChanged) kind() factKind { return factScheduleChanged }
func (Typing) kind() factKind          { return factTyping }

func (AskBrain) kind() effectKind       { return effectAskBrain }
func (RunTool) kind() effectKind        { return effectRunTool }
func (Recall) kind() effectKind         { return effectRecall }
func (Embed) kind() effectKind          { return effectEmbed }
func (Store) kind() effectKind          { return effectStore }
func (LoadSession) kind() effectKind    { return effectLoadSession }
func (SaveSession) kind() effectKind    { return effectSaveSession }
func (LoadSkill) kind() effectKind      { return effectLoadSkill }
func (ReadText) kind() effectKind       { return effectReadText }
func (RunProbe) kind() effectKind       { return effectRunProbe }
func (AbortCall) kind() effectKind      { return effectAbortCall }
func (SendMessage) kind() effectKind    { return effectSendMessage }
func (ArmSchedule) kind() effectKind    { return effectArmSchedule }
func (DisarmSchedule) kind() effectKind { return effectDisarmSchedule }
func (AskPerson) kind() effectKind      { return effectAskPerson }
func (Audit) kind() effectKind          { return effectAudit }
func (SetTimer) kind() effectKind       { return effectSetTimer }
func (ClearTimer) kind() effectKind     { return effectClearTimer }
func (Reply) kind() effectKind          { return effectReply }
func (Notify) kind() effectKind         { return effectNotify }
func (Report) kind() effectKind         { return effectReport }
func (Exit) kind() effectKind           { return effectExit }
