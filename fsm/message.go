package fsm

import (
	"cmp"
	"slices"
)

// Belongs returns the session and the origin of a request that names them or not: one that
// says neither where it belongs nor where it comes from is of cli:direct (SES-1).
func Belongs(session string, from Origin) (string, Origin) {
	if from == (Origin{}) {
		from = Origin{Channel: "cli", Chat: "direct"}
	}
	return cmp.Or(session, from.Key()), from
}

// Role says who speaks in a message.
type Role string

// The roles of Ollama's chat API.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// ToolCall is one call that the model asked for.
type ToolCall struct {
	ID   string `json:"id,omitempty"` // the model's own id, echoed with the result; may be empty
	Name string `json:"name"`
	Args string `json:"args"`           // a JSON object, in the model's own key order
	Text bool   `json:"text,omitempty"` // the model wrote it as text (INF-25)
}

// Message is one entry of a conversation.
type Message struct {
	Role     Role       `json:"role"`
	Text     string     `json:"text,omitempty"`
	Thinking string     `json:"thinking,omitempty"`  // assistant only
	Calls    []ToolCall `json:"calls,omitempty"`     // assistant only
	Tool     string     `json:"tool,omitempty"`      // tool only: the tool's name
	ToolCall string     `json:"tool_call,omitempty"` // tool only: the model's id of the call answered
	Images   [][]byte   `json:"images,omitempty"`    // user only
	Aside    bool       `json:"aside,omitempty"`     // user only: said by the machine, and no part of a history
	Part     Part       `json:"part,omitzero"`       // tool only: what of a kept result it shows
	Used     []string   `json:"used,omitempty"`      // assistant only, in a history: the tools the turn used
	Source   Source     `json:"source,omitzero"`     // where the text came from
}

// Begins reports whether a turn begins with a message.
func (m *Message) Begins() bool { return m.Role == RoleUser && !m.Aside }

// Conversation is an append-only list of messages with a running hash. Messages
// once added are never changed, so effects may share them.
type Conversation struct {
	Messages []Message `json:"messages,omitempty"`
	Hash     uint64    `json:"hash,omitempty"`
	Tokens   int       `json:"tokens,omitempty"` // the estimate of all of them (CTX-1)

	hashes []uint64 // the running hash with each message; none in one that was decoded (HashAt)
}

// Add returns c with msgs after it. The receiver's messages stay as they are.
func (c Conversation) Add(msgs ...Message) Conversation {
	if len(c.hashes) < len(c.Messages) {
		c.hashes = runningHashes(c.Messages)
	}
	for _, msg := range msgs {
		c.Messages = append(c.Messages, msg)
		h := NewHasher(c.Hash)
		h.Message(msg)
		c.Hash = h.Sum()
		c.hashes = append(c.hashes, c.Hash)
		c.Tokens += MessageTokens(msg)
	}
	return c
}

// Again returns the conversation made anew of its messages, some of whose texts were
// replaced.
func (c Conversation) Again() Conversation { return Conversation{}.Add(c.Messages...) }

// Fork returns a conversation that shares c's messages but appends elsewhere.
func (c Conversation) Fork() Conversation {
	c.Messages, c.hashes = slices.Clip(c.Messages), slices.Clip(c.hashes)
	return c
}

// HashAt is the running hash of the first n messages, which are hashed again only in a
// conversation that was decoded.
func (c Conversation) HashAt(n int) uint64 {
	switch {
	case n == 0:
		return 0
	case len(c.hashes) == len(c.Messages):
		return c.hashes[n-1]
	default:
		return runningHashes(c.Messages[:n])[n-1]
	}
}

// Equal reports whether two conversations are the same, whether or not their hashes are
// at hand.
func (c Conversation) Equal(o Conversation) bool {
	return c.Hash == o.Hash && c.Tokens == o.Tokens && slices.Equal(runningHashes(c.Messages), runningHashes(o.Messages))
}

// runningHashes is the running hash with each message.
func runningHashes(msgs []Message) []uint64 {
	hashes := make([]uint64, len(msgs))
	var last uint64
	for i := range msgs {
		h := NewHasher(last)
		h.Message(msgs[i])
		last = h.Sum()
		hashes[i] = last
	}
	return hashes
}

// Joined is the sources of all of some messages.
func Joined(msgs []Message) (all Source) {
	for i := range msgs {
		all |= msgs[i].Source
	}
	return all
}
