package fsm

import (
	"strings"

	"shelly/fsm/alike"
)

// Config is everything that determines how the machine behaves. It comes with each Boot, so
// it is in the journal and a replay needs nothing else (CFG-5).
type Config struct {
	Profile  string      `json:"profile"`
	Init     InitMode    `json:"init"`
	Switches Switches    `json:"switches,omitzero"`
	Limits   Limits      `json:"limits"`
	Options  Options     `json:"options,omitzero"`
	Prompts  Prompts     `json:"prompts"`
	Words    Words       `json:"words,omitempty"`
	Tools    []ToolDecl  `json:"tools,omitempty"`
	Skills   []SkillDecl `json:"skills,omitempty"`
	Whole    []string    `json:"whole,omitempty"` // the tools that are shown whole first, if not all fit (TOL-61)

	// Jitter lengthens the waits of Limits.Backoff, in thousandths of each, 0 to JitterMax,
	// so that the clients of a failed server do not all come back at once (INF-15).
	Jitter int `json:"jitter,omitempty"`

	// Pace is how fast the model's machine is and how long its calls may take (INF-50).
	Pace Pace `json:"pace,omitzero"`

	// AuditAll also records the calls that were not run (TOL-9); it is false in the boots
	// of older builds.
	AuditAll bool `json:"audit_all,omitempty"`

	// Edition says how the machine decides where an older build decided against its rules
	// (CFG-5): the first edition, as in the boots of those builds, or a later one.
	Edition int `json:"edition,omitempty"`

	// Channels are those that a message may be sent to even if no request has come from
	// them (HND-46). If there are none, as in the boots of older builds, it may be sent to
	// any.
	Channels []string `json:"channels,omitempty"`

	// Zones are the known zones of local time, the person's own first (HND-48). If there
	// are none, as in the boots of older builds, all times are in UTC.
	Zones []Zone `json:"zones,omitempty"`
	// Heartbeat is what is done at intervals unasked (EVT-20).
	Heartbeat Heartbeat `json:"heartbeat,omitzero"`
	// Grants are the grants for every session, as their file lists them (APR-14).
	Grants []Grant `json:"grants,omitempty"`

	Labels []StateLabel `json:"labels,omitempty"` // names for an inference's states, for people
}

// The editions of the machine's decisions. Each corrects some of those of the edition
// before it. The first is that of the boots that bring none.
const (
	FirstEdition = iota
	SecondEdition
	ThirdEdition
	FourthEdition
	FifthEdition
	SixthEdition
	SeventhEdition
	EighthEdition
	NinthEdition
	TenthEdition
	EleventhEdition // a refusal may also have a reason, which earlier builds do not read
	TwelfthEdition
	ThirteenthEdition // a handle may be postponed, which earlier builds cannot go on with
	FourteenthEdition
	FifteenthEdition
	SixteenthEdition
	SeventeenthEdition
	EighteenthEdition // a person may be said to write, which earlier builds do not read
	NineteenthEdition
	TwentiethEdition
	TwentyFirstEdition
	PresentEdition = TwentyFirstEdition
)

// JitterMax is the greatest Jitter: a wait is at most half as long again.
const JitterMax = 500

// InitMode says when the initial inference runs.
type InitMode string

// The initial inference runs at every start, at the first start of a journal, or
// never.
const (
	InitEveryStart InitMode = "every_start"
	InitFirstStart InitMode = "first_start"
	InitOff        InitMode = "off"
)

// Share is a part of a whole in percent; 0 means none.
type Share int

// Limits bounds everything that could go on without end (LIM-1). Each is a positive number;
// a Boot raises anything below 1 to 1. The exceptions: Backoff and Postpone may be empty, and
// AnswerPercent, ThinkPercent and OfferTokens may be 0. The tags are what a person may set, in a
// configuration as in a scenario: min and max of a limit, of for the words of a switch, the first
// of which stands for its zero value, and empty of a prompt. A limit of a size may be as small
// in a scenario as its tag scenario says, so that the texts there can be short.
type Limits struct {
	MaxToolRounds      int   `json:"max_tool_rounds" min:"1" max:"10000"`                                  // rounds that ran tools, in one inference
	MaxIterations      int   `json:"max_iterations" min:"1" max:"10000"`                                   // answers of the model, in one inference
	MaxToolCalls       int   `json:"max_tool_calls" min:"1" max:"10000"`                                   // tool calls run, in one inference
	MaxCallsPerAnswer  int   `json:"max_calls_per_answer" min:"1" max:"1000"`                              // tool calls run of one answer
	ReadsAtOnce        int   `json:"reads_at_once,omitempty" min:"1" max:"64"`                             // calls of one answer that run at the same time (INF-44); 1, or 0 in older builds: one after another
	MaxToolAttempts    int   `json:"max_tool_attempts" min:"1" max:"100"`                                  // starts of one tool call
	MaxAnswerAttempts  int   `json:"max_answer_attempts" min:"1" max:"100"`                                // answers in a row with neither text nor calls
	MaxRepeats         int   `json:"max_repeats" min:"1" max:"10000"`                                      // times that the same calls may have the same results
	MaxCompactions     int   `json:"max_compactions" min:"1" max:"1000"`                                   // compactions of one inference
	MaxCognitionRounds int   `json:"max_cognition_rounds" min:"1" max:"1000"`                              // inferences of one handle's cognition
	RecallTopK         int   `json:"recall_top_k" min:"1" max:"1000"`                                      // entries of one recall
	MaxStoreAttempts   int   `json:"max_store_attempts" min:"1" max:"100"`                                 // tries to store one memory entry, or to load or save one session
	MaxActive          int   `json:"max_active" min:"1" max:"1000"`                                        // handles that run at once, not counting subagents
	SessionBurst       int   `json:"session_burst,omitempty" min:"1" max:"1000"`                           // turns of one session in a row while another waits; 1, or 0 in older builds: its turns take no precedence
	MaxQueue           int   `json:"max_queue" min:"1" max:"100000"`                                       // requests and events that wait, parked ones included
	MaxSubagents       int   `json:"max_subagents" min:"1" max:"1000"`                                     // subagents that are unfinished
	SubagentIterations int   `json:"subagent_iterations" min:"1" max:"10000"`                              // max_iterations of a subagent
	MaxSchedules       int   `json:"max_schedules" min:"1" max:"10000"`                                    // schedules that are armed
	MaxCrashes         int   `json:"max_crashes" min:"1" max:"1000"`                                       // crashes in which one handle may be active
	MaxTurns           int   `json:"max_turns" min:"1" max:"1000"`                                         // turns that one memory handle gathers
	MaxHistory         int   `json:"max_history" min:"1" max:"100000"`                                     // messages of a session's history before they are consolidated
	MaxPending         int   `json:"max_pending" min:"1" max:"100000"`                                     // messages that wait for a consolidation that failed
	KeepMessages       int   `json:"keep_messages" min:"1" max:"10000"`                                    // newest messages that a compression leaves as they are
	ContextTokens      int   `json:"context_tokens" min:"256" max:"16777216" scenario:"1"`                 // tokens of one model call
	MaxTextBytes       int   `json:"max_text_bytes,omitempty" min:"1048576" max:"1073741824" scenario:"1"` // bytes of the results that a session keeps
	OfferTokens        int   `json:"offer_tokens,omitempty" min:"0" max:"16777216"`                        // tokens of the system prompt and the tools; 0, as in the boots of older builds: all tools are whole
	CompressPercent    int   `json:"compress_percent" min:"1" max:"100"`                                   // share of context_tokens beyond which a conversation is compressed
	AnswerPercent      Share `json:"answer_percent,omitempty" min:"0" max:"50"`                            // share of context_tokens that a prompt leaves to the answer; 0, as in the boots of older builds: prompts are sent as they are
	ThinkPercent       Share `json:"think_percent,omitempty" min:"0" max:"90"`                             // share of context_tokens that the thinking of one answer may take; 0: any

	Backoff         []Millis `json:"backoff,omitempty" min:"1ms" max:"168h"`     // waits before the model is asked again after a failure, in order
	Postpone        []Millis `json:"postpone,omitempty" min:"1ms" max:"168h"`    // waits after that before an event or a schedule's run goes on, in order; none, as in the boots of older builds: it fails
	RetryDelay      Millis   `json:"retry_delay" min:"1ms" max:"168h"`           // wait before a tool is started again
	InitTimeout     Millis   `json:"init_timeout" min:"1ms" max:"168h"`          // the initial inference, memory included
	HandleTimeout   Millis   `json:"handle_timeout" min:"1ms" max:"168h"`        // one request or event, memory included
	SubagentTimeout Millis   `json:"subagent_timeout" min:"1ms" max:"168h"`      // one subagent
	CompactTimeout  Millis   `json:"compact_timeout" min:"1ms" max:"168h"`       // one compaction or consolidation
	ApprovalTimeout Millis   `json:"approval_timeout" min:"1ms" max:"8760h"`     // wait for a person's decision
	HoldTimeout     Millis   `json:"hold_timeout" min:"1ms" max:"8760h"`         // wait for a person's word on an unknown outcome
	ShutdownTimeout Millis   `json:"shutdown_timeout" min:"1ms" max:"24h"`       // the farewell, memory included
	Grace           Millis   `json:"grace" min:"1ms" max:"168h"`                 // wait for active handles at shutdown
	AbortTimeout    Millis   `json:"abort_timeout" min:"1ms" max:"1h"`           // wait for an aborted tool to stop
	ProbeTimeout    Millis   `json:"probe_timeout,omitempty" min:"1ms" max:"1h"` // wait for what a probe says of an unknown outcome
}

// Options travel with every model call, those of subagents included.
type Options struct {
	Temperature int `json:"temperature,omitempty" min:"0" max:"5"`       // thousandths; 0: the model's own, below 0: exactly 0
	MaxTokens   int `json:"max_tokens,omitempty" min:"0" max:"16777216"` // of one answer; 0: the client's own
}

// ToolDecl is a tool as the machine and the model see it.
type ToolDecl struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Parameters  string      `json:"parameters,omitempty"` // a JSON schema of the arguments
	Effects     ToolEffects `json:"effects"`
	Approve     bool        `json:"approve,omitempty"` // a person decides about each call unless a rule decides
	Builtin     bool        `json:"builtin,omitempty"` // the machine answers it; see [Builtins]
	Source      Source      `json:"source,omitzero"`   // where its results come from; 0: outside
	Server      string      `json:"server,omitempty"`  // the server that it comes from; empty: as its name says, or it is one of shelly's own
	Probe       bool        `json:"probe,omitempty"`   // it can say what became of a call (INF-52)

	Rules   []ApproveRule `json:"rules,omitempty"`   // which calls a person decides about, by their arguments (APR-10)
	Subject []string      `json:"subject,omitempty"` // the arguments that a grant for a call is about; none: all (APR-13)
}

// SourceOf returns where the results of a tool come from: the source that it declares;
// without one, the operator if the machine answers itself, and outside otherwise (MSG-1).
func (d *ToolDecl) SourceOf() Source {
	switch {
	case d.Builtin:
		return FromOperator
	case d.Source == 0:
		return FromOutside
	default:
		return d.Source
	}
}

// ToolEffects says what a repeated start of a tool would do. Anything but none
// and idempotent is unsafe.
type ToolEffects string

// A tool changes nothing, changes the same thing however often it is started, or
// must not be started again without knowing what the first start did.
const (
	EffectsNone       ToolEffects = "none"
	EffectsIdempotent ToolEffects = "idempotent"
	EffectsUnsafe     ToolEffects = "unsafe"
)

// Repeatable reports whether a tool may be started again without knowing what its
// first start did.
func (e ToolEffects) Repeatable() bool { return e == EffectsNone || e == EffectsIdempotent }

// SkillDecl is a skill in its first phase: what the model knows of it before loading it.
type SkillDecl struct {
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
	Always  bool   `json:"always,omitempty"` // its instructions are in every system prompt
	Text    string `json:"text,omitempty"`   // the instructions, of an Always skill only
}

// Toolset names the tools that a model call offers.
type Toolset string

// No tools, all declared tools, or those of a subagent.
const (
	NoTools       Toolset = ""
	AllTools      Toolset = "all"
	SubagentTools Toolset = "subagent"
)

// Offered returns the tools of a set, in the order of their declaration.
func (c *Config) Offered(set Toolset) []ToolDecl {
	if set == NoTools {
		return nil
	}
	tools := make([]ToolDecl, 0, len(c.Tools))
	for i := range c.Tools {
		if t := &c.Tools[i]; c.Offers(set, t) {
			tools = append(tools, *t)
		}
	}
	return tools
}

// Offers reports whether a tool belongs to a set. A subagent has none of the builtin tools
// but read_more: it starts no others, sends no messages, arms no schedules, and its prompt
// has no place for skills (HND-39). The skill tools are offered if skills are loaded on
// demand (SKL-1), read_more if results are kept (TXT-5).
func (c *Config) Offers(set Toolset, t *ToolDecl) bool {
	switch {
	case set == NoTools:
		return false
	case t.Builtin && t.Name == ToolReadMore:
		return c.Switches.KeepTexts
	case set == SubagentTools && t.Builtin:
		return false
	case t.Builtin && (t.Name == ToolLoadSkill || t.Name == ToolLoadReference):
		return c.Switches.AutoLoadSkills && len(c.Skills) > 0
	default:
		return true
	}
}

// Bounded returns c with every limit at least 1 (LIM-2).
func (c Config) Bounded() Config {
	l := &c.Limits
	for _, n := range []*int{
		&l.MaxToolRounds, &l.MaxIterations, &l.MaxToolCalls, &l.MaxCallsPerAnswer, &l.ReadsAtOnce, &l.MaxToolAttempts,
		&l.MaxAnswerAttempts, &l.MaxRepeats, &l.MaxCompactions, &l.MaxCognitionRounds, &l.RecallTopK,
		&l.MaxStoreAttempts, &l.MaxActive, &l.SessionBurst, &l.MaxQueue, &l.MaxSubagents, &l.SubagentIterations,
		&l.MaxSchedules, &l.MaxCrashes, &l.MaxTurns, &l.MaxHistory, &l.MaxPending, &l.KeepMessages,
		&l.ContextTokens, &l.MaxTextBytes, &l.CompressPercent,
	} {
		*n = max(*n, 1)
	}
	for _, d := range []*Millis{
		&l.RetryDelay, &l.InitTimeout, &l.HandleTimeout, &l.SubagentTimeout, &l.CompactTimeout,
		&l.ApprovalTimeout, &l.HoldTimeout, &l.ShutdownTimeout, &l.Grace, &l.AbortTimeout, &l.ProbeTimeout,
	} {
		*d = max(*d, 1)
	}
	l.Backoff, l.Postpone = steps(l.Backoff), steps(l.Postpone)
	c.Jitter = min(max(c.Jitter, 0), JitterMax)
	if c.Switches.Progress {
		c.Pace.Load, c.Pace.Idle = max(c.Pace.Load, 1), max(c.Pace.Idle, 1)
	}
	l.OfferTokens = max(l.OfferTokens, 0)
	l.AnswerPercent, l.ThinkPercent = min(max(l.AnswerPercent, 0), sharePercentMax), min(max(l.ThinkPercent, 0), sharePercentMax)
	return c
}

// steps returns waits of at least 1, or nil if there are none.
func steps(waits []Millis) []Millis {
	var bounded []Millis
	for _, d := range waits {
		bounded = append(bounded, max(d, 1))
	}
	return bounded
}

// Backoff returns the n-th wait, counted from 0, jitter included.
func (c *Config) Backoff(n int) Millis {
	wait := c.Limits.Backoff[n]
	return wait + wait/1000*Millis(c.Jitter) + wait%1000*Millis(c.Jitter)/1000 // in two parts, so that a long wait does not overflow
}

// Tool returns the declaration of a tool, or false if there is none.
func (c *Config) Tool(name string) (ToolDecl, bool) {
	for i := range c.Tools {
		if t := &c.Tools[i]; t.Name == name {
			return *t, true
		}
	}
	return ToolDecl{}, false
}

// Skill returns the declaration of a skill, or false if there is none.
func (c *Config) Skill(name string) (SkillDecl, bool) {
	for _, s := range c.Skills {
		if s.Name == name {
			return s, true
		}
	}
	return SkillDecl{}, false
}

// Declared returns the declaration of the tool of a set that a call names, or false. Some
// models put a namespace before the name (INF-26).
func (c *Config) Declared(set Toolset, name string) (ToolDecl, bool) {
	if name == ToolHelp && set != NoTools && c.Limits.OfferTokens > 0 { // offered if the tools do not all fit
		return Builtins(ToolHelp)[0], true
	}
	for _, n := range []string{name, strings.TrimPrefix(name, "functions."), strings.TrimPrefix(name, "default_api:")} {
		if decl, ok := c.Tool(n); ok && c.Offers(set, &decl) {
			return decl, true
		}
	}
	return ToolDecl{}, false
}

// Meant returns the declaration of the tool of a set that a model means by a name: the tool that has it,
// else the only one without effects whose name means the same (INF-58); or false.
func (c *Config) Meant(set Toolset, name string) (only ToolDecl, found bool) {
	if decl, ok := c.Declared(set, name); ok {
		return decl, true
	}
	if c.Edition < NineteenthEdition || c.Switches.Reading != ReadingCareful {
		return ToolDecl{}, false
	}
	for i := range c.Tools {
		if decl := &c.Tools[i]; decl.Effects == EffectsNone && alike.Tools(name, decl.Name) && c.Offers(set, decl) {
			if found {
				return ToolDecl{}, false
			}
			only, found = *decl, true
		}
	}
	return only, found
}

// State names a state of one of the machine's three tables.
type State string

// StateLabel is the name that a profile's document has for a state of an inference.
type StateLabel struct {
	State State `json:"state"`
	Label State `json:"label"`
}

// Label returns the profile's own name for a state of an inference, or "" (INF-28). It is
// for people: no decision depends on it. An old boot may have a former name of the state
// (INF-30).
func (c Config) Label(s State) State {
	for _, l := range c.Labels {
		if InferenceState(l.State) == s {
			return l.Label
		}
	}
	return ""
}

// InferenceState returns today's name of a state of an inference, given that or a former
// one (INF-30).
func InferenceState(name State) State {
	switch name {
	case "compacting":
		return "condensing"
	case "failed":
		return "broken"
	default:
		return name
	}
}
