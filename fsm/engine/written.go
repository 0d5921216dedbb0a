package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"shelly/fsm"
)

// ReadMax is the most that one call of [Journal.Messages] or [Journal.Audit]
// returns, whatever it is asked for.
const ReadMax = 256

// Message is a text sent to a chat, written in the batch of the step that sent it and so is
// exactly as durable as the step. It is in the journal once: a step that is folded again
// writes nothing.
type Message struct {
	// Position grows from message to message. It is made from the index of the step and the
	// message's place in it; see [PositionOf].
	Position uint64     `json:"position"`
	At       fsm.Millis `json:"at"`
	fsm.SendMessage
}

// IsTo reports whether a message is to a chat; an origin without a chat means every chat
// of its channel, one with neither every chat of all channels.
func (m Message) IsTo(to fsm.Origin) bool {
	return to == fsm.Origin{} || m.To.Channel == to.Channel && (to.Chat == "" || m.To.Chat == to.Chat)
}

// Audit is the record of a tool call that has ended, written as a [Message] is. Positions
// of messages and of audit records are independent.
type Audit struct {
	Position uint64     `json:"position"`
	At       fsm.Millis `json:"at"`
	fsm.Audit
}

// placeBits is how many bits of a position are the place in its step: no step sends more
// than a few times max_calls_per_answer.
const placeBits = 16

// PositionOf returns the position of the n-th message or audit record, from 0, that the
// step at index has written.
func PositionOf(index uint64, n int) uint64 { return index<<placeBits | uint64(n) }

// LastOf returns the last position that the step at index can have given.
func LastOf(index uint64) uint64 { return PositionOf(index+1, 0) - 1 }

// IndexOf returns the index of the step that wrote what is at a position.
func IndexOf(position uint64) uint64 { return position >> placeBits }

// Messages returns what the step sends, as the journal holds it.
func (s Step) Messages() []Message {
	var sent []Message
	for _, e := range s.Effects {
		if e, ok := e.(fsm.SendMessage); ok {
			sent = append(sent, Message{Position: PositionOf(s.Index, len(sent)), At: s.Input.At, SendMessage: e})
		}
	}
	return sent
}

// audit returns the step's records of tool calls that have ended.
func (s Step) audit() []Audit {
	var ended []Audit
	for _, e := range s.Effects {
		if e, ok := e.(fsm.Audit); ok {
			ended = append(ended, Audit{Position: PositionOf(s.Index, len(ended)), At: s.Input.At, Audit: e})
		}
	}
	return ended
}

// bodyHash returns a hash of what a request brings besides its text, its images and its own
// history, or "" if there is neither.
func bodyHash(in fsm.Requested) (string, error) {
	if len(in.Images) == 0 && len(in.Context) == 0 {
		return "", nil
	}
	data, err := json.Marshal(struct {
		Images  [][]byte
		Context []fsm.Message
	}{in.Images, in.Context})
	if err != nil {
		return "", fmt.Errorf("encode the body of request %q: %w", in.Request.ID, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
