package fsm

import "cmp"

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
	Used     []string   `json:"used,omitempty"`      // assistant only, in a history: the tools the turn used
}

// Conversation is an append-only list of messages with a running hash. Messages
// once added are never changed, so effects may share them.
type Conversation struct {
	Messages []Message `json:"messages,omitempty"`
	Hash     uint64    `json:"hash,omitempty"`
	Tokens   int       `json:"tokens,omitempty"` // the estimate of all of them (CTX-1)
}

// Add returns c with msgs after it. The receiver's messages stay as they are.
func (c Conversation) Add(msgs ...Message) Conversation {
	for _, msg := range msgs {
		c.Messages = append(c.Messages, msg)
		h := NewHasher(c.Hash)
		h.Message(msg)
		c.Hash = h.Sum()
		c.Tokens += MessageTokens(msg)
	}
	return c
}

// Again returns the conversation made anew of its messages, some of whose texts were
// replaced.
func (c Conversation) Again() Conversation { return Conversation{}.Add(c.Messages...) }

// Fork returns a conversation that shares c's messages but appends elsewhere.
func (c Conversation) Fork() Conversation {
	c.Messages = c.Messages[:len(c.Messages):len(c.Messages)]
	return c
}
