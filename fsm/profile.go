package fsm

// A profile is data: a named set of switches, limits and prompts. There is one for
// each of the documents that shelly grew from, and the default.

// ProfileNames returns the names of the profiles in a fixed order.
func ProfileNames() []string {
	return []string{"default", "shelly", "countbot", "nanobot", "omniemployee"}
}

// Profile returns the configuration of a profile, or false where there is none of
// that name. Its tools are the builtin ones that the profile offers.
func Profile(name string) (Config, bool) {
	switch name {
	case "default":
		return DefaultProfile(), true
	case "shelly":
		return ShellyProfile(), true
	case "countbot":
		return CountbotProfile(), true
	case "nanobot":
		return NanobotProfile(), true
	case "omniemployee":
		return OmniemployeeProfile(), true
	default:
		return Config{}, false
	}
}

// ShellyProfile is the configuration of the seed document: one handle at a time, no
// conversation history, memory after each handle and the reply after memory.
func ShellyProfile() Config {
	l := commonLimits()
	l.MaxToolRounds = 20
	l.MaxActive = 1
	return Config{Profile: "shelly", Init: InitEveryStart, Limits: l, Prompts: DefaultPrompts(), Words: PresentWords()}
}

// CountbotProfile is the ReAct loop that is capped at 25 iterations and 25 calls.
func CountbotProfile() Config {
	l := commonLimits()
	l.MaxIterations, l.MaxToolCalls = 25, 25
	l.MaxToolAttempts, l.RetryDelay = 3, Second
	l.MaxAnswerAttempts = 2
	l.MaxHistory = 50
	return Config{
		Profile: "countbot",
		Init:    InitOff,
		Switches: Switches{
			NoCognition: true, History: HistoryAnswers, Overflow: OverflowSummarize, Remember: RememberOff, ReplyFirst: true,
			Cancel: CancelCheckpoint, AtLimit: EndNotice, AtLength: EndNotice, Commands: true, AutoLoadSkills: true,
		},
		Limits:  l,
		Words:   PresentWords(),
		Options: Options{Temperature: 700, MaxTokens: 4096},
		Prompts: countbotPrompts(),
		Tools:   Builtins(ToolSpawn, ToolMessage, ToolCron, ToolLoadSkill, ToolLoadReference),
	}
}

// NanobotProfile is the loop of 20 iterations that reflects after its tools and
// consolidates a history of more than 50 messages.
func NanobotProfile() Config {
	l := commonLimits()
	l.MaxIterations = 20
	l.MaxHistory = 50
	return Config{
		Profile: "nanobot",
		Init:    InitOff,
		Switches: Switches{
			NoCognition: true, History: HistoryAnswers, Overflow: OverflowConsolidate, Remember: RememberOff, ReplyFirst: true,
			Cancel: CancelImmediate, AtLimit: EndNotice, AtLength: EndNotice, Commands: true, AutoLoadSkills: true,
		},
		Limits:  l,
		Words:   PresentWords(),
		Prompts: nanobotPrompts(),
		Tools:   Builtins(ToolSpawn, ToolMessage, ToolCron, ToolLoadSkill, ToolLoadReference),
	}
}

// OmniemployeeProfile keeps a token budget and loads its skills in three phases.
func OmniemployeeProfile() Config {
	l := commonLimits()
	l.MaxIterations = 50
	l.ContextTokens = 128_000
	return Config{
		Profile: "omniemployee",
		Init:    InitOff,
		Switches: Switches{
			NoCognition: true, History: HistoryAll, Compress: true, Remember: RememberOff, ReplyFirst: true,
			Cancel: CancelImmediate, AtLimit: EndState, AtLength: EndError, Commands: true, AutoLoadSkills: true,
		},
		Limits:  l,
		Words:   PresentWords(),
		Prompts: omniemployeePrompts(),
		Tools:   Builtins(ToolLoadSkill, ToolLoadReference),
		Labels:  omniemployeeLabels(),
	}
}

// DefaultProfile is what a new user gets: the best of all of them.
func DefaultProfile() Config {
	l := commonLimits()
	l.MaxIterations, l.MaxToolCalls = 30, 60
	l.MaxToolAttempts, l.MaxAnswerAttempts, l.MaxRepeats = 3, 2, 3
	l.MaxActive = 4
	l.Backoff = []Millis{1 * Second, 2 * Second, 5 * Second, 15 * Second, 30 * Second}
	return Config{
		Profile: "default",
		Init:    InitFirstStart,
		Switches: Switches{
			History: HistoryAll, Compress: true, Remember: RememberIdle, ReplyFirst: true,
			Cancel: CancelImmediate, AtLimit: EndNotice, AtLength: EndNotice,
			Alternate: true, Coalesce: true, Commands: true, AutoLoadSkills: true, TextCalls: true,
		},
		Limits:  l,
		Words:   PresentWords(),
		Prompts: defaultProfilePrompts(),
		Tools:   Builtins(ToolSpawn, ToolMessage, ToolCron, ToolLoadSkill, ToolLoadReference),
	}
}

// commonLimits are the limits that a profile begins with. Those that a document
// does not speak of are set beyond what its own limits allow, so that they bound
// and never decide.
func commonLimits() Limits {
	return Limits{
		MaxToolRounds:      1000,
		MaxIterations:      1000,
		MaxToolCalls:       1000,
		MaxCallsPerAnswer:  32,
		MaxToolAttempts:    1,
		MaxAnswerAttempts:  1,
		MaxRepeats:         64,
		MaxCompactions:     8,
		MaxCognitionRounds: 3,
		RecallTopK:         5,
		MaxStoreAttempts:   3,
		MaxActive:          1,
		MaxQueue:           64,
		MaxSubagents:       8,
		SubagentIterations: 15,
		MaxSchedules:       64,
		MaxCrashes:         3,
		MaxTurns:           16,
		MaxHistory:         50,
		MaxPending:         200,
		KeepMessages:       10,
		ContextTokens:      8192,
		CompressPercent:    80,
		RetryDelay:         1 * Second,
		InitTimeout:        120 * Second,
		HandleTimeout:      300 * Second,
		SubagentTimeout:    300 * Second,
		CompactTimeout:     120 * Second,
		ApprovalTimeout:    3600 * Second,
		HoldTimeout:        86400 * Second,
		ShutdownTimeout:    30 * Second,
		Grace:              300 * Second,
		AbortTimeout:       10 * Second,
	}
}
