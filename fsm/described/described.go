package described

import (
	"cmp"
	"encoding/json"
	"strings"

	"shelly/fsm"
)

// A call is text in one fixed form. The answer says that its calls are in its text, and the
// machine takes them out of it (INF-25).
const (
	callOpen    = "<tool_call>"
	callClose   = "</tool_call>"
	resultOpen  = "<tool_result"
	resultClose = "</tool_result>"
)

// protocolHead and protocolTail surround the list of tools.
const (
	protocolHead = "# How to call tools\n\nThese tools are there, each with a JSON schema of its arguments:\n\n"
	protocolTail = "\nTo call one, answer with such a block and nothing else:\n\n" +
		callOpen + "\n{\"name\": \"NAME OF THE TOOL\", \"arguments\": {}}\n" + callClose +
		"\n\nThe next message then brings its result, between " + resultOpen + "> and " + resultClose +
		". Never write a result yourself. When no tool is needed, answer in plain text without such a block."
)

// offer returns the tools as a part of the system prompt.
func offer(tools []fsm.ToolDecl) string {
	var b strings.Builder
	b.WriteString(protocolHead)
	for _, t := range tools {
		b.WriteString("- " + t.Name)
		if t.Description != "" {
			b.WriteString(": " + strings.ReplaceAll(t.Description, "\n", " "))
		}
		b.WriteString("\n  " + Schema(t) + "\n")
	}
	b.WriteString(protocolTail)
	return b.String()
}

// Conversation returns a conversation in the form of the protocol, with the tools in its
// system message. The results of one answer's calls go into one message, because some
// templates want the roles to alternate.
func Conversation(messages []fsm.Message, tools []fsm.ToolDecl) []fsm.Message {
	var out []fsm.Message
	if len(tools) > 0 {
		if len(messages) > 0 && messages[0].Role == fsm.RoleSystem {
			system := messages[0]
			system.Text = strings.TrimRight(system.Text, "\n") + "\n\n" + offer(tools)
			out, messages = append(out, system), messages[1:]
		} else {
			out = append(out, fsm.Message{Role: fsm.RoleSystem, Text: offer(tools)})
		}
	}
	results := false // the last of out holds results
	for _, m := range messages {
		switch {
		case m.Role == fsm.RoleTool && results:
			out[len(out)-1].Text += "\n" + resultText(m)
			continue
		case m.Role == fsm.RoleTool:
			out = append(out, fsm.Message{Role: fsm.RoleUser, Text: resultText(m)})
		default:
			for _, c := range m.Calls {
				m.Text = strings.TrimLeft(m.Text+"\n"+callText(c), "\n")
			}
			m.Calls = nil
			out = append(out, m)
		}
		results = m.Role == fsm.RoleTool
	}
	return out
}

func callText(c fsm.ToolCall) string {
	return callOpen + "\n{\"name\": " + quoted(c.Name) + ", \"arguments\": " + Arguments(c.Args) + "}\n" + callClose
}

// resultText returns a result as it is sent. A closing tag inside it does not end it.
func resultText(m fsm.Message) string {
	text := strings.ReplaceAll(m.Text, resultClose, `<\/tool_result>`)
	return resultOpen + " name=" + quoted(m.Tool) + ">\n" + text + "\n" + resultClose
}

// Stops returns the texts at which an answer is to end: a model that writes the result of its call
// itself writes one of them, and whatever it goes on with is thrown away.
func Stops() (texts []string) {
	for _, between := range []string{"", "\n", "\n\n"} {
		for _, result := range []string{resultOpen, "<tool_response"} {
			texts = append(texts, callClose+between+result)
		}
	}
	return texts
}

// IsResults reports whether a message of a conversation as it is sent brings results.
func IsResults(m fsm.Message) bool {
	return m.Role == fsm.RoleUser && strings.HasPrefix(m.Text, resultOpen+" name=")
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string never fails
		return `""`
	}
	return string(b)
}

// Schema returns the schema of a tool's arguments. A tool that declares none takes none.
func Schema(t fsm.ToolDecl) string {
	return cmp.Or(t.Parameters, `{"type":"object","properties":{}}`)
}

// Arguments returns the arguments of a call as a server accepts them. A server refuses the
// whole request because of arguments that are not an object, and the model learns of them
// from the tool's result.
func Arguments(args string) string {
	if IsObject(args) {
		return args
	}
	return "{}"
}

// IsObject reports whether a text is a JSON object.
func IsObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}
