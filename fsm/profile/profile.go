// Package profile has the named configurations of the machine.
//
// A profile is data: a named set of switches, limits and prompts. There is one for each
// document that shelly grew from, and the default.
package profile

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Names returns the names of the profiles in a fixed order.
func Names() []string {
	return []string{"default", "shelly", "countbot", "nanobot", "omniemployee"}
}

// Named returns the configuration of a profile, or false if there is none of that name. Its
// tools are the builtin ones that the profile offers.
func Named(name string) (fsm.Config, bool) {
	switch name {
	case "default":
		return Default(), true
	case "shelly":
		return Shelly(), true
	case "countbot":
		return Countbot(), true
	case "nanobot":
		return Nanobot(), true
	case "omniemployee":
		return Omniemployee(), true
	default:
		return fsm.Config{}, false
	}
}

// Shelly returns the configuration of the seed document: one handle at a time, no
// conversation history, memory after each handle and the reply after memory.
func Shelly() fsm.Config {
	l := commonLimits()
	l.MaxToolRounds = 20
	return fsm.Config{Profile: "shelly", Init: fsm.InitEveryStart, Switches: fsm.Switches{SideCalls: fsm.SideAppended, SpareModel: true, Reading: fsm.ReadingCareful}, Limits: l, Prompts: fsm.DefaultPrompts(), Words: fsm.PresentWords(), AuditAll: true, Edition: fsm.PresentEdition, Tools: fsm.Builtins(fsm.ToolReadMore)}
}

// Countbot returns the ReAct loop that is capped at 25 iterations and 25 calls.
func Countbot() fsm.Config {
	l := commonLimits()
	l.MaxIterations, l.MaxToolCalls = 25, 25
	l.MaxToolAttempts, l.RetryDelay = 3, fsm.Second
	l.MaxAnswerAttempts = 2 // of a summary: INF-32
	l.HandleTimeout, l.SubagentTimeout = unlimited, unlimited
	return fsm.Config{
		Profile: "countbot",
		Init:    fsm.InitOff,
		Switches: fsm.Switches{
			NoCognition: true, History: fsm.HistoryAnswers, Overflow: fsm.OverflowSummarize, Remember: fsm.RememberOff, ReplyFirst: true,
			Cancel: fsm.CancelCheckpoint, AtLimit: fsm.EndNotice, AtLength: fsm.EndNotice, AutoLoadSkills: true,
			StopAtCalls: true, EmptyAnswers: true, NoFarewell: true, Reading: fsm.ReadingCareful, Progress: true,
		},
		Limits:   l,
		Words:    fsm.PresentWords(),
		AuditAll: true,
		Edition:  fsm.PresentEdition,
		Options:  fsm.Options{Temperature: 700, MaxTokens: 4096},
		Pace:     commonPace(),
		Prompts:  countbotPrompts(),
		Tools:    fsm.Builtins(fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference, fsm.ToolReadMore),
	}
}

// Nanobot returns the loop of 20 iterations that reflects after its tools and consolidates
// a history of more than 50 messages.
func Nanobot() fsm.Config {
	l := commonLimits()
	l.MaxIterations = 20
	l.HandleTimeout, l.SubagentTimeout = unlimited, unlimited
	return fsm.Config{
		Profile: "nanobot",
		Init:    fsm.InitOff,
		Switches: fsm.Switches{
			NoCognition: true, History: fsm.HistoryAnswers, Overflow: fsm.OverflowConsolidate, Remember: fsm.RememberOff, ReplyFirst: true,
			Cancel: fsm.CancelImmediate, AtLimit: fsm.EndNotice, AtLength: fsm.EndNotice, Commands: true, AutoLoadSkills: true,
			EmptyAnswers: true, NoFarewell: true, Reading: fsm.ReadingCareful, Progress: true,
		},
		Limits:   l,
		Words:    fsm.PresentWords(),
		AuditAll: true,
		Edition:  fsm.PresentEdition,
		Prompts:  nanobotPrompts(),
		Pace:     commonPace(),
		Tools:    fsm.Builtins(fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference, fsm.ToolReadMore),
	}
}

// Omniemployee returns the loop that keeps a token budget and loads its skills in three
// phases.
func Omniemployee() fsm.Config {
	l := commonLimits()
	l.MaxIterations = 50
	l.ContextTokens = 128_000
	l.MaxHistory = beyondBudget
	l.HandleTimeout = unlimited
	return fsm.Config{
		Profile: "omniemployee",
		Init:    fsm.InitOff,
		Switches: fsm.Switches{
			NoCognition: true, History: fsm.HistoryAll, Compress: true, Remember: fsm.RememberOff, ReplyFirst: true,
			Cancel: fsm.CancelImmediate, AtLimit: fsm.EndState, AtLength: fsm.EndError, AutoLoadSkills: true,
			EmptyAnswers: true, NoFarewell: true, Reading: fsm.ReadingCareful, Progress: true,
		},
		Limits:   l,
		Words:    fsm.PresentWords(),
		AuditAll: true,
		Edition:  fsm.PresentEdition,
		Prompts:  omniemployeePrompts(),
		Pace:     commonPace(),
		Tools:    fsm.Builtins(fsm.ToolLoadSkill, fsm.ToolLoadReference, fsm.ToolReadMore),
		Labels:   omniemployeeLabels(),
	}
}

// Default returns what a new user gets: the best of all of them.
func Default() fsm.Config {
	l := commonLimits()
	l.MaxIterations, l.MaxToolCalls, l.MaxCallsPerAnswer = 30, 60, 32
	l.ReadsAtOnce = 4
	l.MaxToolAttempts, l.MaxAnswerAttempts, l.MaxRepeats = 3, 2, 3
	l.MaxActive, l.SessionBurst = 1, 3 // of one slot: see brain.slots
	l.MaxHistory = beyondBudget
	l.OfferTokens = 1500
	l.HandleTimeout, l.SubagentTimeout = 3600*fsm.Second, 3600*fsm.Second // a call that makes no progress is given up long before
	l.InitTimeout, l.ShutdownTimeout = 1800*fsm.Second, 5*fsm.Second
	l.Backoff = []fsm.Millis{1 * fsm.Second, 2 * fsm.Second, 5 * fsm.Second, 15 * fsm.Second, 30 * fsm.Second}
	l.Postpone = []fsm.Millis{300 * fsm.Second, 900 * fsm.Second, 3600 * fsm.Second, 4 * 3600 * fsm.Second}
	return fsm.Config{
		Profile: "default",
		Init:    fsm.InitFirstStart,
		Switches: fsm.Switches{
			History: fsm.HistorySent, Compress: true, Remember: fsm.RememberIdle, SideCalls: fsm.SideAppended, TellTime: true, SpareModel: true, ReplyFirst: true,
			Cancel: fsm.CancelImmediate, AtLimit: fsm.EndNotice, AtLength: fsm.EndNotice,
			Alternate: true, Coalesce: true, Commands: true, AutoLoadSkills: true, TextCalls: true, Reading: fsm.ReadingCareful, InitBeside: true, Progress: true, KeepTexts: true, ReadAhead: true, NoFarewell: true,
		},
		Limits:   l,
		Words:    fsm.PresentWords(),
		AuditAll: true,
		Edition:  fsm.PresentEdition,
		Prompts:  defaultProfilePrompts(),
		Pace:     commonPace(),
		Tools:    fsm.Builtins(fsm.ToolLoadSkill, fsm.ToolLoadReference, fsm.ToolReadMore, fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron), // the commonest first (TOL-61)
	}
}

// unlimited is the time of a turn whose document sets none: a day, by which time the model
// and the tools have long reached their own limits.
const unlimited = 86400 * fsm.Second

// beyondBudget is more messages than fit into context_tokens, so that a history that is
// compressed never loses any because of their number.
const beyondBudget = 100_000

// commonPace returns how long a model call may take if its deadlines follow progress. How
// fast a machine is is learnt from its answers.
func commonPace() fsm.Pace { return fsm.Pace{Load: 300 * fsm.Second, Idle: 60 * fsm.Second} }

// commonLimits returns the limits that a profile begins with. Limits that a document does
// not mention are set beyond what its own limits allow, so that they never decide.
func commonLimits() fsm.Limits {
	return fsm.Limits{
		MaxToolRounds:      1000,
		MaxIterations:      1000,
		MaxToolCalls:       1000,
		MaxCallsPerAnswer:  1000,
		ReadsAtOnce:        1,
		MaxToolAttempts:    1,
		MaxAnswerAttempts:  1,
		MaxRepeats:         64,
		MaxCompactions:     8,
		MaxCognitionRounds: 3,
		RecallTopK:         5,
		MaxStoreAttempts:   3,
		MaxActive:          1,
		SessionBurst:       1,
		MaxQueue:           64,
		MaxSubagents:       8,
		SubagentIterations: 15,
		MaxSchedules:       64,
		MaxCrashes:         3,
		MaxTurns:           16,
		MaxHistory:         50,
		MaxPending:         200,
		KeepMessages:       10,
		MaxTextBytes:       16 << 20,
		ContextTokens:      8192,
		CompressPercent:    80,
		AnswerPercent:      20,
		ThinkPercent:       25,
		RetryDelay:         1 * fsm.Second,
		InitTimeout:        120 * fsm.Second,
		HandleTimeout:      300 * fsm.Second,
		SubagentTimeout:    300 * fsm.Second,
		CompactTimeout:     120 * fsm.Second,
		ApprovalTimeout:    3600 * fsm.Second,
		HoldTimeout:        86400 * fsm.Second,
		ShutdownTimeout:    30 * fsm.Second,
		Grace:              300 * fsm.Second,
		AbortTimeout:       10 * fsm.Second,
		ProbeTimeout:       30 * fsm.Second,
	}
}

// omniemployeeLabels returns the names of the states of the document's loop.
func omniemployeeLabels() []fsm.StateLabel {
	return []fsm.StateLabel{
		{State: state.Thinking, Label: "THINKING"},
		{State: state.Acting, Label: "TOOL_CALLING"},
		{State: state.Completed, Label: "COMPLETED"},
		{State: state.Exhausted, Label: "MAX_ITERATIONS"},
		{State: state.Broken, Label: "ERROR"},
	}
}
