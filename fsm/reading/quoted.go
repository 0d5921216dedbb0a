package reading

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// A file, a page or a command's output may hold what looks like a call, and a model that
// shows it to a person has called nothing. So whatever a tool's result says is not a call
// when the model repeats it, in any form (INF-40).

// quoted reports whether what an answer's calls are written in, or one of the calls, is a part of a
// tool's result in a conversation.
func quoted(c *fsm.Config, answer string, r textcall.Reading, talk fsm.Conversation) bool {
	written, mended := answer, forms(c) >= textcall.Mended
	if mended {
		written = r.Written
	}
	body, fenceless := squash(unframed(written)), squash(withoutFences(written))
	for i := range talk.Messages {
		m := &talk.Messages[i]
		if m.Role != fsm.RoleTool {
			continue
		}
		for _, result := range spellings(m.Text) {
			in := squash(result)
			if body != "" && strings.Contains(in, body) {
				return true
			}
			if mended && fenceless != "" && strings.Contains(result, fenceMark) && strings.Contains(squash(withoutFences(result)), fenceless) {
				return true
			}
			words := wordsOf(result)
			for _, call := range r.Calls {
				if slices.ContainsFunc(objects(call, mended), func(object string) bool { return strings.Contains(in, squash(object)) }) || tells(words, call) {
					return true
				}
			}
		}
	}
	return false
}

// objects returns what means a call: the object with arguments and, since the sixteenth edition, those
// that are a call between the marks of a family, and for a call without words in its arguments what
// other families write.
func objects(call textcall.Call, mended bool) []string {
	list := []string{`{"name":"` + call.Name + `","arguments":` + call.Args + `}`}
	if !mended {
		return list
	}
	if len(wordsOf(strings.Join(textcall.Values(call.Args), " "))) == 0 { // nothing but its name tells it, and it may be repeated in another form
		for _, form := range namedForms() {
			list = append(list, strings.ReplaceAll(form, "NAME", call.Name))
		}
	}
	beside := strings.TrimPrefix(strings.TrimSpace(call.Args), "{")
	if strings.TrimSpace(beside) != "}" {
		beside = "," + beside
	}
	return append(list, `{"name":"`+call.Name+`"`+beside, `{"`+call.Name+`":`+call.Args+`}`)
}

// namedForms are the beginnings of a call in forms other than an object, by the tool's name and without
// blanks.
func namedForms() []string {
	return []string{
		"<function=NAME>", "<invokename=NAME", "NAME()", "[TOOL_CALLS]NAME", "call:NAME{", "call▁begin｜>NAME", "call_begin|>NAME", "call_begin|>functions.NAME",
	}
}

// spellings returns a text as it is, and with escapes and entities replaced by their
// characters, because a model that quotes JSON or a page replaces them.
func spellings(text string) []string {
	list := []string{text}
	for _, other := range []string{unescaped(text), html.UnescapeString(text)} {
		if !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

// unescaped returns a text with the escapes of JSON and of most languages replaced.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'n', 'r', 't':
			b.WriteByte(' ')
		case 'u':
			r := rune(0)
			for _, c := range text[i+1 : min(i+5, len(text))] {
				r = r<<4 | rune(max(strings.IndexRune("0123456789abcdef", unicode.ToLower(c)), 0))
			}
			b.WriteRune(r)
			i += 4
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// squash returns a text without blanks, quotes and escapes.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\\\"'`", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// unframed returns a text without the lines that begin and end a fence, which models put
// around what they show.
func unframed(text string) string {
	lines := strings.Split(text, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "```") })
	return strings.Join(lines, "\n")
}

// withoutFences returns a text without the marks of fences and their languages, wherever they are: a
// fence may be between the marks of a family, and a result may be one long line.
func withoutFences(text string) string {
	parts := strings.Split(text, fenceMark)
	for i, part := range parts[1:] {
		parts[i+1] = strings.TrimLeftFunc(part, func(r rune) bool { return unicode.IsLetter(r) || r == '_' })
	}
	return strings.Join(parts, "")
}

// nearWords is within how many words of a tool's name its arguments are looked for, not
// counting the arguments' own words.
const nearWords = 24

// tells reports whether words name a call's tool and, near it, all of the call's arguments,
// in any form. A call without arguments has no words to compare.
func tells(words []string, call textcall.Call) bool {
	var values [][]string
	all := 0
	for _, v := range textcall.Values(call.Args) {
		if v := wordsOf(v); len(v) > 0 {
			values = append(values, v)
			all += len(v)
		}
	}
	name := wordsOf(call.Name)
	if len(values) == 0 || len(name) == 0 {
		return false
	}
	last := name[len(name)-1] // whatever precedes it is a namespace (INF-26)
	for i, w := range words {
		if w != last {
			continue
		}
		near := words[max(i-nearWords-all, 0):min(i+1+nearWords+all, len(words))]
		if !slices.ContainsFunc(values, func(v []string) bool { return !hasRun(near, v) }) {
			return true
		}
	}
	return false
}

// hasRun reports whether words contains run as consecutive words.
func hasRun(words, run []string) bool {
	for i := 0; i+len(run) <= len(words); i++ {
		if slices.Equal(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// wordsOf returns the runs of letters and digits in a text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}
