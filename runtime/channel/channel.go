package channel

import (
	"context"
	"fmt"
	"time"

	"shelly/runtime/comm"
)

// Channel connects shelly with a chat system. Its methods are called from several goroutines.
type Channel interface {
	// Name is the channel's name, as in its [Spec].
	Name() string
	// Run receives messages and passes them to in until ctx ends. Only one call is active at a
	// time; after it has returned it is called again, after a wait.
	Run(ctx context.Context, in Inbound) error
	// Send returns once the other side has accepted a message. After an error the message is
	// sent again, with the same ID, unless the error is a [Refused]. It is called for one message
	// at a time.
	Send(ctx context.Context, m Outbound) error
}

// Inbound takes what a channel receives.
type Inbound interface {
	// Take returns once a message is durable, or has been dealt with for good: then the other
	// side may forget it. After an error nothing has happened, and the channel must pass the
	// message in again.
	Take(ctx context.Context, m Message) (Taken, error)
	// Typing reports that a sender has begun to write in a chat. It returns at once.
	Typing(chat, sender string)
	// Allows reports whether a sender may talk.
	Allows(sender string) bool
	// Up reports that the channel works, and how, in a few words.
	Up(how string)
	// Returned reports that a message which the other side had accepted has come back. It is lost.
	Returned(chat, id string, err error)
}

// Message is a message on its way in.
type Message struct {
	// ID identifies the message, and stays the same if it is passed in again: 1 to 128 bytes.
	ID     string
	Chat   string // where it was written and is answered: 1 to 128 bytes
	Sender string // who wrote it
	Text   string
}

// Taken is what came of a message.
type Taken struct {
	Refused Refusal
	ID      string // of the request; empty: none
	New     bool   // false: the message was passed in before
	Done    bool   // it is answered
}

// Refusal is why a message did not become a request.
type Refusal string

// The refusals.
const (
	NotRefused Refusal = ""
	NotAllowed Refusal = "not_allowed" // the sender may not talk (CHN-4)
	TooMany    Refusal = "too_many"    // of this sender in a minute (CHN-5)
	TooLong    Refusal = "too_long"    // or too long a name
	Conflict   Refusal = "conflict"    // another message has the id
	Busy       Refusal = "busy"        // too much waits, or too little space is left; only where that can be told in the chat
	Spoken     Refusal = "spoken"      // it was a decision, not a request (CHN-10)
	Closed     Refusal = "closed"      // the same, of a question that is not open
)

// Kind is the kind of an outgoing message.
type Kind string

// The kinds.
const (
	KindAnswer   Kind = "answer"   // of a request that came through the channel
	KindMessage  Kind = "message"  // of a schedule, a subagent, an event, the heartbeat or the tool message
	KindQuestion Kind = "question" // a person is asked for a decision
	KindNotice   Kind = "notice"   // of the channel itself, such as that a message was not accepted
)

// Outbound is an outgoing message, or a part of one.
type Outbound struct {
	// ID is the same each time the message is sent, so that the receiver can drop repeats.
	ID     string
	Kind   Kind
	Chat   string
	Re     string // the id of the message that is answered
	Text   string // at most Spec.PartBytes
	Failed bool   // the answer is an error
	More   bool   // another part follows
	From   comm.Sender
}

// Refused is the error for a message that the other side will never accept. It is not sent
// again.
type Refused struct{ Why string }

func (r *Refused) Error() string { return fmt.Sprintf("it is refused for good: %s", r.Why) }

// Later is the error for a message that the other side wants to get no sooner than after a while.
type Later struct {
	After time.Duration
	Err   error
}

func (l *Later) Error() string { return l.Err.Error() }

// Unwrap returns the reason.
func (l *Later) Unwrap() error { return l.Err }

// OfChat is the error for a message that only its chat has to wait for: the other side works, and
// may accept messages to other chats.
type OfChat struct{ Err error }

func (o *OfChat) Error() string { return o.Err.Error() }

// Unwrap returns the reason.
func (o *OfChat) Unwrap() error { return o.Err }

// Spec is a channel of the configuration.
type Spec struct {
	Name string
	Kind string // "webhook"
	Of   string // what it is connected to, in words
	As   string // its configuration: a channel whose As is unchanged keeps running
	// Channel is the adapter.
	Channel Channel

	Allow     []string // who may talk; a leading * stands for any beginning
	PerMinute int      // messages of one sender
	TextMax   int      // bytes of an incoming message
	PartBytes int      // bytes of an outgoing message
	Mute      bool     // nothing is sent: what is to be delivered counts as delivered
	Tells     bool     // refusals are written into the chat, because the protocol has no other place for them
	Decide    bool     // questions are answered in the chat (CHN-10)
	// Person returns a chat's name as the sender of its messages is named in Allow. Only persons who
	// may talk are written to (CHN-9). Nil: a chat is not a person.
	Person func(chat string) string
}
