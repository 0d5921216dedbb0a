package fsm

// Millis is a time or a duration in milliseconds; as a time, since the Unix
// epoch in UTC.
type Millis int64

// Second is one second.
const Second Millis = 1000

// Config is all that decides how the machine behaves. It comes with each Boot,
// so it is in the journal and a replay needs nothing else (CFG-5).
type Config struct {
	Profile string     `json:"profile"`
	Init    InitMode   `json:"init"`
	Limits  Limits     `json:"limits"`
	Prompts Prompts    `json:"prompts"`
	Tools   []ToolDecl `json:"tools,omitempty"`
}

// InitMode says when the initial inference runs.
type InitMode string

// The initial inference runs at every start, or never.
const (
	InitEveryStart InitMode = "every_start"
	InitOff        InitMode = "off"
)

// Limits bounds everything that could go on (LIM-1). Each is a positive number; a
// Boot raises anything below 1 to 1.
type Limits struct {
	MaxToolRounds      int    `json:"max_tool_rounds"`      // rounds that ran tools, in one inference
	MaxCognitionRounds int    `json:"max_cognition_rounds"` // inferences of one handle's cognition
	RecallTopK         int    `json:"recall_top_k"`         // entries of one recall
	MaxCallsPerAnswer  int    `json:"max_calls_per_answer"` // tool calls run of one answer
	MaxStoreAttempts   int    `json:"max_store_attempts"`   // tries to store one memory entry
	MaxQueue           int    `json:"max_queue"`            // requests and events that wait, parked ones included
	InitTimeout        Millis `json:"init_timeout"`         // the initial inference, memory included
	HandleTimeout      Millis `json:"handle_timeout"`       // one request or event, memory included
	ShutdownTimeout    Millis `json:"shutdown_timeout"`     // the farewell, memory included
	Grace              Millis `json:"grace"`                // wait for active handles at shutdown
	AbortTimeout       Millis `json:"abort_timeout"`        // wait for an aborted tool to stop
}

// ToolDecl is a tool as the machine and the model see it.
type ToolDecl struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Parameters  string      `json:"parameters,omitempty"` // a JSON schema of the arguments
	Effects     ToolEffects `json:"effects"`
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

// ShellyProfile is the configuration of the seed document: one handle at a time, no
// conversation history, memory after each handle and the reply after memory.
func ShellyProfile() Config {
	return Config{
		Profile: "shelly",
		Init:    InitEveryStart,
		Limits: Limits{
			MaxToolRounds:      20,
			MaxCognitionRounds: 3,
			RecallTopK:         5,
			MaxCallsPerAnswer:  32,
			MaxStoreAttempts:   3,
			MaxQueue:           64,
			InitTimeout:        120 * Second,
			HandleTimeout:      300 * Second,
			ShutdownTimeout:    30 * Second,
			Grace:              300 * Second,
			AbortTimeout:       10 * Second,
		},
		Prompts: DefaultPrompts(),
	}
}

// bounded returns c with every limit at least 1 (LIM-2).
func (c Config) bounded() Config {
	l := &c.Limits
	for _, n := range []*int{
		&l.MaxToolRounds, &l.MaxCognitionRounds, &l.RecallTopK,
		&l.MaxCallsPerAnswer, &l.MaxStoreAttempts, &l.MaxQueue,
	} {
		*n = max(*n, 1)
	}
	for _, d := range []*Millis{&l.InitTimeout, &l.HandleTimeout, &l.ShutdownTimeout, &l.Grace, &l.AbortTimeout} {
		*d = max(*d, 1)
	}
	return c
}

// Tool returns the declaration of a tool, or false where there is none.
func (c Config) Tool(name string) (ToolDecl, bool) {
	for _, t := range c.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return ToolDecl{}, false
}
