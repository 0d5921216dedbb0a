package textcall

import (
	"slices"
	"strings"

	"shelly/fsm/textcall/mend"
)

// MayBegin reports whether a text may be the beginning of a call, however it goes on. It is
// for showing a text while it arrives. offered reports whether a name is a tool's.
func (f Forms) MayBegin(s string, offered func(name string) bool) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" || isPrefix(s, "<|start|>") || isPrefix(s, "<|channel|>") || isPrefix(s, "Thought:") || isPrefix(s, "Action:") {
		return true
	}
	if mayOpen(s) && slices.ContainsFunc(f.families(), func(one family) bool { return isPrefix(s, one.open) }) {
		return true
	}
	switch s[0] {
	case '{':
		rest := strings.TrimLeft(s[1:], " \t\r\n")
		return rest == "" || rest[0] == '"' || f >= Mended && (rest[0] == '\'' || mend.Letter(rest[0]))
	case '[':
		rest := strings.TrimLeft(s[1:], " \t\r\n")
		return rest == "" || rest[0] == '{' || nameBegins(rest, offered)
	case '`':
		return f.fenceBegins(s, offered)
	}
	return nameBegins(s, offered)
}

// isPrefix reports whether one of the two texts begins with the other.
func isPrefix(s, mark string) bool { return strings.HasPrefix(s, mark) || strings.HasPrefix(mark, s) }

// fenceBegins reports whether a fence may hold calls.
func (f Forms) fenceBegins(s string, offered func(string) bool) bool {
	if strings.HasPrefix("```", s) {
		return true
	}
	language, body, whole := strings.Cut(s[min(3, len(s)):], "\n")
	if !strings.HasPrefix(s, "```") || strings.ContainsAny(strings.TrimSpace(language), " `") {
		return false
	}
	return !whole || callLanguage(language) && f.MayBegin(body, offered)
}

// nameBegins reports whether a text is a name so far, or the name of a tool with a bracket.
func nameBegins(s string, offered func(string) bool) bool {
	name, _, bracket := strings.Cut(s, "(")
	return isName(name) && (!bracket || name == "print" || offered(name))
}
