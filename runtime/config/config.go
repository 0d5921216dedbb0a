package config

import (
	"time"

	"shelly/fsm"
)

// Config is the effective configuration. The tags of its fields are the schema
// of every source:
//
//	key   the name in the file; nested structs are sections
//	of    the words allowed, separated by |
//	is    the form of a text: path, url, listen, prompt or name
//	min   the least value; numbers, durations and sizes
//	max   the greatest value
//	empty "ok" where an empty text means something
//	from  "profile" where the default is the profile's; holds for a whole section
type Config struct {
	// Profile names the defaults to begin with. Default: shelly.
	Profile string `key:"profile" of:"shelly"`
	// Data is the folder of the journal and the memory, an absolute path.
	// Default: $XDG_DATA_HOME/shelly, else ~/.local/share/shelly, else ./.shelly.
	Data string `key:"data" is:"path"`
	// Workspace is the folder that the tools are bound to, an absolute path.
	// Default: the current folder.
	Workspace string `key:"workspace" is:"path"`
	// Init says when the initial inference runs. Default of shelly: every_start.
	Init fsm.InitMode `key:"init" of:"every_start|off" from:"profile"`

	Brain   Brain   `key:"brain"`
	Limits  Limits  `key:"limits" from:"profile"`
	Prompts Prompts `key:"prompts" from:"profile"`
	Tools   Tools   `key:"tools"`
	Comm    Comm    `key:"comm"`

	// RequestBytesMax is the longest request taken, in bytes. Default: 64KiB.
	RequestBytesMax Bytes `key:"request_bytes_max" min:"1KiB" max:"64MiB"`
	// Reserve is the free space of the data folder's file system below which
	// nothing is accepted. Default: 64MiB.
	Reserve Bytes `key:"reserve" min:"0" max:"1TiB"`
	Log     Log   `key:"log"`

	settings []Setting
}

// Brain is where the model is and how it is asked.
type Brain struct {
	// Kind is ollama, demo (the built-in script), or auto: ollama if the server has
	// a model to use at the start, else demo (CFG-6). Default: ollama.
	Kind string `key:"kind" of:"ollama|auto|demo"`
	// URL is the Ollama server. Default: http://127.0.0.1:11434.
	URL string `key:"url" is:"url"`
	// Model is the chat model. Default: empty, the first installed one that can
	// call tools.
	Model string `key:"model" is:"name" empty:"ok"`
	// EmbedModel makes the vectors of memory. Default: empty, the first installed
	// one that makes vectors; where there is none, memory is found by keyword.
	EmbedModel string `key:"embed_model" is:"name" empty:"ok"`
	// NumCtx is the context window in tokens. Default: 8192.
	NumCtx int `key:"num_ctx" min:"512" max:"16777216"`
	// NumPredict is the longest answer in tokens, below NumCtx. Default: 1024.
	NumPredict int `key:"num_predict" min:"1" max:"16777216"`
	// KeepAlive is how long the server keeps an idle model loaded; 0s unloads it
	// at once. Default: 5m.
	KeepAlive time.Duration `key:"keep_alive" max:"8760h"`
	// Temperature of the sampling. Default: unset (nil), the model's own.
	Temperature *float64 `key:"temperature" min:"0" max:"5"`
	// OnUnreachable says what a start without a model to use does: exit, or wait
	// and serve, each request failing until there is one (CFG-7). Default of
	// shelly: exit.
	OnUnreachable string   `key:"on_unreachable" of:"exit|wait" from:"profile"`
	Timeouts      Timeouts `key:"timeouts"`
}

// Timeouts bound one model call.
type Timeouts struct {
	// Connect is the time to reach the server. Default: 5s.
	Connect time.Duration `key:"connect" min:"1ms" max:"10m"`
	// FirstToken is the time to the first token, loading included. Default: 5m.
	FirstToken time.Duration `key:"first_token" min:"1ms" max:"24h"`
	// Idle is the time between two tokens. Default: 60s.
	Idle time.Duration `key:"idle" min:"1ms" max:"24h"`
	// Total is the time of the whole call. Default: 10m.
	Total time.Duration `key:"total" min:"1ms" max:"24h"`
}

// Limits are the machine's; see [fsm.Limits]. The defaults named here are those
// of the profile shelly.
type Limits struct {
	// MaxToolRounds is how many rounds of one inference may run tools. Default: 20.
	MaxToolRounds int `key:"max_tool_rounds" min:"1" max:"10000"`
	// MaxCognitionRounds is how many inferences one cognition has. Default: 3.
	MaxCognitionRounds int `key:"max_cognition_rounds" min:"1" max:"1000"`
	// RecallTopK is how many entries one recall brings. Default: 5.
	RecallTopK int `key:"recall_top_k" min:"1" max:"1000"`
	// MaxCallsPerAnswer is how many tool calls of one answer run. Default: 32.
	MaxCallsPerAnswer int `key:"max_calls_per_answer" min:"1" max:"1000"`
	// MaxStoreAttempts is how often storing one memory is tried. Default: 3.
	MaxStoreAttempts int `key:"max_store_attempts" min:"1" max:"100"`
	// MaxQueue is how many requests and events may wait. Default: 64.
	MaxQueue int `key:"max_queue" min:"1" max:"100000"`
	// InitTimeout bounds the initial inference. Default: 120s.
	InitTimeout time.Duration `key:"init_timeout" min:"1ms" max:"168h"`
	// HandleTimeout bounds one request or event, memory included. Default: 300s.
	HandleTimeout time.Duration `key:"handle_timeout" min:"1ms" max:"168h"`
	// ShutdownTimeout bounds the farewell, memory included. Default: 30s.
	ShutdownTimeout time.Duration `key:"shutdown_timeout" min:"1ms" max:"24h"`
	// Grace is how long a shutdown waits for what is active. Default: 300s.
	Grace time.Duration `key:"grace" min:"1ms" max:"168h"`
	// AbortTimeout is how long an aborted tool may take to stop. Default: 10s.
	AbortTimeout time.Duration `key:"abort_timeout" min:"1ms" max:"1h"`
}

// Prompts are the fixed texts sent to the model; see [fsm.Prompts].
type Prompts struct {
	// Identity is the system prompt, a static text (CFG-4).
	Identity string `key:"identity" is:"prompt"`
	// IdentityFile names a UTF-8 text that becomes Identity. Default: empty, none.
	IdentityFile string `key:"identity_file" is:"path" empty:"ok" from:"default"`
	Question     string `key:"question" is:"prompt"`
	Init         string `key:"init" is:"prompt"`
	Farewell     string `key:"farewell" is:"prompt"`
	Summary      string `key:"summary" is:"prompt"`
}

// Tools bounds what the tools may do.
type Tools struct {
	Exec Exec `key:"exec"`
	// ResultBytesMax is the longest result a model is shown. Default: 16KiB.
	ResultBytesMax Bytes `key:"result_bytes_max" min:"1KiB" max:"1MiB"`
	// ReadBytesMax is how far into a file read_file looks. Default: 64MiB.
	ReadBytesMax Bytes `key:"read_bytes_max" min:"4KiB" max:"1GiB"`
}

// Exec is the tool that runs shell commands.
type Exec struct {
	// Allow offers exec to the model. It is not sandboxed. Default: false.
	Allow bool `key:"allow"`
	// Timeout bounds one command. Default: 60s.
	Timeout time.Duration `key:"timeout" min:"1ms" max:"24h"`
}

// Comm is where the daemon listens: loopback HOST:PORT (COM-1), port 0 for any
// free one, or empty for nowhere, which a source writes as off.
type Comm struct {
	HTTP string `key:"http" is:"listen"` // default: 127.0.0.1:7433
	UDP  string `key:"udp" is:"listen"`  // default: 127.0.0.1:7434
}

// Log is what the daemon logs.
type Log struct {
	Level  string `key:"level" of:"debug|info|warn|error"` // default: info
	Format string `key:"format" of:"text|json"`            // default: text
}

// Machine returns the part of the configuration that the machine needs, with
// the tools that the daemon offers. It travels with the boot (CFG-5).
func (c Config) Machine(tools []fsm.ToolDecl) fsm.Config {
	l, p := c.Limits, c.Prompts
	return fsm.Config{
		Profile: c.Profile,
		Init:    c.Init,
		Limits: fsm.Limits{
			MaxToolRounds:      l.MaxToolRounds,
			MaxCognitionRounds: l.MaxCognitionRounds,
			RecallTopK:         l.RecallTopK,
			MaxCallsPerAnswer:  l.MaxCallsPerAnswer,
			MaxStoreAttempts:   l.MaxStoreAttempts,
			MaxQueue:           l.MaxQueue,
			InitTimeout:        millis(l.InitTimeout),
			HandleTimeout:      millis(l.HandleTimeout),
			ShutdownTimeout:    millis(l.ShutdownTimeout),
			Grace:              millis(l.Grace),
			AbortTimeout:       millis(l.AbortTimeout),
		},
		Prompts: fsm.Prompts{
			Identity: p.Identity,
			Question: p.Question,
			Init:     p.Init,
			Farewell: p.Farewell,
			Summary:  p.Summary,
		},
		Tools: tools,
	}
}

func millis(d time.Duration) fsm.Millis { return fsm.Millis(d.Milliseconds()) }
