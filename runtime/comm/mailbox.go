package comm

import (
	"context"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/inbox"
)

// Mailbox is a [Front] that has messages to chats. An origin without a chat means every chat
// of its channel; one without either means every chat of every channel.
type Mailbox interface {
	// Messages returns the first messages after a position, in order, at most limit and
	// engine.ReadMax of them.
	Messages(ctx context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error)
	// Listen returns a channel that gets a value whenever there may be new messages, and a
	// first one immediately. It closes when ctx ends or the daemon stops.
	Listen(ctx context.Context, to fsm.Origin) <-chan struct{}
	// Inbox returns the inbox, which knows which messages have been read.
	Inbox() *inbox.Inbox
	// Read records durably up to where a person has read chats (COM-50). After
	// engine.ErrNoSpace nothing has happened.
	Read(ctx context.Context, marks []inbox.Mark) error
	// Unread returns how many messages are unread.
	Unread(ctx context.Context) (Unread, error)
}

// Unread counts the messages that a person has not read yet.
type Unread struct {
	Messages int        `json:"messages"`
	More     bool       `json:"more,omitempty"`  // there are more than these
	Since    fsm.Millis `json:"since,omitempty"` // when the first of them was sent
}

// Count returns an inbox's [Unread].
func Count(b *inbox.Inbox, read func(after uint64) ([]engine.Message, error)) (Unread, error) {
	n, since, err := b.Count(read)
	return Unread{Messages: n, More: n == inbox.UnreadMax, Since: since}, err
}

// Message is a message as a client gets it.
type Message struct {
	engine.Message
	From   Sender `json:"from"`
	Unread bool   `json:"unread,omitempty"`
}

// Sender is what sent a message.
type Sender string

// The senders.
const (
	FromSchedule Sender = "schedule"  // the answer of a schedule's run
	FromSubagent Sender = "subagent"  // the answer to a subagent's report
	FromEvent    Sender = "event"     // the answer to an event (HND-63)
	FromBeat     Sender = "heartbeat" // the answer to a beat, or a greeting (EVT-23)
	FromTool     Sender = "message"   // the tool message
)

// NewMessage is a message on the wire.
func NewMessage(m engine.Message, unread bool) Message {
	from, answer := FromTool, m.Handle.Entry()
	switch {
	case m.Key == answer+fsm.BeatKey:
		from = FromBeat
	case m.Key != answer && m.Key != answer+fsm.LaterKey: // only an answer, or the word that it comes later, has its handle's entry as its key
	case m.Schedule != "", strings.HasPrefix(m.Session, state.ScheduleSession("")):
		from = FromSchedule
	case strings.HasPrefix(m.Session, "event:"):
		from = FromEvent
	default:
		from = FromSubagent
	}
	return Message{m, from, unread}
}

// MessagesBody is the answer to GET /v1/messages, oldest first.
type MessagesBody struct {
	Messages []Message `json:"messages"`
}
