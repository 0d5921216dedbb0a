package fsm

import (
	"encoding/json"
	"slices"
)

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
	Aside    bool       `json:"aside,omitempty"`     // user only: said by the machine, and not part of a history
	Part     Part       `json:"part,omitzero"`       // tool only: the part of a kept result that it shows
	Used     []string   `json:"used,omitempty"`      // assistant only, in a history: the tools the turn used
	Source   Source     `json:"source,omitzero"`     // where the text came from
}

// Begins reports whether a turn begins with a message.
func (m *Message) Begins() bool { return m.Role == RoleUser && !m.Aside }

// ByPerson reports whether a message is what a person said: events, reports and beats reach
// the model as if from its user, too. A message of unknown source counts as a person's.
func (m *Message) ByPerson() bool {
	return m.Begins() && (m.Source == 0 || m.Source == FromPerson)
}

// Conversation is an append-only list of messages with a running hash. Messages
// once added are never changed, so effects may share them.
type Conversation struct {
	Messages []Message `json:"messages,omitempty"`
	Hash     uint64    `json:"hash,omitempty"`
	Tokens   int       `json:"tokens,omitempty"` // the estimate of all of them (CTX-1)

	hashes []uint64 // the running hash after each message; nil if it was decoded (HashAt)
}

// turnMessages is how many messages there is room for after those that a turn begins with.
const turnMessages = 8

// Add returns c with msgs after it. The receiver's messages stay as they are.
func (c Conversation) Add(msgs ...Message) Conversation {
	if len(c.hashes) < len(c.Messages) {
		c.hashes = runningHashes(c.Messages)
	}
	switch n := len(c.Messages); {
	case len(msgs) > 1:
		c = c.grow(len(msgs) + turnMessages)
	case turnMessages/2 <= n && n < turnMessages && n == cap(c.Messages):
		c = c.grow(turnMessages) // a turn that has come so far has more calls
	}
	c.Messages = append(c.Messages, msgs...)
	return c.counting(msgs)
}

// Of returns the conversation of messages that nobody changes any more, without copying them.
func Of(msgs []Message) Conversation {
	c := Conversation{Messages: slices.Clip(msgs), hashes: make([]uint64, 0, len(msgs))}
	return c.counting(msgs)
}

// counting returns c with the hashes and the estimate of its last messages.
func (c Conversation) counting(msgs []Message) Conversation {
	for i := range msgs {
		h := NewHasher(c.Hash)
		h.Message(msgs[i])
		c.Hash = h.Sum()
		c.hashes = append(c.hashes, c.Hash)
		c.Tokens += MessageTokens(msgs[i])
	}
	return c
}

// Counted returns a conversation that only has a size: the estimate of lists of messages,
// but not the messages.
func Counted(lists ...[]Message) (c Conversation) {
	for _, list := range lists {
		for i := range list {
			c.Tokens += MessageTokens(list[i])
		}
	}
	return c
}

// Again returns the conversation rebuilt from its messages, after some of their texts were
// replaced.
func (c Conversation) Again() Conversation { return Conversation{}.Add(c.Messages...) }

// grow returns c with room for n messages more.
func (c Conversation) grow(n int) Conversation {
	c.Messages, c.hashes = slices.Grow(c.Messages, n), slices.Grow(c.hashes, n)
	return c
}

// With returns a fork of c with one message after it, and room for no other.
func (c Conversation) With(msg Message) Conversation {
	messages, hashes := make([]Message, 0, len(c.Messages)+1), make([]uint64, 0, len(c.hashes)+1)
	c.Messages, c.hashes = append(messages, c.Messages...), append(hashes, c.hashes...)
	return c.Add(msg)
}

// Fork returns a conversation that shares c's messages but appends elsewhere.
func (c Conversation) Fork() Conversation {
	c.Messages, c.hashes = slices.Clip(c.Messages), slices.Clip(c.hashes)
	return c
}

// HashAt returns the running hash of the first n messages. It hashes them again only if the
// conversation was decoded.
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
// known.
func (c Conversation) Equal(o Conversation) bool {
	return c.Hash == o.Hash && c.Tokens == o.Tokens && slices.Equal(runningHashes(c.Messages), runningHashes(o.Messages))
}

// runningHashes returns the running hash after each message.
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

// Joined returns the sources of all messages together.
func Joined(msgs []Message) (all Source) {
	for i := range msgs {
		all |= msgs[i].Source
	}
	return all
}

// Source says where a text came from (MSG-1): a set, because what is derived from several
// texts has the sources of all of them (MSG-2). The zero value means unknown: an older
// build did not record it. No decision depends on it (MSG-3).
type Source uint8

// The sources.
const (
	FromOperator  Source = 1 << iota // prompts, settings, skills, and what the machine says itself
	FromPerson                       // what a request says, and what a person decides
	FromWorkspace                    // files that the tools read
	FromOutside                      // whatever else a tool returns, and events
	FromModel                        // what a model has written
)

// sources returns their names on the wire, in order.
func sources() [5]string { return [...]string{"operator", "person", "workspace", "outside", "model"} }

// Names returns the sources of the set, in order.
func (s Source) Names() []string {
	var names []string
	for i, name := range sources() {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// MarshalJSON writes a list of names.
func (s Source) MarshalJSON() ([]byte, error) {
	return s.appendTo(nil), nil
}

// appendTo appends a list of names, as MarshalJSON writes it.
func (s Source) appendTo(b []byte) []byte {
	first := byte('[')
	for i, name := range sources() {
		if s&(1<<i) != 0 {
			b = append(append(append(b, first, '"'), name...), '"')
			first = ','
		}
	}
	if first == '[' {
		return append(b, "null"...)
	}
	return append(b, ']')
}

// UnmarshalJSON reads a list of names, see [SourceOf].
func (s *Source) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	*s = SourceOf(names)
	return nil
}

// SourceOf returns the set of the named sources. A name that this build does not know
// counts as outside.
func SourceOf(names []string) (s Source) {
	known := sources()
	for _, name := range names {
		if i := slices.Index(known[:], name); i >= 0 {
			s |= 1 << i
		} else {
			s |= FromOutside
		}
	}
	return s
}

// Message adds a message with all its fields.
func (x *Hasher) Message(m Message) {
	x.Str(string(m.Role))
	x.Str(m.Text)
	x.Str(m.Thinking)
	x.Calls(m.Calls)
	x.Str(m.Tool)
	x.Str(m.ToolCall)
	x.Images(m.Images)
	x.Bool(m.Aside)
	x.Strs(m.Used)
	if m.Part.Result != 0 { // older builds hashed no such part
		x.Int(m.Part.Result)
		x.Int(m.Part.From)
		x.Int(m.Part.To)
	}
}

// Images adds images, in their order.
func (x *Hasher) Images(list [][]byte) {
	x.Int(len(list))
	for _, image := range list {
		x.Str(string(image))
	}
}

// Calls adds the calls of a message.
func (x *Hasher) Calls(calls []ToolCall) {
	x.Int(len(calls))
	for _, c := range calls {
		x.Str(c.ID)
		x.Str(c.Name)
		x.Str(c.Args)
		x.Bool(c.Text)
	}
}

// Messages adds messages, in their order.
func (x *Hasher) Messages(list []Message) {
	x.Int(len(list))
	for _, m := range list {
		x.Message(m)
	}
}
