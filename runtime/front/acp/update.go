package acp

import "encoding/json"

// Version is that of the protocol.
const Version = 1

// Channel is that of the requests that come this way.
const Channel = "acp"

// The kinds of update.
const (
	userMessage  = "user_message_chunk"
	agentMessage = "agent_message_chunk"
	agentThought = "agent_thought_chunk"
	toolCall     = "tool_call"
	toolUpdate   = "tool_call_update"
	commands     = "available_commands_update"
)

// Status says how a tool call is.
type Status string

// A call waits for a person; it runs; it has ended.
const (
	pending   Status = "pending"
	running   Status = "in_progress"
	completed Status = "completed"
	failed    Status = "failed"
)

// Update tells an editor something about a session.
type Update struct {
	Kind      string    `json:"sessionUpdate,omitempty"`
	MessageID string    `json:"messageId,omitempty"`
	Content   any       `json:"content,omitempty"` // of a message a Block, of a call a list
	Commands  []Command `json:"availableCommands,omitempty"`
	*Call
}

// Block is a piece of content.
type Block struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     []byte `json:"data,omitempty"` // in base64
	MimeType string `json:"mimeType,omitempty"`
}

// Call is a tool call. In an update what is left out stays as it was.
type Call struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Status    Status          `json:"status,omitempty"`
	Locations []Location      `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
}

// Location is a place in a file.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1
}

// Part is a piece of what a call shows: a block, or a diff.
type Part struct {
	Type    string  `json:"type"` // content or diff
	Content *Block  `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	Old     *string `json:"oldText,omitempty"` // nil: a new file
	New     *string `json:"newText,omitempty"`
}

// Command is one that a person can begin a prompt with, after a slash.
type Command struct {
	Name  string `json:"name"`
	About string `json:"description"`
}

// Commands tells which commands there are.
func Commands() Update {
	return Update{Kind: commands, Commands: []Command{
		{"new", "remember this conversation and start a new one"},
		{"status", "show what is running"},
		{"help", "show the commands"},
	}}
}

// message is a chunk of a message. Chunks with the same id are one message.
func message(kind, id, text string) Update {
	return Update{Kind: kind, MessageID: id, Content: Block{Type: "text", Text: text}}
}

// shown is a text that a call shows; none where it is empty.
func shown(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Type: "content", Content: &Block{Type: "text", Text: text}}}
}

// Asked tells what a person has asked for, where the editor does not know it.
func Asked(request, text string, p Place) Update {
	return message(userMessage, request+"-asked", p.asked(text))
}

// Failed tells why something that nobody waits for has no answer.
func Failed(request, text string) Update { return message(agentMessage, request+"-failed", text) }

// Elsewhere tells that a question waits for its answer in shelly.
func Elsewhere(request, key string) Update {
	return message(agentThought, request+"-"+key, "[shelly waits for approval: shelly request approve "+request+" --channel "+Channel+"]")
}
