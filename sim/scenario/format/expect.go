package format

import (
	"shelly/fsm"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// Expect is what must hold when the case has come to rest (SCN-15).
type Expect struct {
	Replies    *match.Matcher            `key:"replies" of:"reply" list:"yes"`          // the final replies in the order of acceptance: texts, or {id, session, text, is_error, outcome, after: the time since the acceptance}, and where there is a server {sent, read, written, first_word}
	Handle     *HandlePath               `key:"handle"`                                 // the first handle of a request or event
	Handles    []HandlePath              `key:"handles"`                                // chosen handles
	Inference  *InferencePath            `key:"inference"`                              // the first inference of that first handle
	Inferences *match.Matcher            `key:"inferences" of:"inference" list:"paths"` // the paths of all its inferences, the summary's among them
	Memory     *MemoryExpect             `key:"memory"`                                 // what the case added to memory
	World      *match.Matcher            `key:"world"`                                  // what the outside world holds: a map by name
	Sessions   *match.Matcher            `key:"sessions" of:"sessions"`                 // the store of sessions: a map by name of {version, history, pending, skills, archive, ratio}
	MemoryMD   *match.Matcher            `key:"memory_file" of:"text"`                  // MEMORY.md
	HistoryMD  *match.Matcher            `key:"history_file" of:"text" list:"yes"`      // the entries of HISTORY.md, in order
	Messages   *match.Matcher            `key:"messages" of:"sent" list:"yes"`          // what was sent to chats, in order: texts, or {channel, chat, session, text, is_error}
	Questions  *match.Matcher            `key:"questions" of:"question" list:"yes"`     // what a person was asked, in order: approve, unknown or crashes, or {question, id, session, tool, args}
	Audit      *match.Matcher            `key:"audit" of:"audit" list:"yes"`            // the tool calls that were run and have ended, in order: tools, or {tool, args, session, message, result, failed, attempts, duration}
	Tools      strict.ByName[ToolExpect] `key:"tools"`                                  // what happened to stub tools, by name
	Notices    *match.Matcher            `key:"notices" of:"notice" list:"yes"`         // notices and repeated replies, in order: {id, notice, ahead, text}
	Reports    *match.Matcher            `key:"reports" of:"report" list:"yes"`         // words to the operator, in order: texts, or {of, text}
	Refusals   *match.Matcher            `key:"refusals" of:"refusal" list:"yes"`       // requests, events (without an id) and cancels that were not accepted, in order: {id, error}
	Exit       *match.Matcher            `key:"exit" of:"exit"`                         // how the last epoch ended: clean, timeout or forced
	Lifecycle  *LifecyclePath            `key:"lifecycle"`                              // the daemon's life
	Streamed   *match.Matcher            `key:"streamed" of:"chunk" list:"yes"`         // the pieces of streamed answers that clients saw, in order: texts, or {id, session, purpose, text, thinking, at}
	Asked      *match.Matcher            `key:"asked" of:"asked" list:"yes"`            // all model calls, in order: purposes, or {purpose, session, system, messages, last, count, tools, options, tokens}, and where there is a server {sent, read, written, waited, first_word, takes}
	Tokens     *match.Matcher            `key:"tokens" of:"usage"`                      // what the model calls cost on the server: {calls, sent, read, written, least, ratio, takes}, and by session's name the same in sessions
	Trace      []Ordering                `key:"trace"`                                  // orderings over the trace
	Ends       string                    `key:"ends" enum:"down,serving,stopped"`       // the lifecycle's state at rest
	Rests      bool                      `key:"rests"`                                  // (replay) answers alone lead from its end to rest (SIM-9)

	Clock *ClockExpect `key:"clock"` // when the case comes to rest

	// what of the case is held, whole, against the file NAME.golden.yaml beside it (SCN-35); beside asked and trace, prompt and estimates keep what shelly itself says to the model and reckons (SCN-59)
	Golden []string `key:"golden" enum:"replies,notices,messages,questions,audit,reports,asked,paths,trace,memory,sessions,memory_file,history_file,world,prompt,estimates"`
}

// HandlePath is a handle and the states that it goes through. Without kind and
// id it is the first handle of a request or event.
type HandlePath struct {
	Kind       string         `key:"kind" enum:"user,event,init,farewell,system,schedule,subagent,memory"` // the first handle of this kind
	ID         string         `key:"id"`                                                                   // the handle of the request with this id
	Nth        *Count         `key:"nth"`                                                                  // not the first such handle but the n-th
	Path       *match.Matcher `key:"path" of:"handle" list:"yes"`                                          // its states, from queued
	Inferences *match.Matcher `key:"inferences" of:"inference" list:"paths"`                               // the paths of its inferences, the summary's among them
}

// InferencePath is the path of one inference.
type InferencePath struct {
	Path *match.Matcher `key:"path,required" of:"inference" list:"yes"` // its states, from thinking
}

// LifecyclePath is the path of the lifecycle.
type LifecyclePath struct {
	Path *match.Matcher `key:"path,required" of:"lifecycle" list:"yes"` // its states, from down
}

// ClockExpect is when the case comes to rest (SCN-34).
type ClockExpect struct {
	Elapsed *match.Matcher `key:"elapsed" of:"duration"` // virtual time since the first start, as a duration
	At      *match.Matcher `key:"at" of:"time"`          // the wall clock then, as a time in UTC
}

// MemoryExpect is what the case added to memory.
type MemoryExpect struct {
	Entries *match.Matcher `key:"entries,required" of:"entry" list:"counted"` // how many, or a list: summaries, or {summary, text, kind, session, embedded}
}

// ToolExpect is what happened to one stub tool.
type ToolExpect struct {
	Starts *match.Matcher `key:"starts" of:"count"` // how often the world saw it start, again after a crash among them
	Uses   *match.Matcher `key:"uses" of:"count"`   // how many different calls of it were started, however often each
}

// Ordering is one assertion on the order of events. Exactly one of before, in_order,
// count, never and eventually is given.
type Ordering struct {
	Before  []Item   `key:"before"`   // two items: both occur, and the first event of the one is before the first of the other
	InOrder []Item   `key:"in_order"` // all occur, each after the one before it
	Count   *Counted `key:"count"`    // how many events match
	Never   *Item    `key:"never"`    // none does

	Eventually *Item     `key:"eventually"` // an event matches
	After      *Item     `key:"after"`      // (eventually) after each event that matches this; there is one
	Within     *Duration `key:"within"`     // (eventually) no later than this after it, or after the first start
}

// Counted asserts how many events match an item.
type Counted struct {
	Of Item          `key:"of,required"`            // the item
	Is match.Matcher `key:"is,required" of:"count"` // how many: a number or a matcher on it
}

// rename reads former names of the states of inferences as their present ones (INF-30).
func (e *Expect) rename() {
	if e == nil {
		return
	}
	paths := []*match.Matcher{e.Inferences}
	if e.Inference != nil {
		paths = append(paths, e.Inference.Path)
	}
	if e.Handle != nil {
		paths = append(paths, e.Handle.Inferences)
	}
	for i := range e.Handles {
		paths = append(paths, e.Handles[i].Inferences)
	}
	for _, p := range paths {
		if p != nil {
			p.Rename(inferenceState)
		}
	}
}

func inferenceState(name string) string { return string(fsm.InferenceState(fsm.State(name))) }
