package format

import (
	"reflect"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// keys is the shape of a map with scalars and lists of them by these keys.
func keys(names ...string) match.Shape {
	s, scalar := make(match.Shape, len(names)), match.Shape{}
	for _, name := range names {
		s[name] = scalar
	}
	return s
}

// with is a shape with one more key.
func with(s match.Shape, key string, of match.Shape) match.Shape {
	s[key] = of
	return s
}

// ShapeOf is the shape of what an expectation is for, by the name that the tag of its
// field has.
func ShapeOf(name string) match.Shape {
	switch name {
	case "scalar":
		return match.Shape{}
	case "reply":
		return keys("id", "session", "text", "is_error", "outcome", "after", "sent", "read", "written", "first_word")
	case "entry":
		return keys("summary", "text", "kind", "session", "embedded")
	case "sent":
		return keys("channel", "chat", "session", "text", "is_error")
	case "question":
		return with(keys("question", "id", "session", "tool"), "args", nil)
	case "audit":
		return with(keys("tool", "session", "message", "result", "failed", "attempts", "duration"), "args", nil)
	case "notice":
		return keys("id", "notice", "ahead", "text")
	case "report":
		return keys("of", "text")
	case "refusal":
		return keys("id", "error")
	case "chunk":
		return keys("id", "session", "purpose", "text", "thinking", "at")
	case "message":
		return with(keys("role", "text", "thinking", "tool", "id", "images", "used", "source"), "calls", with(keys("tool"), "args", nil))
	case "options":
		return keys("temperature", "max_tokens")
	case "asked":
		s := keys("purpose", "session", "count", "system", "tools", "tokens", "sent", "read", "written", "waited", "first_word", "takes")
		s["messages"], s["last"], s["options"] = ShapeOf("message"), ShapeOf("message"), ShapeOf("options")
		return s
	case "sessions":
		s := keys("version", "ratio")
		s["history"], s["pending"], s["archive"] = ShapeOf("message"), ShapeOf("message"), ShapeOf("message")
		s["skills"] = keys("name", "reference", "text")
		return match.Shape{"*": s}
	case "usage":
		spent := func() match.Shape { return keys("calls", "sent", "read", "written", "least", "ratio", "takes") }
		return with(spent(), "sessions", match.Shape{"*": spent()})
	case "item":
		s := keys(itemKeys()...)
		s["args"], s["call"] = nil, with(keys("tool", "declared"), "args", nil)
		s["store"], s["reply"], s["notice"], s["report"] = ShapeOf("entry"), keys("id", "text", "is_error"), ShapeOf("notice"), ShapeOf("report")
		s["message"], s["question"], s["audit"] = ShapeOf("sent"), ShapeOf("question"), ShapeOf("audit")
		return s
	default:
		return nil
	}
}

// Foreign are the keys (SCN-56) within a struct's matchers that what they are for never has.
func Foreign(path string, of any) []strict.Problem {
	return foreignIn(path, reflect.Indirect(reflect.ValueOf(of)))
}

// foreignIn reads the tags of the matchers alone that are given, which are few.
func foreignIn(path string, v reflect.Value) (list []strict.Problem) {
	for i := range v.NumField() {
		if in := v.Field(i); in.Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
			list = append(list, foreignIn(path, in)...)
		} else if m, ok := matcherIn(in); ok {
			tag := v.Type().Field(i).Tag
			name, _, _ := strings.Cut(tag.Get("key"), ",")
			list = append(list, foreign(strict.Member(path, name), m, ShapeOf(tag.Get("of")))...)
		}
	}
	return list
}

// matcherIn is the matcher that a field has, or false.
func matcherIn(v reflect.Value) (*match.Matcher, bool) {
	if v.Type() != reflect.TypeFor[*match.Matcher]() || v.IsNil() || !v.CanInterface() {
		return nil, false
	}
	return v.Interface().(*match.Matcher), true
}

func foreign(path string, m *match.Matcher, s match.Shape) []strict.Problem {
	var list []strict.Problem
	for _, f := range m.Foreign(s) {
		text := wording.Unknown("key", f.Key, f.Allowed)
		if len(f.Allowed) == 0 {
			text = "wants a text, a number, a list or a matcher, not a map: " + wording.Unknown("matcher", f.Key, match.MatcherNames())
		}
		list = append(list, strict.Problem{Pos: f.Pos, Path: path, Text: text})
	}
	return list
}
