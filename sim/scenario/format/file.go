// Package format is the format of scenario and property files, version 1: the fields of
// [File] and [Property] are the keys, their comments say what each key means, and the JSON
// Schemas for editors are made of both (SCN-20). A type that has a form of its own reads
// itself; what holds between values is package check's.
package format

import (
	"cmp"

	"shelly/fsm"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// File is one case of a loaded scenario file (SCN-1). Its fields are the keys of the format.
type File struct {
	Version int              `key:"scenario,required"` // the format's version: 1
	Name    string           `key:"name,required"`     // what the case shows, in a few words
	Include document.Include `key:"include"`           // fragments, files in the scenario's folder or below whose keys are joined to its own: a path, or a list of them (SCN-16)
	Vars    document.Vars    `key:"vars"`              // values by name, which ${name} in a text stands for (SCN-17)
	Matrix  document.Matrix  `key:"matrix"`            // one case for each combination: a list of values for each name, or a list of maps, one a case (SCN-18)
	Covers  []string         `key:"covers"`            // ids of the rules of SPEC.md that the case shows
	Tags    []string         `key:"tags"`              // words to select cases by
	Skipped string           `key:"skip"`              // why the case is not played; it is loaded and checked all the same (SCN-60)
	Setting
	Tools    Tools       `key:"tools"`        // stub tools by name, in the order in which the model is offered them, after the profile's own; or real: the daemon's file tools, in a scratch workspace (SCN-30)
	Servers  *Servers    `key:"tool_servers"` // servers whose tools are declared after them, such as MCP servers have (SCN-58)
	Script   Script      `key:"brain"`        // what the model says to requests, events, schedules and reports, one entry a call, in order for each session; or live: the configured Ollama is asked (SCN-29)
	Model    string      `key:"model"`        // (brain: live) the model that is asked in place of the configured one; where the server has none such, the case is skipped
	Repeat   *Count      `key:"repeat"`       // (brain: live) how often the case is run; once unless given, at most 1000
	Pass     *Count      `key:"pass"`         // (brain: live) how many of the runs must hold; all unless given
	Timeline []Moment    `key:"timeline"`     // what happens when
	From     *State      `key:"from"`         // (replay) the machine's state before the first entry, as a snapshot of the journal has it; that of a machine that never ran unless given
	Replay   []Told      `key:"replay"`       // in place of a world, a script and a timeline: what the machine was told, to the letter (SCN-45)
	Hash     *Hash       `key:"hash"`         // (replay) the hash of the trace that comes of it
	Seed     *Seed       `key:"seed"`         // chooses what comes first of what is due at once, and which faults with p strike; --seed overrides it. Unless given: what the file has first, and 1 where a fault has p
	Faults   Faults      `key:"faults"`       // what goes wrong beside the script
	Found    *Provenance `key:"found"`        // where the case comes from, where a property found it (PRP-8)
	Expect   *Expect     `key:"expect"`       // what must hold at the end
	Always   []Claim     `key:"always"`       // holds after every step: an expression, an item that every event with its keys matches, or {that, when, optional}
	Never    []Claim     `key:"never"`        // holds after no step: an expression, an item that no event matches, or {that, when, optional}

	Eventually []Promise `key:"eventually"` // comes about: an expression, an item, or {that, when, within, optional}

	*document.Case
}

// Setting is what a case, and a property that makes cases, is set in.
type Setting struct {
	Profile   string                 `key:"profile"`       // a named preset of switches, limits and prompts; default, as in the daemon, unless given (SCN-14)
	Config    *Config                `key:"config"`        // single settings that differ from the profile's
	About     *About                 `key:"about"`         // what the profile's texts speak of
	Clock     *Clock                 `key:"clock"`         // the virtual clock
	Latencies *Latencies             `key:"latencies"`     // how long what says no takes of its own takes (SCN-26)
	Server    *Server                `key:"server"`        // what the models run on: laptop, or its slots, speeds and window (SIM-20); without one a call takes what its entry says
	World     strict.ByName[Data]    `key:"world"`         // what the outside world holds before the first start: data by names of the file's choice, with tools: real the texts of files by their paths in the workspace (SCN-23)
	Skills    []Skill                `key:"skills"`        // the skills that there are
	AsText    bool                   `key:"calls_as_text"` // the model has no calls of its own: its prompt says how to write them, and what it says may be some (BRN-16)
	Embed     *Embedding             `key:"embedding"`     // off, or how the embedding model fails
	Memory    []Memory               `key:"memory"`        // what memory holds before the first start
	Sessions  strict.ByName[Session] `key:"sessions"`      // what the store of sessions holds before the first start, by name
	MemoryMD  string                 `key:"memory_file"`   // MEMORY.md before the first start
	Grants    []Grant                `key:"grants"`        // the file of grants before the first start: calls that start without a question (APR-14)
	ScriptFor *ScriptFor             `key:"brain_for"`     // what the model says to calls for another purpose
	Strict    bool                   `key:"strict"`        // an unscripted summary, compaction, init or farewell fails the case
}

// Trace is the invariant of a case that a property found because two runs of it gave two traces.
const Trace = "trace"

// Provenance is where a case comes from that a property found.
type Provenance struct {
	By        string `key:"by,required"`        // the property's file
	Invariant string `key:"invariant,required"` // what did not hold: an invariant's id, trace (the case is then played twice), an expression, …
	Seed      *Seed  `key:"seed"`               // of the run that found it
	Shrunk    string `key:"shrunk"`             // how far it was made smaller
}

// Clock is the virtual clock.
type Clock struct {
	Zone  *Zone    `key:"zone"`  // of the person: times are shown and read as its clocks have them (HND-48); UTC unless given
	Start *Time    `key:"start"` // when the process first starts, in 1970 or later; "2026-01-05T09:00:00Z" unless given
	Until Duration `key:"until"` // how long after it schedules are served, though nothing else is left to happen
}

// Zone is a zone of local time. A file says its changes, so that no machine's zone
// database decides how the case ends.
type Zone struct {
	Name    string       `key:"name,required"`   // as it is shown, such as Europe/Berlin
	Offset  Offset       `key:"offset,required"` // before the first change, such as "+01:00"
	Changes []ZoneChange `key:"changes"`         // when its clocks are set, in order
}

// ZoneChange is a time at which clocks are set.
type ZoneChange struct {
	At     Time   `key:"at,required"`     // when, such as "2026-03-29T01:00:00Z"
	Offset Offset `key:"offset,required"` // from then on
}

// About is what the texts of a profile speak of where they say {name}, {user},
// {persona}, {workspace} or {system}.
type About struct {
	Name      string `key:"name"`      // of the agent; shelly unless given
	User      string `key:"user"`      // how the person is addressed; the user unless given
	Persona   string `key:"persona"`   // further text about the agent
	Workspace string `key:"workspace"` // the folder of the tools; /workspace unless given
	System    string `key:"system"`    // the operating system; linux (simulated) unless given
}

// Skill is a skill that there is.
type Skill struct {
	Name       string                `key:"name,required"` // what it is called by
	Summary    string                `key:"summary"`       // what the model learns of it before it is loaded
	Always     bool                  `key:"always"`        // its text stands in every system prompt
	Text       string                `key:"text"`          // the instructions
	References strict.ByName[string] `key:"references"`    // further documents, by name
}

// Session is a session as it is saved.
type Session struct {
	History []Said   `key:"history"` // what the next conversation begins with, oldest first
	Pending []Said   `key:"pending"` // messages that wait to be consolidated
	Skills  []Loaded `key:"skills"`  // the loaded skills, in the order of their loading
	Ratio   *Count   `key:"ratio"`   // tokens counted for each 1,024 estimated
	Texts   []Kept   `key:"texts"`   // the results that it keeps, oldest first
}

// Kept is a result that a session keeps.
type Kept struct {
	Number Count  `key:"number,required"` // by which the model knows it
	Text   string `key:"text,required"`   // all of it
}

// Said is one message.
type Said struct {
	Role   string   `key:"role,required"` // system, user, assistant or tool; a broken history may have another
	Text   string   `key:"text"`          // what it says; of a tool, the result
	Thinks string   `key:"thinking"`      // (assistant)
	Calls  []Call   `key:"calls"`         // (assistant) the tools that it asked for
	AsText bool     `key:"as_text"`       // (assistant) its calls were written as text (INF-29)
	Tool   string   `key:"tool"`          // (tool) whose result it is
	ID     string   `key:"id"`            // (tool) the model's id of the call answered
	Images []string `key:"images"`        // (user)
	Used   []string `key:"used"`          // (assistant) the tools that the turn used
	Aside  bool     `key:"aside"`         // (user) the machine's own words, with which no turn begins
	Shows  *Shown   `key:"shows"`         // (tool) which part of a kept result the text is (TXT-7)
}

// Shown is a part of a kept result: the bytes from one to before another.
type Shown struct {
	Result Count `key:"result,required"` // its number
	From   Count `key:"from"`            // its first byte; 0 unless given
	To     Count `key:"to,required"`     // the byte after its last
}

// Loaded is a loaded skill: its name, or a name and one of its references. The text
// is that of the file's skills unless given.
type Loaded struct {
	Name      string  `key:"name,required"` // of the skill
	Reference string  `key:"reference"`     // one of its documents, in place of its text
	Text      *string `key:"text"`          // what was loaded; the text of the file's skills unless given
}

// Entries are what a stub tool does, one entry a call, in order. An empty list
// declares a tool that nobody may call.
type Entries []Entry

// Entry is one answer of a stub tool. At most one of returns, reads, fails, hangs,
// deaf and started_then_lost is given; without any the tool returns nothing. What it
// writes, appends and removes is done at the start of the call, whatever becomes of
// its answer (SCN-23).
type Entry struct {
	Args     *match.Matcher        `key:"args"`                                  // what the tool is called with
	Returns  *string               `key:"returns"`                               // its result
	Reads    string                `key:"reads"`                                 // its result is what the world holds by this name at the start: text as it stands, other data as JSON; where there is nothing it fails
	Writes   strict.ByName[Data]   `key:"writes"`                                // what the world then holds, by name
	Appends  strict.ByName[string] `key:"appends"`                               // texts that the world then holds after those that it has, by name
	Removes  []string              `key:"removes"`                               // names by which the world then holds nothing
	Fails    *Failing              `key:"fails"`                                 // it answers that it failed
	Nothing  bool                  `key:"nothing"`                               // (fails) and that nothing happened, so that another attempt is safe
	Invalid  bool                  `key:"invalid"`                               // (fails) and that the call is wrong, so that another attempt is pointless
	Hangs    bool                  `key:"hangs"`                                 // it answers only when it is aborted
	Deaf     bool                  `key:"deaf"`                                  // it does not even stop when it is aborted
	Lost     bool                  `key:"started_then_lost"`                     // it does what it does, but its answer never comes
	Takes    *Duration             `key:"takes"`                                 // how long until it answers
	Times    *Count                `key:"times"`                                 // how many calls the entry is for at most; 1 unless given
	Effects  string                `key:"effects" enum:"none,idempotent,unsafe"` // what starting it twice would do; the same in all entries of a tool, unsafe unless given
	Asks     string                `key:"asks"`                                  // it does nothing, and wants a person to approve the call, for this reason; the next entry is for the call once approved (APR-19)
	Approve  bool                  `key:"approve"`                               // a person decides about each call of the tool, of this and all its entries
	AskedIf  strict.ByName[string] `key:"approve_if"`                            // a person decides about calls whose arguments fit these patterns, by name (APR-11); of the tool, as approve
	Spared   strict.ByName[string] `key:"approve_unless"`                        // nobody is asked about calls whose arguments fit these patterns, by name; of the tool, as approve
	Subject  []string              `key:"subject"`                               // the arguments that a grant is about, all unless given (APR-13); of the tool, as approve
	About    string                `key:"description"`                           // the tool's description for the model, in one of its entries
	Schema   Args                  `key:"parameters"`                            // the JSON Schema of its arguments that the model is shown, in one of its entries
	Optional bool                  `key:"optional"`                              // it is no failure if nobody calls
	Probe    *Probe                `key:"probe"`                                 // the tool has a probe, and what that says of the call
}

// Probe is what a tool's probe says of a call whose outcome is unknown (SCN-57).
type Probe struct {
	Answers string    `key:"answers,required" enum:"truth,done,never,working,unsure"` // what became of it; truth: done where it was started, never where it was not; working: it is still worked on, never where it was not started
	Returns *string   `key:"returns"`                                                 // (done, truth) its result; that of the entry unless given
	Hangs   bool      `key:"hangs"`                                                   // no answer comes
	Takes   *Duration `key:"takes"`                                                   // how long until it answers
}

// Failing is a text, or a code and a message.
type Failing struct {
	Code      string `key:"code,required"` // one word for the failure
	Message   string `key:"message"`       // what went wrong
	Retryable bool   `key:"retryable"`     // nothing happened, as nothing: true says
}

// Embedding is "off", or how the embedding model fails.
type Embedding struct {
	Off bool // there is none
	Outage
}

// Memory is an entry that memory holds before the first start.
type Memory struct {
	Summary string `key:"summary,required"` // what a recall brings to the model
	Text    string `key:"text"`             // the whole exchange; searched, not brought
	Session string `key:"session"`          // whose session it was
}

// Grant is a call, or several, that start without a question.
type Grant struct {
	Tool  string                `key:"tool,required"` // whose calls
	Match strict.ByName[string] `key:"match"`         // patterns for the arguments, by name
	Any   bool                  `key:"any"`           // whatever the arguments are
}

// ScriptFor scripts the model calls that do not answer a request or an event
// (SCN-3, SCN-4).
type ScriptFor struct {
	Init     []Line `key:"init"`     // the initial inference; one that begins again after a crash gets the same lines
	Summary  []Line `key:"summary"`  // the summary after each answer, or after a session's turns
	Compact  []Line `key:"compact"`  // the compression of a conversation, the summary or consolidation of a history
	Subagent []Line `key:"subagent"` // subagents
	Farewell []Line `key:"farewell"` // the farewell; the same holds as for init
}

// Line is one answer of the model. A line says, calls, needs or fails in one way;
// says and calls may stand together.
type Line struct {
	Session  string        `key:"session"`             // only calls of this session get the entry; those of a session come before those for all
	Sees     *Sees         `key:"sees"`                // what the model must have been sent; an assertion, not a selector
	Says     *string       `key:"says"`                // the answer's text
	Calls    []Call        `key:"calls"`               // the tools that it asks for, in order
	Raw      *string       `key:"raw"`                 // the answer's text, in which a call may be written as small models do
	Repeats  bool          `key:"repeats_last_call"`   // it asks for the calls again that it asked for last
	Needs    *string       `key:"needs"`               // an information need: the text "NEED: …"
	Thinks   string        `key:"thinks"`              // its thinking, which is no part of the answer
	Quotes   string        `key:"quotes" enum:"last"`  // the text ends with the last message that the model was sent
	Stops    string        `key:"stops" enum:"length"` // the answer is cut at the token limit
	Unknown  *UnknownCall  `key:"unknown_tool"`        // it asks for a tool that nobody declared: the tool's name, or {tool, args}
	BadArgs  *BadCall      `key:"malformed_arguments"` // it asks for a tool with arguments that are no JSON object: the tool's name, or {tool, args}
	Stream   *Stream       `key:"stream"`              // the answer comes in pieces
	SlowLoad Duration      `key:"slow_load"`           // the server loads the model so long before it begins; over 5m, as long as a client waits for the first token, is class loading
	Fails    *BrainFailing `key:"fails"`               // the call fails
	Hangs    bool          `key:"hangs"`               // no answer comes
	Empty    bool          `key:"empty"`               // the answer is empty
	Cut      bool          `key:"cut"`                 // the stream ends without its last line: class cut_stream
	Garbage  string        `key:"garbage"`             // the answer cannot be read: class garbage
	Dropped  *Truncated    `key:"truncated"`           // the server has silently dropped a part of what it was sent, which its count tells: class context_truncated
	Tokens   *Tokens       `key:"tokens"`              // what the server counts
	Takes    *Duration     `key:"takes"`               // how long until it answers, or until the first piece of a stream
	Times    *Count        `key:"times"`               // how many calls the entry is for at most; 1 unless given
	Optional bool          `key:"optional"`            // it is no failure if nobody asks
}

// Stream is how an answer comes in pieces (SCN-27): the first when takes and
// slow_load are over. The answer, or its failure, comes with the last; where it
// hangs nothing follows them.
type Stream struct {
	Chunks Chunks   `key:"chunks,required"` // into how many pieces the thinking and then the text are each cut, or the text's pieces in a list
	Every  Duration `key:"every"`           // from one piece to the next; at most 1m, as long as a client waits
}

// Chunks is a number of pieces or a list of them.
type Chunks struct {
	Count Count
	Texts []string
}

// Truncated is a context of which the server has dropped a part (SCN-28).
type Truncated struct {
	Prompt Count `key:"prompt_tokens,required"` // what it counts of the prompt, which is the whole context window
}

// UnknownCall is a call of a tool that nobody declared.
type UnknownCall struct {
	Tool string `key:"tool,required"` // the tool's name
	Args Args   `key:"args"`          // its arguments; {} unless given
}

// BadCall is a call whose arguments are no JSON object.
type BadCall struct {
	Tool string  `key:"tool,required"` // the tool's name
	Args *string `key:"args"`          // what stands in place of its arguments; {" unless given
}

// Call is a tool call that the model asks for.
type Call struct {
	Tool string `key:"tool,required"`       // the tool's name
	Args Args   `key:"args"`                // its arguments; {} unless given
	Bad  string `key:"malformed_arguments"` // in place of args, a text that is no JSON object
	ID   string `key:"id"`                  // the model's own id of the call
	None bool   `key:"undeclared"`          // nobody declares this tool, and that is meant
}

// Tokens is what the model's server counts.
type Tokens struct {
	Prompt *Count `key:"prompt"` // of what it was sent
	Answer *Count `key:"answer"` // of what it said
}

// BrainFailing is a failed model call: the class of the failure, or a map.
type BrainFailing struct {
	Code      fsm.BrainClass `key:"code"`      // the class of the failure; unless given, busy where it is retryable and error where it is not
	Message   string         `key:"message"`   // what the server reports
	Retryable *bool          `key:"retryable"` // whether the model is asked again after it, which is the same for all failures of a class
}

// Sees asserts what the model was sent (SCN-5).
type Sees struct {
	Last     *match.Matcher `key:"last" of:"message"`                // the last message: {role, text, …}
	Messages *match.Matcher `key:"messages" of:"message" list:"yes"` // all messages, the system prompt among them
	Count    *match.Matcher `key:"count" of:"count"`                 // how many messages, the system prompt among them
	System   *match.Matcher `key:"system" of:"text"`                 // the system prompt
	Tools    *match.Matcher `key:"tools" of:"text" list:"yes"`       // the names of the tools offered
	Options  *match.Matcher `key:"options" of:"options"`             // {temperature, max_tokens}, each where it is given
	Tokens   *match.Matcher `key:"tokens" of:"count"`                // the estimate of the whole prompt, where a budget is kept
}

// FormatVersion is the version of the format that this package reads.
const FormatVersion = 1

// DefaultProfile is the profile of a file that names none: the daemon's.
const DefaultProfile = "default"

const (
	DefaultSession = "cli:direct"
	defaultStart   = Time(1767603600000) // 2026-01-05T09:00:00Z
	DefaultRestart = fsm.Second
)

// EveryCrash reports whether the case is run once for every crash point.
func (f *File) EveryCrash() bool {
	return len(f.Faults.Crash) == 1 && f.Faults.Crash[0].At == EveryPoint
}

func (f *File) Start() Time {
	if f.Clock != nil && f.Clock.Start != nil {
		return *f.Clock.Start
	}
	return defaultStart
}

// Speaks is what the texts of the profile speak of.
func (f *File) Speaks() fsm.About {
	a := fsm.About{Name: "shelly", User: "the user", Workspace: "/workspace", System: "linux (simulated)"}
	if own := f.About; own != nil {
		a.Persona = own.Persona
		for _, word := range []struct{ to, own *string }{
			{&a.Name, &own.Name}, {&a.User, &own.User}, {&a.Workspace, &own.Workspace}, {&a.System, &own.System},
		} {
			if *word.own != "" {
				*word.to = *word.own
			}
		}
	}
	return a
}

// SkillText returns the text of a loaded skill, or false where the file has none.
func (f *File) SkillText(l Loaded) (string, bool) {
	if l.Text != nil {
		return *l.Text, true
	}
	for _, s := range f.Skills {
		if s.Name != l.Name {
			continue
		}
		if l.Reference == "" {
			return s.Text, true
		}
		return s.References.Get(l.Reference)
	}
	return "", false
}

// Line is the line of the case: in a matrix of rows that of its row.
func (f *File) Line() int {
	return cmp.Or(f.Row(), f.Where("scenario").Line, f.Where("property").Line)
}

// IsProperty reports whether the file is a property: what it has is the setting of the
// cases that are made of it, and their tools.
func (f *File) IsProperty() bool { return f.Where("property").Line > 0 }
