package comm

import (
	"context"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Front is what the listeners need of the daemon. Its methods are called from
// many goroutines at once.
type Front interface {
	// Accept returns once the request is durable. The same key with the same body
	// is answered from its record. Errors to tell apart, each meaning that nothing
	// has happened: engine.ErrBusy, engine.ErrConflict, engine.ErrStopping,
	// engine.ErrNoSpace.
	Accept(ctx context.Context, r Request) (engine.Acceptance, error)
	// Raise returns once the event is durable (COM-10). At is left to the daemon. Errors
	// as those of Accept, but for the conflict.
	Raise(ctx context.Context, e fsm.EventRaised) error
	// Request returns the record of a request, or false.
	Request(ctx context.Context, key fsm.RequestKey) (engine.Request, bool, error)
	// Watch delivers what happens to an accepted request from now on, behind what
	// the watcher has missed: at least an [EventState] that says where the request
	// stands, or for a finished one its [EventReply]. The channel closes after the
	// reply, when ctx ends, or when the daemon stops. A slow watcher loses chunks,
	// never the reply.
	Watch(ctx context.Context, key fsm.RequestKey) (<-chan Event, error)
	// Status returns how the daemon is, Listeners left empty.
	Status(ctx context.Context) Status
}

// Request is a user's request on its way to the daemon.
type Request struct {
	Key     fsm.RequestKey
	Session string
	Text    string
}

// EventType says what an [Event] tells.
type EventType string

// The types of event, with the fields that each uses.
const (
	EventAccepted   EventType = "accepted"    // durable: ID; made by the listener
	EventState      EventType = "state"       // State, Inference, Ahead
	EventChunk      EventType = "chunk"       // streamed: Text or Thinking, Purpose
	EventTool       EventType = "tool"        // a tool starts: Tool, Args
	EventToolResult EventType = "tool_result" // it has ended: Tool, Text (shortened), Failed
	EventDeferred   EventType = "deferred"    // shelly goes down; the reply comes after the next start
	EventReply      EventType = "reply"       // Text, IsError; the last event, once
)

// Event is something that happened to a request.
type Event struct {
	Type      EventType   `json:"type"`
	ID        string      `json:"id,omitempty"`        // the request's
	State     fsm.State   `json:"state,omitempty"`     // of the handle: queued, cognition, …
	Inference fsm.State   `json:"inference,omitempty"` // of the handle's inference: thinking, acting, …
	Ahead     int         `json:"ahead,omitempty"`     // how many go first, in state queued
	Purpose   fsm.Purpose `json:"purpose,omitempty"`   // of the model call that streams
	Text      string      `json:"text,omitempty"`
	Thinking  string      `json:"thinking,omitempty"`
	Tool      string      `json:"tool,omitempty"` // its name
	Args      string      `json:"args,omitempty"` // a JSON object, as the model wrote it
	Failed    bool        `json:"failed,omitempty"`
	IsError   bool        `json:"is_error,omitempty"`
}

// Status tells how a daemon is.
type Status struct {
	Version   string      `json:"version"`
	Lifecycle fsm.State   `json:"lifecycle"`
	Epoch     int         `json:"epoch"` // boots so far
	Brain     string      `json:"brain"` // what answers, in words
	Data      string      `json:"data"`  // the data folder
	UptimeMS  int64       `json:"uptime_ms"`
	Waiting   int         `json:"waiting"` // handles not yet started
	Active    []Active    `json:"active"`  // handles started and not ended
	Ignored   fsm.Ignored `json:"ignored"` // inputs that changed nothing, since the first boot
	Listeners Counts      `json:"listeners"`
}

// Active is a handle that holds a slot.
type Active struct {
	Kind      fsm.Kind  `json:"kind"`
	State     fsm.State `json:"state"`
	Inference fsm.State `json:"inference,omitempty"`
	Request   string    `json:"request,omitempty"` // its id, of a user's request
}
