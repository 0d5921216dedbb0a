package channel

import (
	"context"
	"fmt"

	"shelly/runtime/comm"
)

// Channel is a way to and from a chat system. Its methods are called from several goroutines.
type Channel interface {
	// Name is the channel's name, that of [Spec].
	Name() string
	// Run brings messages until ctx ends. It is called once at a time; when it has returned it is
	// called again, after a wait.
	Run(ctx context.Context, in Inbound) error
	// Send returns once the other side has taken a message. After an error it is sent again, with
	// the same ID, unless the error is a [Refused]. It is called for one message at a time.
	Send(ctx context.Context, m Outbound) error
}

// Inbound is where a channel brings what it hears.
type Inbound interface {
	// Take returns once a message is durable, or has been dealt with for good: the other side may
	// forget it. After an error nothing has happened, and the message is to be brought again.
	Take(ctx context.Context, m Message) (Taken, error)
	// Allows reports whether a sender may talk.
	Allows(sender string) bool
	// Up says that the channel works, and how, in a few words.
	Up(how string)
}

// Message is a message on its way in.
type Message struct {
	// ID is the message's own, and the same when it is brought again: 1 to 128 bytes.
	ID     string
	Chat   string // that it was written in, and that is answered: 1 to 128 bytes
	Sender string // who wrote it
	Text   string
}

// Taken says what became of a message.
type Taken struct {
	Refused Refusal
	ID      string // of the request; empty: there is none
	New     bool   // false: the message was brought before
	Done    bool   // it is answered
}

// Refusal is why no request was made of a message.
type Refusal string

// The refusals.
const (
	NotRefused Refusal = ""
	NotAllowed Refusal = "not_allowed" // the sender may not talk (CHN-4)
	TooMany    Refusal = "too_many"    // of this sender in a minute (CHN-5)
	TooLong    Refusal = "too_long"    // or too long a name
	Conflict   Refusal = "conflict"    // another message has the id
	Busy       Refusal = "busy"        // too much waits, or too little space is left; only where that can be told in the chat
	Spoken     Refusal = "spoken"      // it was a decision, which is no request (CHN-10)
)

// Kind is what a message on its way out is.
type Kind string

// The kinds.
const (
	KindAnswer   Kind = "answer"   // of a request that came through the channel
	KindMessage  Kind = "message"  // of a schedule, a subagent, an event, the heartbeat or the tool message
	KindQuestion Kind = "question" // a person is asked for a decision
	KindNotice   Kind = "notice"   // of the channel itself, such as that a message was not taken
)

// Outbound is a message on its way out, or a part of one.
type Outbound struct {
	// ID is the same each time that the message is sent, so that who gets it can drop a repeat.
	ID     string
	Kind   Kind
	Chat   string
	Re     string // the id of the message that is answered
	Text   string // at most Spec.PartBytes
	Failed bool   // the answer is an error
	More   bool   // another part follows
	From   comm.Sender
}

// Refused is the error of a message that the other side will never take. It is not sent again.
type Refused struct{ Why string }

func (r *Refused) Error() string { return fmt.Sprintf("it is refused for good: %s", r.Why) }

// Spec is a channel of the configuration.
type Spec struct {
	Name string
	Kind string // "webhook"
	Of   string // what it is connected to, in words
	As   string // its configuration: of two that are alike, the first goes on
	// Channel is the adapter.
	Channel Channel

	Allow     []string // who may talk; a leading * stands for any beginning
	PerMinute int      // messages of one sender
	TextMax   int      // bytes of a message on its way in
	PartBytes int      // of a message on its way out
	Tells     bool     // who is refused hears of it in the chat; the other side cannot be told otherwise
	Persons   bool     // a chat is a person's, and nobody is written to who may not talk (CHN-9)
	Decide    bool     // questions are answered in the chat (CHN-10)
}
