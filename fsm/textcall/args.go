package textcall

import (
	"encoding/json"
	"strings"
)

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
		if after, more := strings.CutPrefix(s, ","); more {
			s = strings.TrimSpace(after)
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

// arguments builds a JSON object in the order of its keys.
type arguments struct{ b strings.Builder }

func (a *arguments) add(key, value string) {
	if a.b.Len() > 0 {
		a.b.WriteByte(',')
	}
	a.b.WriteString(quoted(key) + ":" + value)
}

func (a *arguments) object() string { return "{" + a.b.String() + "}" }

func quoted(s string) string {
	data, _ := json.Marshal(s) // a string never fails
	return string(data)
}

// plain returns a value in markup without a type: as it is if it is JSON, else as a string.
func plain(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	return quoted(s)
}

// isObject reports whether a text is a JSON object.
func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

// isName reports whether a text can be a tool's name.
func isName(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.', r == ':':
		default:
			return false
		}
	}
	return s != ""
}
