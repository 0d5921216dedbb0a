package comm

import (
	"context"
	"fmt"
	"io"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm/position"
	"shelly/runtime/memory"
)

// Principal is the name of the holder of the daemon's own token.
const Principal = access.Reserved

// Front is what the listeners need from the daemon. Its methods are called from
// many goroutines at once.
type Front interface {
	// Accept returns once the request is durable. The same key with the same body
	// is answered from its record. These errors mean that nothing has happened:
	// engine.ErrBusy, engine.ErrConflict, engine.ErrStopping, engine.ErrNoSpace.
	Accept(ctx context.Context, r Request) (engine.Acceptance, error)
	// Raise returns once the event is durable (COM-10). The daemon sets At. Its errors are
	// those of Accept, except engine.ErrConflict.
	Raise(ctx context.Context, e fsm.EventRaised) error
	// Request returns the record of a request, or false.
	Request(ctx context.Context, key fsm.RequestKey) (engine.Request, bool, error)
	// Watch delivers what happens to an accepted request from now on, after what
	// the watcher has missed: at least an [EventState] that says where the request
	// stands, or for a finished one its [EventReply]. The channel closes after the
	// reply, when ctx ends, or when the daemon stops. A slow watcher loses chunks,
	// never the reply.
	Watch(ctx context.Context, key fsm.RequestKey) (<-chan Event, error)
	// WatchFrom is Watch for a watcher that already has the events up to a position: it gets
	// exactly the rest (COM-90).
	WatchFrom(ctx context.Context, key fsm.RequestKey, after position.Position) (<-chan Event, error)
	// Replied returns the record of an accepted request once it has its reply, or, if the
	// daemon stops first, as it is then. If ctx ends first, it returns ctx's error.
	Replied(ctx context.Context, r engine.Request) (engine.Request, error)
	// Cancel asks to end an unfinished request, and reports whether that changed
	// anything (HND-31). The request still ends with a reply. After engine.ErrNoSpace
	// nothing has happened; so too in the next three methods.
	Cancel(ctx context.Context, key fsm.RequestKey) (taken bool, err error)
	// CancelHandle is Cancel for a handle that is not a request, by its number.
	CancelHandle(ctx context.Context, id fsm.HandleID) (taken bool, err error)
	// Decide passes on a person's decision about a tool call, and reports whether the call
	// was waiting for it (APR-2). The daemon sets At.
	Decide(ctx context.Context, d fsm.Decided) (taken bool, err error)
	// Resolve passes on a person's decision about a held handle, and reports whether the
	// handle was waiting for it (APR-6). The daemon sets At.
	Resolve(ctx context.Context, r fsm.Resolved) (taken bool, err error)
	// Typing says that a person has begun to write a request in a session, named as in a
	// request, and reports whether anything is read ahead for it (HND-72). Its errors are those of Raise.
	Typing(ctx context.Context, session string, from fsm.Origin) (reads bool, err error)
	Approver
	Mailbox
	Scheduler
	// Audit returns the first records of ended tool calls after a position, in order,
	// at most limit and engine.ReadMax of them; without a session, those of every session.
	Audit(ctx context.Context, session string, after uint64, limit int) ([]engine.Audit, error)
	// Recorded returns the journal as far as it is durable now. It can be read from any
	// goroutine.
	Recorded(ctx context.Context) (engine.Reader, error)
	// Standings returns the standings of the unfinished handles, in the order of their
	// admission.
	Standings(ctx context.Context) ([]Standing, error)
	// Backup writes a backup of what is durable (package backup). It blocks nothing else.
	Backup(ctx context.Context, w io.Writer) error
	// Status returns the daemon's status, with Listeners and Clients empty.
	Status(ctx context.Context) Status
}

// Request is a user's request on its way to the daemon.
type Request struct {
	Key     fsm.RequestKey
	Session string
	Origin  fsm.Origin
	Text    string
	Images  [][]byte
	Context []fsm.Message // the sender's own history, in place of the session's (SES-6)
}

// EventType is the type of an [Event].
type EventType string

// The types of event, with the fields that each uses.
const (
	EventAccepted   EventType = "accepted"    // durable: ID; made by the listener
	EventState      EventType = "state"       // the state has changed: State, Inference, Ahead; Decision if that ends a question
	EventQueued     EventType = "queued"      // the place in the queue has changed: Ahead
	EventWaiting    EventType = "waiting"     // Text: what the answer waits for, such as a model that is loading; Again
	EventChunk      EventType = "chunk"       // streamed: Text or Thinking, Purpose, Call, From, ThinkingFrom; Whole: both, in place of what was streamed before
	EventTool       EventType = "tool"        // a tool starts: Tool, Args
	EventOutput     EventType = "output"      // of a running command: Tool, Text; parts may be left out
	EventToolResult EventType = "tool_result" // it has ended: Tool, Text (shortened), Failed; Args where others ran at the same time
	EventQuestion   EventType = "question"    // a person is asked: Question, Handle, Key, Tool, Args, Text (why), Subject, Preview
	EventHeld       EventType = "held"        // the request waits for a person
	EventSubagent   EventType = "subagent"    // one of the request's starts, resumes after a start of shelly, or ends: Handle, State, Called, Text (its task)
	EventDeferred   EventType = "deferred"    // shelly is stopping; the reply comes after the next start
	EventReply      EventType = "reply"       // Text, IsError, Outcome; the last event, once
)

// Event is something that happened to a request.
type Event struct {
	Type      EventType   `json:"type"`
	ID        string      `json:"id,omitempty"`        // the request's
	State     fsm.State   `json:"state,omitempty"`     // of the handle: queued, cognition, …
	Inference fsm.State   `json:"inference,omitempty"` // of the handle's inference: thinking, acting, …
	Label     fsm.State   `json:"label,omitempty"`     // the profile's name of the inference's state, where it has one
	Ahead     int         `json:"ahead,omitempty"`     // how many go first, in state queued
	Purpose   fsm.Purpose `json:"purpose,omitempty"`   // of the model call that streams
	Text      string      `json:"text,omitempty"`
	Thinking  string      `json:"thinking,omitempty"`
	Whole     bool        `json:"whole,omitempty"` // of a chunk: all that the model call has streamed so far (COM-60)
	Call      fsm.CallID  `json:"call,omitempty"`  // of a chunk: the model call that streams it
	From      int         `json:"from,omitempty"`  // of a chunk: where Text begins in that call's text, in bytes
	// ThinkingFrom is where Thinking begins in that call's thoughts, in bytes.
	ThinkingFrom int         `json:"thinking_from,omitempty"`
	Again        fsm.Millis  `json:"again,omitempty"` // when the model is asked again, in how many seconds Text says; absent: it does not
	Tool         string      `json:"tool,omitempty"`  // its name
	Args         string      `json:"args,omitempty"`  // a JSON object, as the model wrote it
	Failed       bool        `json:"failed,omitempty"`
	IsError      bool        `json:"is_error,omitempty"`
	Outcome      fsm.Outcome `json:"outcome,omitempty"`

	Question fsm.Question `json:"question,omitempty"`
	Handle   fsm.HandleID `json:"handle,omitempty"`   // that the question is about, or the subagent's
	Called   string       `json:"called,omitempty"`   // the subagent, by the model that started it
	Key      string       `json:"key,omitempty"`      // names the call that waits; a decision repeats it
	Subject  []string     `json:"subject,omitempty"`  // the arguments that a grant would be about; absent: all (APR-13)
	Preview  string       `json:"preview,omitempty"`  // what the call would do, where the tool can tell (APR-21)
	Decision *Decision    `json:"decision,omitempty"` // of a state that ends a question to a person: how (APR-24)

	// At is the position of a watcher that has got this event. It is not part of the JSON: in
	// an SSE stream it is the event's id.
	At position.Position `json:"-"`
}

// QueuedWords says for a person that a request waits, with so many ahead of it (HND-37). What
// shelly does by itself, such as a summary, is not among them, so there may be none.
func QueuedWords(ahead int) string {
	if ahead == 0 {
		return "queued"
	}
	return fmt.Sprintf("queued, %d ahead", ahead)
}

// Status is a daemon's status.
type Status struct {
	Version   string         `json:"version"`
	Lifecycle fsm.State      `json:"lifecycle"`
	Epoch     int            `json:"epoch"`               // boots so far
	Brain     string         `json:"brain"`               // what answers, and what it is doing, in words
	Model     string         `json:"model,omitempty"`     // that answers; absent: none is chosen yet, or a script answers
	Server    string         `json:"server,omitempty"`    // the model's, an address without path and query (BRN-41); absent: a script answers
	Data      string         `json:"data"`                // the data folder
	Workspace string         `json:"workspace,omitempty"` // the folder that the tools work in
	Tools     []string       `json:"tools,omitempty"`     // that the model is offered
	Approve   []string       `json:"approve,omitempty"`   // those of Tools about whose calls a person decides, each time
	Contained string         `json:"contained,omitempty"` // by what the commands of exec are contained, none: by nothing; absent: exec is not offered
	UptimeMS  int64          `json:"uptime_ms"`
	Waiting   int            `json:"waiting"`            // handles not yet started
	Active    []Active       `json:"active"`             // handles started and not ended
	Ignored   state.Ignored  `json:"ignored"`            // inputs that changed nothing, since the first boot
	Upkeep    *state.Upkeep  `json:"upkeep,omitempty"`   // failing summaries and consolidations; absent: the last one succeeded
	NoSpace   string         `json:"no_space,omitempty"` // that the disk is too full to accept or continue work, in words
	Damage    []string       `json:"damage,omitempty"`   // where the data folder was found damaged since the start, in words
	Journal   Journal        `json:"journal"`
	Texts     *Texts         `json:"texts,omitempty"` // the results that are kept whole; absent: there are none
	Memory    *memory.Counts `json:"memory,omitempty"`
	Listeners Counts         `json:"listeners"`
	Clients   []Connected    `json:"clients,omitempty"` // who is connected; absent: nobody
	Unread    *Unread        `json:"unread,omitempty"`  // messages that nobody has read; absent: there are none

	Queue     []Queued   `json:"queue,omitempty"`     // handles that wait or are parked, in the order of their admission, at most QueueMax
	Schedules []Schedule `json:"schedules,omitempty"` // with their next times
	Heartbeat *Heartbeat `json:"heartbeat,omitempty"` // absent: there is none
	Events    *Watching  `json:"events,omitempty"`    // the sources of events; absent: there are none
	Channels  *Talking   `json:"channels,omitempty"`  // the chat systems; absent: there are none
	MCP       *Borrowed  `json:"mcp,omitempty"`       // the MCP servers; absent: there are none
	Spent     *fsm.Spent `json:"spent,omitempty"`     // by the model since the start; absent: it has answered nothing
	Pace      *fsm.Pace  `json:"pace,omitempty"`      // how fast the model reads, in tokens per second, as far as known
	Disk      *Disk      `json:"disk,omitempty"`
	Process   *Process   `json:"process,omitempty"`
	Decided   []Decided  `json:"decided,omitempty"` // how the latest questions to a person have ended, at most DecidedMax, the newest last (APR-24)
	Errors    []Logged   `json:"errors,omitempty"`  // the last warnings and errors of the log, the newest last
}

// Watching is what the sources of events have done since the start (EVT-14).
type Watching struct {
	Sources int      `json:"sources"`
	Raised  int      `json:"raised"`            // events
	Unsaid  int      `json:"unsaid"`            // changes that were merged into another event, or only counted
	Trouble []string `json:"trouble,omitempty"` // which sources do not work, and why
}

// Talking is what the channels have done since the start (CHN-11).
type Talking struct {
	Channels int      `json:"channels"`
	Received int      `json:"received"`          // requests
	Sent     int      `json:"sent"`              // answers, messages and questions
	Open     int      `json:"open"`              // requests whose answer is not delivered
	Trouble  []string `json:"trouble,omitempty"` // which channels do not work, and why
}

// Borrowed is what the MCP servers offer now (TOL-95).
type Borrowed struct {
	Servers int      `json:"servers"`
	Up      int      `json:"up"`                // of them
	Tools   int      `json:"tools"`             // of all of them; those of a server that is down stay offered
	Trouble []string `json:"trouble,omitempty"` // which servers are not up, and why
}

// Words says for a person how many there are.
func (b *Borrowed) Words() string {
	return fmt.Sprintf("%s, %d up, %s", wording.Count(b.Servers, "server"), b.Up, wording.Count(b.Tools, "tool"))
}

// Journal is what the journal keeps (JRN-20).
type Journal struct {
	First uint64 `json:"first"` // index of the first record that is kept
	Last  uint64 `json:"last"`  // index of the last record
	Bytes int64  `json:"bytes"` // of the records that are kept
}

// Texts counts the long tool results that read_more can continue reading (TXT-2).
type Texts struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Disk is how much shelly keeps on the disk and how much is free, in bytes.
type Disk struct {
	Store   uint64  `json:"store"`
	Free    *uint64 `json:"free,omitempty"`    // absent: unknown
	Reserve uint64  `json:"reserve,omitempty"` // of Free, below which nothing is accepted
}

// Process is the daemon's process.
type Process struct {
	PID      int   `json:"pid"`
	Resident int64 `json:"resident,omitempty"` // bytes of memory; absent: unknown
}

// Logged is a line of the log.
type Logged struct {
	At    fsm.Millis `json:"at"`
	Level string     `json:"level"` // WARN or ERROR
	Text  string     `json:"text"`
	Times int        `json:"times,omitempty"` // how often it was said, but for numbers in it; At and Text are of the last; absent: once
}

// QueueMax is the most waiting handles that a status lists.
const QueueMax = 100

// Queued is a handle that waits for its turn, or for the next start.
type Queued struct {
	Handle  fsm.HandleID `json:"handle"`
	Kind    fsm.Kind     `json:"kind"`
	Session string       `json:"session,omitempty"`
	State   fsm.State    `json:"state"`
	Request string       `json:"request,omitempty"` // its id, of a user's request
	Text    string       `json:"text,omitempty"`    // the beginning of its input
	Why     string       `json:"why"`               // it waits, in words
}

// Active is a handle that holds a slot.
type Active struct {
	Handle    fsm.HandleID `json:"handle,omitempty"`
	Since     fsm.Millis   `json:"since,omitempty"` // when this process started or resumed it
	Waits     string       `json:"waits,omitempty"` // what its answer waits for, in words
	Text      string       `json:"text,omitempty"`  // the beginning of its input
	Kind      fsm.Kind     `json:"kind"`
	Session   string       `json:"session,omitempty"`
	State     fsm.State    `json:"state"`
	Inference fsm.State    `json:"inference,omitempty"`
	Label     fsm.State    `json:"label,omitempty"`   // the profile's name of the inference's state, where it has one
	Request   string       `json:"request,omitempty"` // its id, of a user's request
	Asks      *Ask         `json:"asks,omitempty"`    // what a person is asked about it
}

// Ask is an open question to a person.
type Ask struct {
	Question fsm.Question `json:"question"`
	Handle   fsm.HandleID `json:"handle"`
	Key      string       `json:"key,omitempty"`
	Tool     string       `json:"tool,omitempty"`
	Args     string       `json:"args,omitempty"`
	Text     string       `json:"text,omitempty"`    // why, where the question does not say it
	Subject  []string     `json:"subject,omitempty"` // the arguments that a grant would be about; absent: all (APR-13)
	Preview  string       `json:"preview,omitempty"` // what the call would do, as things stood when the person was asked (APR-21)
}
