package server

import (
	"cmp"
	"encoding/json"
	"strings"

	"shelly/fsm"
)

// The marks of ChatML, the template of most small models.
const (
	begin = "<|im_start|>"
	mark  = "<|im_end|>"
	end   = mark + "\n"
)

// Render is the prompt of a chat as most templates render it: all system messages stand
// together at its beginning and the tools after them, results come as the user's, images
// before the text of their message, and the thinking of earlier answers is left out. What
// the model writes stands after it as [Written] has it.
func Render(messages []fsm.Message, tools []fsm.ToolDecl) string {
	var b strings.Builder
	var system []string
	for _, m := range messages {
		if m.Role == fsm.RoleSystem {
			system = append(system, m.Text)
		}
	}
	if len(system)+len(tools) > 0 {
		b.WriteString(begin + "system\n" + strings.Join(system, "\n\n"))
		offer(&b, tools)
		b.WriteString(end)
	}
	for _, m := range messages {
		switch m.Role {
		case fsm.RoleSystem:
		case fsm.RoleAssistant:
			b.WriteString(begin + "assistant\n" + said(m.Text, m.Calls) + end)
		case fsm.RoleTool:
			b.WriteString(begin + "user\n<tool_response>\n" + m.Text + "\n</tool_response>" + end)
		default:
			b.WriteString(begin + string(m.Role) + "\n" + shown(m.Images) + m.Text + end)
		}
	}
	b.WriteString(begin + "assistant\n")
	return b.String()
}

// Written is what a model writes for an answer, as it stands after its prompt.
func Written(thinking, text string, calls []fsm.ToolCall) string {
	if thinking != "" {
		thinking = "<think>\n" + thinking + "\n</think>\n\n"
	}
	return thinking + said(text, calls)
}

func said(text string, calls []fsm.ToolCall) string {
	var b strings.Builder
	b.WriteString(text)
	for i, c := range calls {
		if i > 0 || text != "" {
			b.WriteByte('\n')
		}
		b.WriteString("<tool_call>\n{\"name\": " + quoted(c.Name) + ", \"arguments\": " + c.Args + "}\n</tool_call>")
	}
	return b.String()
}

// offer is how the tools are offered in the system part.
func offer(b *strings.Builder, tools []fsm.ToolDecl) {
	if len(tools) == 0 {
		return
	}
	b.WriteString("\n\n# Tools\n\nYou may call one or more functions:\n<tools>")
	for _, t := range tools {
		parameters := cmp.Or(t.Parameters, "{}")
		b.WriteString("\n{\"type\": \"function\", \"function\": {\"name\": " + quoted(t.Name) +
			", \"description\": " + quoted(t.Description) + ", \"parameters\": " + parameters + "}}")
	}
	b.WriteString("\n</tools>\n\nA call is a JSON object within <tool_call></tool_call>:\n<tool_call>\n{\"name\": NAME, \"arguments\": ARGUMENTS}\n</tool_call>")
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string always has a JSON form
		panic(err)
	}
	return string(b)
}
