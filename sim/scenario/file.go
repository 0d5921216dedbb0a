package scenario

import "shelly/fsm"

// File is one loaded scenario (SCN-1). Its fields are the keys of the format.
type File struct {
	Version   int          `key:"scenario,required"` // the format's version: 1
	Name      string       `key:"name,required"`     // what the case shows, in a few words
	Covers    []string     `key:"covers"`            // ids of the rules of SPEC.md that the case shows
	Tags      []string     `key:"tags"`              // words to select cases by
	Profile   string       `key:"profile"`           // a named preset of limits and prompts: shelly
	Config    *Config      `key:"config"`            // single limits that differ from the profile's
	Clock     *Clock       `key:"clock"`             // the virtual clock
	Tools     Map[Entries] `key:"tools"`             // stub tools by name, in the order in which the model is offered them
	Embed     *Embedding   `key:"embedding"`         // off, or how the embedding model fails
	Memory    []Memory     `key:"memory"`            // what memory holds before the first start
	Script    []Line       `key:"brain"`             // what the model says to requests and events, one entry a call, in order
	ScriptFor *ScriptFor   `key:"brain_for"`         // what the model says to calls for another purpose
	Strict    bool         `key:"strict"`            // an unscripted summary, init or farewell fails the case
	Timeline  []Moment     `key:"timeline"`          // what happens when
	Crash     Crashes      `key:"crash"`             // where the process dies
	Expect    *Expect      `key:"expect"`            // what must hold at the end
	Always    []Item       `key:"always"`            // every event of the trace that has an item's keys matches it
	Never     []Item       `key:"never"`             // no event of the trace matches an item

	path   string
	source []byte
	where  map[string]Pos // of every key and list entry, by its path; only looked up
}

// Config sets single limits. Durations are written as 300s or 1.5s.
type Config struct {
	Init               string    `key:"init" enum:"every_start,off"` // when the initial inference runs
	MaxToolRounds      *Count    `key:"max_tool_rounds"`             // rounds that ran tools, in one inference
	MaxCognitionRounds *Count    `key:"max_cognition_rounds"`        // inferences of one handle's cognition
	RecallTopK         *Count    `key:"recall_top_k"`                // entries of one recall
	MaxCallsPerAnswer  *Count    `key:"max_calls_per_answer"`        // tool calls run of one answer
	MaxStoreAttempts   *Count    `key:"max_store_attempts"`          // tries to store one memory entry
	MaxQueue           *Count    `key:"max_queue"`                   // handles not yet started
	InitTimeout        *Duration `key:"init_timeout"`                // the initial inference, memory included
	HandleTimeout      *Duration `key:"handle_timeout"`              // one request or event, memory included
	ShutdownTimeout    *Duration `key:"shutdown_timeout"`            // the farewell, memory included
	Grace              *Duration `key:"grace"`                       // wait for active handles at shutdown
	AbortTimeout       *Duration `key:"abort_timeout"`               // wait for an aborted tool to stop
}

// Clock is the virtual clock.
type Clock struct {
	Start Time `key:"start,required"` // when the process first starts, such as "2026-01-05T09:00:00Z"
}

// Entries are what a stub tool does, one entry a call, in order. An empty list
// declares a tool that nobody may call.
type Entries []Entry

// Entry is one answer of a stub tool. At most one of returns, fails, hangs, deaf
// and started_then_lost is given; without any the tool returns nothing.
type Entry struct {
	Args     *Matcher `key:"args"`                                  // what the tool is called with
	Returns  *string  `key:"returns"`                               // its result
	Fails    *Failing `key:"fails"`                                 // it answers that it failed
	Hangs    bool     `key:"hangs"`                                 // it answers only when it is aborted
	Deaf     bool     `key:"deaf"`                                  // it does not even stop when it is aborted
	Lost     bool     `key:"started_then_lost"`                     // it does what it does, but its answer never comes
	Takes    Duration `key:"takes"`                                 // how long until it answers
	Times    *Count   `key:"times"`                                 // how many calls the entry is for; 1 unless given
	Effects  string   `key:"effects" enum:"none,idempotent,unsafe"` // what starting it twice would do; the same in all entries of a tool, unsafe unless given
	Optional bool     `key:"optional"`                              // it is no failure if nobody calls
}

// Failing is a text, or a code and a message.
type Failing struct {
	Code    string `key:"code,required"` // one word for the failure
	Message string `key:"message"`       // what went wrong
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

// ScriptFor scripts the model calls that do not answer a request or an event
// (SCN-3, SCN-4).
type ScriptFor struct {
	Init     []Line `key:"init"`     // the initial inference; one that is begun anew after a crash gets the same lines
	Summary  []Line `key:"summary"`  // the summary behind each answer
	Farewell []Line `key:"farewell"` // the farewell; the same holds
}

// Line is one answer of the model. A line says, calls, needs or fails in one way;
// says and calls may stand together.
type Line struct {
	Sees     *Sees         `key:"sees"`                // what the model must have been sent; an assertion, not a selector
	Says     *string       `key:"says"`                // the answer's text
	Calls    []Call        `key:"calls"`               // the tools that it asks for, in order
	Needs    *string       `key:"needs"`               // an information need: the text "NEED: …"
	Thinks   string        `key:"thinks"`              // its thinking, which is no part of the answer
	Quotes   string        `key:"quotes" enum:"last"`  // the text ends with the last message that the model was sent
	Stops    string        `key:"stops" enum:"length"` // the answer is cut at the token limit
	Fails    *BrainFailing `key:"fails"`               // the call fails
	Hangs    bool          `key:"hangs"`               // no answer comes
	Empty    bool          `key:"empty"`               // the answer is empty
	Cut      bool          `key:"cut"`                 // the stream ends without its last line: class cut_stream
	Garbage  string        `key:"garbage"`             // the answer cannot be read: class garbage
	Takes    Duration      `key:"takes"`               // how long until it answers
	Optional bool          `key:"optional"`            // it is no failure if nobody asks
}

// Call is a tool call that the model asks for.
type Call struct {
	Tool string `key:"tool,required"` // the tool's name
	Args Args   `key:"args"`          // its arguments; {} unless given
	ID   string `key:"id"`            // the model's own id of the call
}

// BrainFailing is a failed model call.
type BrainFailing struct {
	Code    fsm.BrainClass `key:"code,required"` // the class of the failure
	Message string         `key:"message"`       // what the server reports
}

// Sees asserts what the model was sent (SCN-5).
type Sees struct {
	Last     *Matcher `key:"last"`     // the last message: {role, text, …}
	Messages *Matcher `key:"messages"` // all messages, the system prompt among them
	System   *Matcher `key:"system"`   // the system prompt
	Tools    *Matcher `key:"tools"`    // the names of the tools offered
}

// Moment is one entry of the timeline (SCN-6). Exactly one thing happens at it.
type Moment struct {
	At        Duration `key:"at"`                       // when, after the first start; at once unless given
	User      *string  `key:"user"`                     // a request with this text
	Session   string   `key:"session"`                  // (user) the request's session
	Channel   string   `key:"channel"`                  // (user) the channel it comes through
	ID        string   `key:"id"`                       // (user) the sender's id of it
	Event     *Event   `key:"event"`                    // a system event
	Again     bool     `key:"duplicate_last"`           // the last request is sent again, to the letter
	Shutdown  string   `key:"shutdown" enum:"TERM,INT"` // a signal
	Start     bool     `key:"start"`                    // the process starts again after it has stopped
	Store     *Outage  `key:"store"`                    // how storing memory goes from now on
	Recall    *Outage  `key:"recall"`                   // how recalling memory goes from now on
	Embedding *Outage  `key:"embedding"`                // how embedding goes from now on
}

// Event is a system event.
type Event struct {
	Source  string `key:"source,required"` // who saw it: disk, http, …
	Kind    string `key:"kind,required"`   // what happened: full, failed, …
	Subject string `key:"subject"`         // what it is about: /var, a unit's name, …
	Detail  string `key:"detail"`          // more words on it
}

// Outage says how a part of the world behaves. Exactly one of fails, hangs and
// works is given, or takes alone.
type Outage struct {
	Fails string   `key:"fails"` // it fails so
	Hangs bool     `key:"hangs"` // no answer comes
	Works bool     `key:"works"` // it works again
	Takes Duration `key:"takes"` // how long it takes
}

// Crashes is one crash or a list of them.
type Crashes []Crash

// Crash kills the process at a point and starts it again (SCN-7).
type Crash struct {
	At      string    `key:"at,required"`   // journal.before_append, journal.after_append, effect.before, effect.after, step.N, or $every: once for every point there is
	Nth     *Count    `key:"nth"`           // the n-th time the point is met; 1 unless given
	Effect  string    `key:"effect"`        // (effect points) only effects of this kind count, such as run_tool
	Restart *Duration `key:"restart_after"` // how long the process is down; 1s unless given
}

// Expect is what must hold when the case has come to rest.
type Expect struct {
	Replies    *Matcher        `key:"replies"`                          // the final replies in the order of acceptance: texts, or {id, session, text, is_error}
	Handle     *HandlePath     `key:"handle"`                           // the first handle of a request or event
	Handles    []HandlePath    `key:"handles"`                          // chosen handles
	Inference  *InferencePath  `key:"inference"`                        // the first inference of that first handle
	Inferences *Matcher        `key:"inferences"`                       // the paths of all its inferences, the summary's among them
	Memory     *MemoryExpect   `key:"memory"`                           // what the case added to memory
	Tools      Map[ToolExpect] `key:"tools"`                            // what happened to stub tools, by name
	Notices    *Matcher        `key:"notices"`                          // notices and repeated replies, in order: {id, notice, text}
	Reports    *Matcher        `key:"reports"`                          // words to the operator, in order: texts, or {of, text}
	Refusals   *Matcher        `key:"refusals"`                         // requests that were not accepted, in order: {id, error}
	Exit       *Matcher        `key:"exit"`                             // how the last epoch ended: clean, timeout or forced
	Lifecycle  *LifecyclePath  `key:"lifecycle"`                        // the daemon's life
	Asked      *Matcher        `key:"asked"`                            // all model calls, in order: purposes, or {purpose, session, last, messages, tools}
	Trace      []Ordering      `key:"trace"`                            // orderings over the trace
	Ends       string          `key:"ends" enum:"down,serving,stopped"` // the lifecycle's state at rest
}

// HandlePath is a handle and the states that it goes through. Without kind and
// id it is the first handle of a request or event.
type HandlePath struct {
	Kind       string   `key:"kind" enum:"user,event,init,farewell"` // the first handle of this kind
	ID         string   `key:"id"`                                   // the handle of the request with this id
	Nth        *Count   `key:"nth"`                                  // not the first such handle but the n-th
	Path       *Matcher `key:"path"`                                 // its states, from queued
	Inferences *Matcher `key:"inferences"`                           // the paths of its inferences, the summary's among them
}

// InferencePath is the path of one inference.
type InferencePath struct {
	Path *Matcher `key:"path,required"` // its states, from thinking
}

// LifecyclePath is the path of the lifecycle.
type LifecyclePath struct {
	Path *Matcher `key:"path,required"` // its states, from down
}

// MemoryExpect is what the case added to memory.
type MemoryExpect struct {
	Entries *Matcher `key:"entries,required"` // how many, or a list: summaries, or {summary, text, kind, session, embedded}
}

// ToolExpect is what happened to one stub tool.
type ToolExpect struct {
	Starts *Matcher `key:"starts,required"` // how often it was started
}

// Ordering is one assertion on the order of events. Exactly one key is given.
type Ordering struct {
	Before  []Item   `key:"before"`   // two items: both occur, and the first event of the one is before the first of the other
	InOrder []Item   `key:"in_order"` // all occur, each behind the one before it
	Count   *Counted `key:"count"`    // how many events match
	Never   *Item    `key:"never"`    // none does
}

// Counted asserts how many events match an item.
type Counted struct {
	Of Item    `key:"of,required"` // the item
	Is Matcher `key:"is,required"` // how many: a number or a matcher on it
}
