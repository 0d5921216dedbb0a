package textcall

import (
	"slices"
	"strings"
)

// Models that are told to write a call between marks often put it into a fence instead, after words.
// It may also be an example, so whether it is a call is decided by who has written it.

const fence = "```"

// fencedAfterWords reads a text that ends with its only fence, in which there are calls, after words.
func (f Forms) fencedAfterWords(s string) (Reading, bool) {
	if f < Mended || !strings.HasSuffix(s, fence) || strings.Count(s, fence) != 2 {
		return Reading{}, false
	}
	at := strings.Index(s, fence)
	if !f.FenceAfter(s[:at]) {
		return Reading{}, false
	}
	calls, _ := f.untagged(s[at:])
	return Reading{Calls: calls, Text: strings.TrimSpace(s[:at]), Written: s[at:], Fenced: true}, len(calls) > 0
}

// FenceAfter reports whether a fence after these words may hold calls: it begins a line.
func (f Forms) FenceAfter(words string) bool {
	said := strings.TrimRight(words, " \t")
	return f >= Mended && strings.HasSuffix(said, "\n") && strings.TrimSpace(said) != ""
}

// MayBeFenced reports whether a text that begins with a fence may be one of calls and nothing after
// it, however it goes on. It is stricter than [Forms.MayBegin], because many answers hold code.
func (f Forms) MayBeFenced(s string, offered func(name string) bool) bool {
	language, body, whole := strings.Cut(strings.TrimPrefix(s, fence), "\n")
	if !whole {
		return len(language) <= languageMax && !strings.ContainsAny(language, " `")
	}
	body, after, closed := strings.Cut(body, fence)
	if !callLanguage(language) || closed && strings.TrimSpace(after) != "" {
		return false
	}
	body = strings.TrimLeft(body, "["+jsonBlanks)
	switch {
	case body == "":
		return true
	case body[0] == '{':
		return namesTool(strings.TrimLeft(body[1:], jsonBlanks), offered)
	case body[0] == '<':
		return slices.ContainsFunc(f.families(), func(one family) bool { return isPrefix(body, one.open) })
	default:
		return nameBegins(body, offered)
	}
}

// languageMax is longer than the name of any language that calls are written in.
const languageMax = 16

// namesTool reports whether the members of an object may begin with what names an offered tool.
func namesTool(members string, offered func(string) bool) bool {
	if members == "" {
		return true
	}
	key, rest, whole := strings.Cut(strings.TrimLeft(members, `"'`), members[:1])
	keys := append(nameKeys(), "type", "id", "tool_calls", "function_call", "tool_call_id")
	switch {
	case members[0] != '"' && members[0] != '\'':
		return false
	case !whole:
		return slices.ContainsFunc(keys, func(one string) bool { return strings.HasPrefix(one, key) })
	case !slices.Contains(nameKeys(), key):
		return slices.Contains(keys, key)
	}
	rest = strings.TrimLeft(rest, ":"+jsonBlanks)
	if rest == "" || rest[0] != '"' && rest[0] != '\'' { // an object, such as that of a function
		return rest == "" || rest[0] == '{'
	}
	name, _, whole := strings.Cut(rest[1:], rest[:1])
	return !whole || offered(name)
}
