package config

import (
	"time"

	"shelly/fsm"
)

// Config is the effective configuration. The tags of its fields are the schema
// of every source; the machine's own structs have of, min, max and empty, too, and their keys are
// in [machineKeys]:
//
//	key   the name in the file; nested structs are sections
//	of    the allowed words, separated by |
//	is    the form of a text: path, server, url, listen, prompt or name
//	says  the comment beside the value when a profile is printed
//	min   the smallest value of a number, duration or size
//	max   the largest value
//	empty "ok" if an empty text has a meaning
//	from  "profile" if the default is the profile's; applies to a whole section
type Config struct {
	// Profile names the defaults to begin with, one of [profile.Names] (CFG-11).
	// Default: default.
	Profile string `key:"profile"`
	// Data is the folder of the journal and the memory, an absolute path.
	// Default: $XDG_DATA_HOME/shelly, else ~/.local/share/shelly, else ./.shelly.
	Data string `key:"data" is:"path"`
	// Workspace is the folder that the tools are bound to, an absolute path.
	// Default: the current folder.
	Workspace string `key:"workspace" is:"path"`
	// Init says when the initial inference runs.
	Init  fsm.InitMode `key:"init" of:"every_start|first_start|off" from:"profile" says:"when the initial inference runs"`
	About About        `key:"about"`

	Brain    Brain        `key:"brain"`
	Switches fsm.Switches `key:"switches" from:"profile"`
	Limits   fsm.Limits   `key:"limits" from:"profile"`
	Prompts  Prompts      `key:"prompts" from:"profile"`
	Tools    Tools        `key:"tools"`
	Skills   Skills       `key:"skills"`
	Comm     Comm         `key:"comm"`
	Events   Events       `key:"events"`
	Channels Channels     `key:"channels"`

	// RequestBytesMax is the longest request taken, in bytes, images as Base64 included. Default: 4MiB.
	RequestBytesMax Bytes `key:"request_bytes_max" min:"1KiB" max:"64MiB"`
	// Reserve is the free space of the data folder's file system below which
	// nothing is accepted. Default: 64MiB.
	Reserve   Bytes     `key:"reserve" min:"0" max:"1TiB"`
	Retention Retention `key:"retention"`
	Memory    Memory    `key:"memory"`
	Log       Log       `key:"log"`
	Telemetry Telemetry `key:"telemetry"`

	builtin  []fsm.ToolDecl   // the profile's builtin tools
	labels   []fsm.StateLabel // the profile's names of states
	settings []Setting
	given    []string // the keys that a source has set
	files    []string
	slotted  bool // limits.max_active follows brain.slots (HND-50)
}

// About is what the texts of a profile contain in place of {name}, {user} and {persona}.
// {workspace} stands for the workspace, {system} for the operating system.
type About struct {
	// Name is what the agent is called. Default: shelly.
	Name string `key:"name" is:"name"`
	// User is how the person is addressed. Default: you.
	User string `key:"user" is:"name"`
	// Persona is any other text about the agent. Default: empty.
	Persona string `key:"persona" is:"prompt" empty:"ok"`
	// Zone is the person's time zone: local, or a name such as Europe/Berlin.
	// Default: local, the machine's.
	Zone string `key:"zone" is:"zone"`
	// Zones are the names of other time zones that schedules may use. Default: none.
	Zones []string `key:"zones" is:"zone"`
}

// Brain is where the model is and how it is asked.
type Brain struct {
	// Kind is ollama, demo (the built-in script), or auto: ollama if the server has a usable model
	// at the start, otherwise demo (CFG-6). Default: ollama.
	Kind string `key:"kind" of:"ollama|auto|demo"`
	// URL is the Ollama server. Default: http://127.0.0.1:11434.
	URL string `key:"url" is:"server"`
	// Model is the chat model. Default: empty, which is the first installed one that can call
	// tools.
	Model string `key:"model" is:"name" empty:"ok"`
	// EmbedModel makes the vectors of memory; none: memory is searched by keyword. Default: empty,
	// which is the first installed one that makes vectors; if there is none, memory is searched by
	// keyword, too.
	EmbedModel string `key:"embed_model" is:"name" empty:"ok"`
	// NumCtx is the context window in tokens. Default: limits.context_tokens of the profile, which
	// is 8192 except in omniemployee, where it is 128000.
	NumCtx int `key:"num_ctx" min:"512" max:"16777216" from:"profile" says:"the context window in tokens"`
	// NumPredict is the longest answer in tokens, less than NumCtx; 0 allows as many as the window
	// has left. Default: 0.
	NumPredict int `key:"num_predict" min:"0" max:"16777216"`
	// KeepAlive is how long the server keeps an idle model loaded; 0s unloads it
	// at once. Default: 5m.
	KeepAlive time.Duration `key:"keep_alive" max:"8760h"`
	// Slots is how many calls the server serves at a time, each with its own window
	// (OLLAMA_NUM_PARALLEL). Default: 1.
	Slots int `key:"slots" min:"1" max:"1000"`
	// Preload makes the server load the chat model at the start, while shelly already serves
	// (BRN-19), unless KeepAlive is 0s. Default: true.
	Preload bool `key:"preload"`
	// Temperature is that of the sampling, to three decimals, or model for the model's own. It
	// travels with each model call (INF-23).
	Temperature Temperature `key:"temperature" min:"0" max:"5" from:"profile" says:"of the sampling; model: the model's own"`
	// MaxTokens is the longest answer in tokens, overriding NumPredict; 0 leaves it to NumPredict.
	// It travels with each model call (INF-23).
	MaxTokens int `key:"max_tokens" min:"0" max:"16777216" from:"profile" says:"of one answer; 0: num_predict"`
	// Seed is that of the sampling, or -1 for the model's own. With a seed a model gives the same
	// answer to the same call, as far as its server can. Default: -1.
	Seed int `key:"seed" min:"-1" max:"2147483647"`
	// Think says whether a model that can think does: true, false, how much (low, medium or high,
	// for models that support it), or model for its own way (BRN-6). Default: model.
	Think string `key:"think" of:"model|true|false|low|medium|high"`
	// Tools says how the model learns about tools: native, by the server, if the model can call
	// tools; described, in the prompt (BRN-16); or auto, depending on the model. Default: auto.
	Tools string `key:"tools" of:"auto|native|described"`
	// Reads and Writes are how many tokens per second the model's machine reads and writes, as
	// measured by doctor --measure; 0 learns them from the answers (INF-50). Default: 0.
	Reads  int `key:"reads" min:"0" max:"1000000"`
	Writes int `key:"writes" min:"0" max:"1000000"`
	// OnUnreachable says what a start without a usable model does: exit, or wait and serve, with
	// each request failing until there is a model (CFG-7). Default: exit in shelly, wait in the
	// other profiles.
	OnUnreachable string   `key:"on_unreachable" of:"exit|wait" from:"profile" says:"what a start without a model to use does"`
	Timeouts      Timeouts `key:"timeouts"`
}

// Timeouts bound one model call.
type Timeouts struct {
	// Connect is the time to reach the server. Default: 5s.
	Connect time.Duration `key:"connect" min:"1ms" max:"10m"`
	// Load is the time to load the model. Default: 5m.
	Load time.Duration `key:"load" min:"1ms" max:"24h"`
	// FirstToken is the time from then to the first token, unless the machine's deadlines (INF-50)
	// end the call earlier. Default: 1h.
	FirstToken time.Duration `key:"first_token" min:"1ms" max:"24h"`
	// Idle is the time between two tokens. If the model may be writing a tool call, of which a server
	// sends nothing before its end, it is the time between two questions whether the server is alive. Default: 60s.
	Idle time.Duration `key:"idle" min:"1ms" max:"24h"`
	// Total is the time of the whole call, without the loading. Default: 4h.
	Total time.Duration `key:"total" min:"1ms" max:"24h"`
}

// Temperature is the one of [fsm.Options]: in thousandths; 0 is the model's own and -1 exactly 0.
type Temperature int

// Prompts are the fixed texts sent to the model. An identity given here or in a file replaces the
// first part of the system prompt; the sections are the profile's.
type Prompts struct {
	fsm.Prompts
	// IdentityFile is a file whose UTF-8 text becomes Identity. Default: empty, none.
	IdentityFile string `key:"identity_file" is:"path" empty:"ok" from:"default"`
}

// Skills says where to find skills.
type Skills struct {
	// Folders are searched after the workspace's skills and .agents/skills (SKL-9). A missing
	// folder is skipped. Default: ~/.agents/skills.
	Folders []string `key:"folders" is:"path"`
}

// Tools limits what the tools may do.
type Tools struct {
	Exec Exec `key:"exec"`
	// Approve says for which tools a person decides about calls (APR-10). Default: none.
	Approve Approvals `key:"approve"`
	// Whole names the tools whose full descriptions the model is shown first if limits.offer_tokens
	// leaves no room for all (TOL-61). Default: none.
	Whole []string `key:"whole"`
	// Files names the file tools that are offered (TOL-31). Default: all; in profiles made from a
	// document, those that the document names.
	Files []string `key:"files" from:"profile" says:"the file tools that are offered"`
	// Memory names the memory tools that are offered (MEM-12). Default: memory_search; in countbot
	// and nanobot all, in shelly and omniemployee none.
	Memory []string `key:"memory" from:"profile" says:"the tools of memory that are offered"`
	// Secrets says how to treat files that may hold secrets (TOL-21). Default: refuse.
	Secrets string `key:"secrets" of:"refuse|allow"`
	// RestrictToWorkspace keeps the file tools inside the workspace (TOL-3). Default: true; in
	// nanobot false.
	RestrictToWorkspace bool `key:"restrict_to_workspace" from:"profile" says:"the file tools stay in the workspace"`
	// ResultBytesMax is the longest result of a tool (TOL-4). Default: 16KiB; in default, which
	// keeps results and shows a part, 1MiB; in nanobot 10000.
	ResultBytesMax Bytes `key:"result_bytes_max" min:"1KiB" max:"1MiB" from:"profile" says:"the longest result of a tool"`
	// ReadBytesMax is how far into a file read_file and grep look. Default: 64MiB.
	ReadBytesMax Bytes `key:"read_bytes_max" min:"4KiB" max:"1GiB"`
	Web          Web   `key:"web"`
	// Custom are the operator's programs that are offered as tools (TOL-80). Default: none.
	Custom Programs `key:"custom"`
	// MCP are servers of the Model Context Protocol whose tools are offered (TOL-90).
	// Default: none.
	MCP Servers `key:"mcp"`
}

// Exec is the tool that runs shell commands.
type Exec struct {
	// Allow offers exec to the model: true only if something contains its commands (TOL-5),
	// unsandboxed with all rights of the daemon's user. Default: false.
	Allow string `key:"allow" of:"false|true|unsandboxed"`
	// Timeout bounds a command whose call does not say how long it may take, and TimeoutMax
	// what a call can ask for, unless Timeout is longer (TOL-102). Default: 60s and 10m.
	Timeout    time.Duration `key:"timeout" min:"1ms" max:"24h"`
	TimeoutMax time.Duration `key:"timeout_max" min:"1ms" max:"24h"`
	// Rungs are the allowed ways to contain commands, in order of preference (TOL-42). Default:
	// empty, which means namespaces, bwrap, landlock.
	Rungs []string `key:"rungs"`
	// Network lets commands use the network as the daemon does. Default: false.
	Network bool `key:"network"`
	// Reads are folders outside the workspace that commands may read, besides those of the system.
	// Default: none.
	Reads []string `key:"reads" is:"path"`
	// Path are folders in which programs are looked up before /usr/local/bin, /usr/bin and /bin, and which
	// commands may read (TOL-103). Default: none.
	Path []string `key:"path" is:"path"`
	// Env are variables that commands get besides PATH, HOME and LANG (TOL-103). Default: none.
	Env Variables `key:"env"`
	// Memory is how much data each process of a command may have. Default: 4GiB.
	Memory Bytes `key:"memory" min:"64MiB" max:"16TiB"`
	// Processes is how many processes and threads a command may have. Default: 512.
	Processes int `key:"processes" min:"8" max:"100000"`
	// FileSize is the largest file that a command may write. Default: 256MiB.
	FileSize Bytes `key:"file_size" min:"1MiB" max:"16TiB"`
	// OpenFiles is how many files each process of a command may have open. Default: 1024.
	OpenFiles int `key:"open_files" min:"16" max:"1000000"`
	// Disk is how much the use of the workspace's disk, or of that with its temporary files, may grow while a command runs. Default: 1GiB.
	Disk Bytes `key:"disk" min:"1MiB" max:"16TiB"`
	// Only lists the only commands that may run, as patterns with * (TOL-48). Default: empty, which
	// allows all.
	Only []string `key:"only"`
	// Deny are commands that never run, and Ask those that a person is asked about.
	// Default: none.
	Deny []string `key:"deny"`
	Ask  []string `key:"ask"`
}

// Allowed reports whether exec may be offered, contained or not.
func (e Exec) Allowed() bool { return e.Allow == "true" || e.Allow == Unsandboxed }

// Unsandboxed is the value of [Exec.Allow] for commands that nothing contains.
const Unsandboxed = "unsandboxed"

// Web is web_fetch and web_search.
type Web struct {
	// Allow offers web_fetch to the model (TOL-70). Default: false.
	Allow bool `key:"allow"`
	// AllowAddresses are addresses, networks and names outside the public network that web_fetch
	// may reach, each with a port unless that is 80, 443, 8080 or 8443 (TOL-71): 10.0.0.0/8,
	// 127.0.0.1:8888, intranet.example. Default: none.
	AllowAddresses []string `key:"allow_addresses"`
	// Timeout bounds one call of either tool. Default: 30s.
	Timeout time.Duration `key:"timeout" min:"1ms" max:"24h"`
	// BytesMax is how much of a page is read, after decompression. Default: 4MiB.
	BytesMax Bytes  `key:"bytes_max" min:"1KiB" max:"64MiB"`
	Search   Search `key:"search"`
}

// Search is the server that web_search asks (TOL-75).
type Search struct {
	// Kind is searxng, brave, or off. Default: off; web_search is not offered.
	Kind string `key:"kind" of:"off|searxng|brave"`
	// URL is the server's address, with http:// or https://. Default: empty; for brave, brave's own.
	URL string `key:"url" is:"url" empty:"ok"`
	// KeyFrom names the environment variable that holds brave's key. Default: BRAVE_API_KEY.
	KeyFrom string `key:"key_from" is:"name"`
}

// On is the value of comm.openai, comm.ollama and comm.mcp with which their clients can talk with
// the agent.
const On = "on"

// Comm is where the daemon listens: loopback HOST:PORT (COM-1), with port 0 for any free port, or
// empty for not at all, which a source writes as off.
type Comm struct {
	HTTP string `key:"http" is:"listen"` // default: 127.0.0.1:7433
	UDP  string `key:"udp" is:"listen"`  // default: 127.0.0.1:7434
	// Unix is a socket in the file system, given as a path or as a name in the data folder; off:
	// none (COM-91). Default: shelly.sock.
	Unix string `key:"unix"`
	// MCP says whether clients of the Model Context Protocol can talk with the agent over HTTP, at
	// /mcp (FRT-30). Default: on.
	MCP string `key:"mcp" of:"on|off"`
	// OpenAI and Ollama say whether clients of these APIs can talk with the agent over HTTP, at
	// /v1 and at /api (FRT-1). Default: on.
	OpenAI string `key:"openai" of:"on|off"`
	Ollama string `key:"ollama" of:"on|off"`
	// Channels are those to which the model may send messages even if no request has come from them
	// (HND-46). Default: none.
	Channels []string `key:"channels"`
}

// Retention is how long records of the past are kept (JRN-20); 0 means without limit.
type Retention struct {
	// Age is the longest age of records, of requests since their answer, of sent messages, of audit
	// records and of parts of archives. Default: 2160h, 90 days.
	Age time.Duration `key:"age" max:"876000h"`
	// Bytes is the size of the records; above it the oldest are dropped. Default: 1GiB.
	Bytes Bytes `key:"bytes" min:"0" max:"1024TiB"`
}

// Memory says how entries are found.
type Memory struct {
	// HalfLife is the age at which an entry counts half as much as a new one that meets the need
	// equally well (MEM-9); 0: age does not count. Default: 0.
	HalfLife time.Duration `key:"half_life" max:"876000h"`
}

// Log says what the daemon logs.
type Log struct {
	Level  string `key:"level" of:"debug|info|warn|error"` // default: info
	Format string `key:"format" of:"text|json"`            // default: text
	// Keep is how much of the log the data folder keeps, for shelly logs (OBS-5); 0: none.
	// Default: 16MiB.
	Keep Bytes `key:"keep" min:"0" max:"1TiB"`
}

// Telemetry says where else the daemon reports what it does.
type Telemetry struct {
	// Traces is the address of a collector of OpenTelemetry traces over HTTP, such as
	// http://127.0.0.1:4318/v1/traces (OBS-3). Default: empty, none.
	Traces string `key:"traces" is:"url" empty:"ok"`
}
