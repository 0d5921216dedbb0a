package fsm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Small models write tool calls as text. Such an answer is taken as calls only
// where nothing else can be meant: the whole of it is calls, in one of the forms
// that models are trained on, and each names a tool that is offered and gives its
// arguments as an object (INF-25). A call inside prose stays prose.

// TextCalls returns the calls that a text is, of tools that are all offered, or false
// where it is none. Their ids are of this text alone.
func TextCalls(tools []ToolDecl, text string) ([]ToolCall, bool) {
	c := Config{Tools: slices.Clone(tools)}
	for i := range c.Tools {
		c.Tools[i].Builtin = false // whether it is offered is decided
	}
	return c.textCalls(AllTools, text, 0)
}

// textCalls returns the calls that a text is, or false where it is none.
func (c *Config) textCalls(set Toolset, text string, answer int) ([]ToolCall, bool) {
	body := strings.TrimSpace(text)
	for _, form := range []func(string) ([]ToolCall, bool){taggedCalls, jsonCalls, bracketCalls} {
		calls, ok := form(body)
		if !ok || len(calls) == 0 {
			continue
		}
		for i := range calls {
			if _, known := c.Declared(set, calls[i].Name); !known {
				return nil, false
			}
			calls[i].ID = "text_" + strconv.Itoa(answer) + "_" + strconv.Itoa(i)
			calls[i].Text = true
		}
		return calls, true
	}
	return nil, false
}

// actionCall reports whether a text is a call in the form of ReAct: behind a thought, if
// there is one, a line "Action: NAME" of a tool that is offered, and a line "Action
// Input:". What is put in is no object, and what the text says was observed is made
// up, so that it cannot be run (INF-29).
func (c *Config) actionCall(set Toolset, text string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "Thought:") && !strings.HasPrefix(text, "Action:") {
		return false
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		name, ok := strings.CutPrefix(line, "Action:")
		if !ok || !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "Action Input:") {
			continue
		}
		if _, known := c.Declared(set, strings.TrimSpace(name)); known {
			return true
		}
	}
	return false
}

// taggedCalls reads <tool_call>…</tool_call>, once or more; the first opening tag
// may be missing, as some templates swallow it.
func taggedCalls(s string) ([]ToolCall, bool) {
	const begin, end = "<tool_call>", "</tool_call>"
	if !strings.HasSuffix(s, end) {
		return nil, false
	}
	var calls []ToolCall
	for n := 0; s != ""; n++ {
		if rest, ok := strings.CutPrefix(s, begin); ok {
			s = rest
		} else if n > 0 {
			return nil, false
		}
		body, rest, ok := strings.Cut(s, end)
		if !ok {
			return nil, false
		}
		body = strings.TrimSpace(body)
		call, ok := objectCall(body)
		if !ok {
			call, ok = markupCall(body)
		}
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
		s = strings.TrimSpace(rest)
	}
	return calls, true
}

// jsonCalls reads one call, or a list of them, as JSON: bare, in a fence, or behind
// a tag of its own.
func jsonCalls(s string) ([]ToolCall, bool) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "<|python_tag|>"))
	if body, ok := strings.CutPrefix(s, "```"); ok {
		body, ok = strings.CutSuffix(body, "```")
		if !ok {
			return nil, false
		}
		_, body, ok = strings.Cut(body, "\n") // the language
		if !ok {
			return nil, false
		}
		s = strings.TrimSpace(body)
	}
	if call, ok := objectCall(s); ok {
		return []ToolCall{call}, true
	}
	s = TidyJSON(s)
	var list []json.RawMessage
	if !strings.HasPrefix(s, "[") || json.Unmarshal([]byte(s), &list) != nil {
		return nil, false
	}
	var calls []ToolCall
	for _, raw := range list {
		call, ok := objectCall(string(raw))
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
	}
	return calls, true
}

// objectCall reads {"name": …, "arguments": {…}}; "parameters" means the same.
func objectCall(s string) (ToolCall, bool) {
	var o struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if !strings.HasPrefix(s, "{") || json.Unmarshal([]byte(TidyJSON(s)), &o) != nil || o.Name == "" {
		return ToolCall{}, false
	}
	args := o.Arguments
	if args == nil {
		args = o.Parameters
	}
	args = bytes.TrimSpace(args)
	if len(args) == 0 || args[0] != '{' {
		return ToolCall{}, false
	}
	return ToolCall{Name: o.Name, Args: string(args)}, true
}

// markupCall reads <function=NAME><parameter=KEY>VALUE</parameter>…</function>.
func markupCall(s string) (ToolCall, bool) {
	s, ok := strings.CutPrefix(s, "<function=")
	if !ok {
		return ToolCall{}, false
	}
	name, s, ok := strings.Cut(s, ">")
	if !ok {
		return ToolCall{}, false
	}
	var args arguments
	for {
		s = strings.TrimSpace(s)
		if strings.TrimSpace(strings.TrimPrefix(s, "</function>")) == "" && s != "" {
			return ToolCall{Name: strings.TrimSpace(name), Args: args.object()}, true
		}
		rest, ok := strings.CutPrefix(s, "<parameter=")
		if !ok {
			return ToolCall{}, false
		}
		key, rest, ok := strings.Cut(rest, ">")
		if !ok {
			return ToolCall{}, false
		}
		value, rest, ok := strings.Cut(rest, "</parameter>")
		if !ok {
			return ToolCall{}, false
		}
		args.add(strings.TrimSpace(key), quoted(strings.TrimSpace(value)))
		s = rest
	}
}

// bracketCalls reads [name(key="value", …), …], as Llama writes calls. Values are JSON,
// Python's words, or text in single quotes.
func bracketCalls(s string) ([]ToolCall, bool) {
	s, opened := strings.CutPrefix(s, "[")
	s, closed := strings.CutSuffix(s, "]")
	if !opened || !closed {
		return nil, false
	}
	var calls []ToolCall
	for {
		name, rest, ok := strings.Cut(s, "(")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, false
		}
		args, rest, ok := keywordArguments(rest)
		if !ok {
			return nil, false
		}
		calls = append(calls, ToolCall{Name: name, Args: args.object()})
		if rest = strings.TrimSpace(rest); rest == "" {
			return calls, true
		}
		if s, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, false
		}
	}
}

// keywordArguments reads key=value, … up to the closing bracket.
func keywordArguments(s string) (args arguments, rest string, ok bool) {
	for s = strings.TrimSpace(s); !strings.HasPrefix(s, ")"); {
		key, rest, ok := strings.Cut(s, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" || strings.ContainsAny(key, "\"'(){}[], ") {
			return arguments{}, "", false
		}
		value, rest, ok := scalar(strings.TrimSpace(rest))
		if !ok {
			return arguments{}, "", false
		}
		args.add(key, value)
		s = strings.TrimSpace(rest)
		if behind, more := strings.CutPrefix(s, ","); more {
			s = strings.TrimSpace(behind)
		} else if !strings.HasPrefix(s, ")") {
			return arguments{}, "", false
		}
	}
	return args, s[1:], true
}

// scalar reads one value at the front of s and returns it as JSON.
func scalar(s string) (value, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if s[0] == '"' || s[0] == '\'' {
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] == '\\':
				i++
			case s[i] == s[0] && s[0] == '\'':
				return quoted(strings.ReplaceAll(s[1:i], `\'`, `'`)), s[i+1:], true
			case s[i] == s[0]:
				return s[:i+1], s[i+1:], json.Valid([]byte(s[:i+1]))
			}
		}
		return "", "", false
	}
	if s[0] == '{' || s[0] == '[' {
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(s))
		if d.Decode(&raw) != nil {
			return "", "", false
		}
		return string(raw), s[d.InputOffset():], true
	}
	end := strings.IndexAny(s, ",)")
	if end < 0 {
		return "", "", false
	}
	word := strings.TrimSpace(s[:end])
	switch word {
	case "True":
		word = "true"
	case "False":
		word = "false"
	case "None":
		word = "null"
	}
	return word, s[end:], json.Valid([]byte(word))
}

// arguments gathers a JSON object in the order of its keys.
type arguments struct{ b strings.Builder }

func (a *arguments) add(key, value string) {
	if a.b.Len() > 0 {
		a.b.WriteByte(',')
	}
	a.b.WriteString(quoted(key) + ":" + value)
}

func (a *arguments) object() string { return "{" + a.b.String() + "}" }

func quoted(s string) string {
	data, _ := json.Marshal(s) // of a text there is always one
	return string(data)
}

// CallsOf returns the calls of an answer where a set of tools was offered, those
// written as text among them, and what is left of its text. Calls that were not
// offered are not taken (INF-12). Answer is the answer's number in its inference; calls
// written as text are named after it.
func (c *Config) CallsOf(set Toolset, in BrainAnswered, answer int) ([]ToolCall, string) {
	if set == NoTools {
		return nil, in.Text
	}
	if len(in.Calls) == 0 && c.Switches.TextCalls {
		if calls, ok := c.textCalls(set, in.Text, answer); ok {
			return calls, ""
		}
	}
	return in.Calls, in.Text
}

// Unrunnable reports whether a text is a call that was meant and cannot be run
// (INF-29).
func (c *Config) Unrunnable(set Toolset, text string) bool {
	return c.Switches.TextCalls && set != NoTools && c.actionCall(set, text)
}
