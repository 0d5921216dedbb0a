package acp

import (
	"encoding/json"
	"net/http"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Version is the protocol's version.
const Version = 1

// Channel is the channel of requests from editors.
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

// Status is the status of a tool call.
type Status string

// The statuses: a call waits for a person, runs, or has ended.
const (
	pending   Status = "pending"
	running   Status = "in_progress"
	completed Status = "completed"
	failed    Status = "failed"
)

// Update is one piece of news about a session for an editor.
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

// Call is a tool call. In an update, fields that are left out stay as they were.
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

// Command is a word with which a person can begin a prompt, after a slash.
type Command struct {
	Name  string `json:"name"`
	About string `json:"description"`
}

// Commands returns the update that lists the commands.
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

// shown returns a text that a call shows; nothing if it is empty.
func shown(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Type: "content", Content: &Block{Type: "text", Text: text}}}
}

// Asked returns what a person has asked for, for an editor that does not know it.
func Asked(request, text string, images [][]byte, p Place) []Update {
	return asked(request+"-asked", text, images, p)
}

// asked is a person's message: its images, then its text.
func asked(id, text string, images [][]byte, p Place) (updates []Update) {
	for _, image := range images {
		updates = append(updates, Update{Kind: userMessage, MessageID: id, Content: Block{Type: "image", Data: image, MimeType: http.DetectContentType(image)}})
	}
	return append(updates, message(userMessage, id, p.asked(text)))
}

// Failed returns why a request that no prompt waits for has no answer.
func Failed(request, text string) Update { return message(agentMessage, request+"-failed", text) }

// Unanswered returns the note that a request was cancelled. It is for those that no session/prompt is
// answered for, in the words of the archive.
func Unanswered(request string) Update {
	w := fsm.PresentWords()
	return message(agentMessage, request+"-cancelled", w.Text(fsm.WordNoAnswer, "reason", w.Text(fsm.WordCancelled)))
}

// Elsewhere returns the note that a question must be answered with shelly's own commands.
func Elsewhere(request, key string) Update {
	return message(agentThought, request+"-"+key, "[shelly waits for approval: shelly request approve "+wording.ShellArgument(request, "--channel", Channel)+"]")
}
