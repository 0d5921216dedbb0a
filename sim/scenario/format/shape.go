package format

import (
	"maps"
	"reflect"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// scalars is the shape of a scalar or a list of them, which has no keys.
var scalars = match.Shape{}

// keys is the shape of a map with scalars and lists of them by these keys.
func keys(names ...string) match.Shape {
	s := make(match.Shape, len(names)+3)
	for _, name := range names {
		s[name] = scalars
	}
	return s
}

// with is a shape with one more key.
func with(s match.Shape, key string, of match.Shape) match.Shape {
	s[key] = of
	return s
}

// ShapeOf is the shape of what an expectation is for, by the name that the tag of its
// field has. It is not changed.
func ShapeOf(name string) match.Shape { return shapes[name] }

// shapes are made once, because each matcher of each file is compared with one.
var shapes = func() map[string]match.Shape {
	message := with(keys("role", "text", "thinking", "tool", "id", "images", "used", "source"), "calls", with(keys("tool"), "args", nil))
	entry, notice, report := keys("summary", "text", "kind", "session", "embedded"), keys("id", "notice", "ahead", "text"), keys("of", "text")
	sent := keys("channel", "chat", "session", "text", "is_error")
	question := with(keys("question", "id", "session", "tool"), "args", nil)
	audit := with(keys("tool", "session", "message", "result", "failed", "attempts", "duration"), "args", nil)

	asked := keys("purpose", "session", "count", "system", "tools", "tokens", "sent", "read", "written", "waited", "first_word", "takes")
	asked["messages"], asked["last"], asked["options"] = message, message, keys("temperature", "max_tokens")
	session := keys("version", "ratio")
	session["history"], session["pending"], session["archive"] = message, message, message
	session["skills"] = keys("name", "reference", "text")
	spent := keys("calls", "sent", "read", "written", "least", "ratio", "takes")
	item := with(keys(itemKeys()...), "args", nil)
	item["store"], item["reply"], item["notice"], item["report"] = entry, keys("id", "text", "is_error"), notice, report
	item["message"], item["question"], item["audit"] = sent, question, audit

	return map[string]match.Shape{
		"scalar":   scalars,
		"reply":    keys("id", "session", "text", "is_error", "outcome", "after", "sent", "read", "written", "first_word"),
		"entry":    entry,
		"sent":     sent,
		"question": question,
		"audit":    audit,
		"notice":   notice,
		"report":   report,
		"refusal":  keys("id", "error"),
		"chunk":    keys("id", "session", "purpose", "text", "thinking", "at"),
		"message":  message,
		"options":  asked["options"],
		"asked":    asked,
		"sessions": {"*": session},
		"usage":    with(maps.Clone(spent), "sessions", match.Shape{"*": spent}),
		"item":     item,
	}
}()

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
