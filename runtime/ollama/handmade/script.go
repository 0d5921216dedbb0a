package handmade

import "strings"

// Script is what a chat model says.
type Script struct {
	// Default answers every message that names no step. It must not be empty.
	Default string
	// Steps has the key "word:n" for the answer after n tool results.
	Steps map[string]Step
	// Marks are texts of the template that are one token each, as in real models.
	Marks []string
	// Thinking gives the model that capability; a step's Think is then thinking rather than text.
	Thinking bool
	// NoTools takes away the capability to call tools.
	NoTools bool
}

// Step is one answer: thinking, text and calls, in this order.
type Step struct {
	Think   string
	Content string
	Calls   []Call
	// Loop repeats the answer forever.
	Loop bool
}

// Call is a tool call. Args is a JSON object.
type Call struct{ Name, Args string }

// text returns the step as the model writes it.
func (s Step) text() string {
	var b strings.Builder
	if s.Think != "" {
		b.WriteString("<think>" + s.Think + "</think>")
	}
	b.WriteString(s.Content)
	for _, c := range s.Calls {
		b.WriteString("<tool_call>\n{\"name\": \"" + c.Name + "\", \"arguments\": " + c.Args + "}\n</tool_call>")
	}
	return b.String()
}

// startToken returns the token that begins the step with a key.
func startToken(key string) string { return "<|go:" + key + "|>" }

// template returns the prompt's template. From the places where it uses .Tools, .ToolCalls and
// .Thinking the server learns what the model can do and how it writes calls and thinking.
func (s Script) template() string {
	tools, calls, thinking := offerTools, writeCalls, ""
	if s.NoTools {
		tools, calls = "", ""
	}
	if s.Thinking {
		thinking = `{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}`
	}
	return strings.NewReplacer("TOOLS", tools, "CALLS", calls, "THINKING", thinking).Replace(conversation) + chooseStep
}

const (
	offerTools = `{{ range .Tools }}{{ . | json }}
{{ end }}`

	writeCalls = `{{ if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>{{ end }}`

	// conversation writes the messages and leaves the last user text in $said and
	// one x for each tool result after it in $results.
	conversation = `{{ $said := "" }}{{ $results := "" -}}
{{ if .System }}system: {{ .System }}
{{ end }}TOOLS
{{- range .Messages }}
{{- if eq .Role "user" }}{{ $said = .Content }}{{ $results = "" }}user: {{ .Content }}
{{ else if eq .Role "assistant" }}assistant: THINKING{{ .Content }}CALLS
{{ else if eq .Role "tool" }}{{ $results = print $results "x" }}tool: {{ .Content }}
{{ end }}
{{- end }}`

	// chooseStep writes the token of the step that the first bracketed word names.
	chooseStep = `{{- $word := "" }}{{ $inside := false }}{{ $found := false }}
{{- range $i := len $said }}{{ $c := printf "%c" (index $said $i) }}
{{- if eq $c "[" }}{{ $inside = true }}{{ $word = "" }}
{{- else if and $inside (eq $c "]") }}{{ $found = true }}{{ break }}
{{- else if $inside }}{{ $word = print $word $c }}{{ end }}
{{- end }}
{{- if not $found }}{{ $word = "" }}{{ end -}}
<|go:{{ $word }}:{{ len $results }}|>`
)
