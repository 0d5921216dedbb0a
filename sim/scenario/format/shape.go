package format

import (
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// text is a key of a text, and what it means.
func text(means string) match.Key { return scalar(match.Texts, means) }

// scalar is a key of a scalar of a sort.
func scalar(sort match.Sort, means string) match.Key {
	return match.Key{Shape: match.Shape{}, Sort: sort, Means: means}
}

func number(means string) match.Key { return scalar(match.Numbers, means) }
func count(means string) match.Key  { return scalar(match.Counts, means) }
func truth(means string) match.Key  { return scalar(match.Switches, means) }
func length(means string) match.Key { return scalar(match.Durations, means) }

// list is a key of a list of what another is of.
func list(of match.Key) match.Key {
	of.Lists++
	return of
}

// anything is a key of data of any kind.
func anything(means string) match.Key { return match.Key{Means: means} }

// word is a key of a text that is one of some words.
func word(means string, words []string) match.Key {
	return match.Key{Shape: match.Shape{}, Means: means, Words: words}
}

// states is a key of a path through a table.
func states(of *state.Table) match.Key {
	return match.Key{Shape: match.Shape{}, Words: expression.StatesOf(of), Word: "state"}
}

// of is a key of things that have a shape by its name.
func of(shape, means string) match.Key {
	k := ShapeOf(shape)
	k.Means = means
	return k
}

// ShapeOf is the shape of what an expectation is for, by the name that the tag of its
// field has.
func ShapeOf(name string) match.Key {
	switch name {
	case "text":
		return text("")
	case "count":
		return count("")
	case "duration":
		return length("")
	case "time":
		return scalar(match.Times, "")
	case "exit":
		return word("", wordsFrom(fsm.ExitClean, fsm.ExitTimeout, fsm.ExitForced))
	case "lifecycle":
		return states(&state.Lifecycle)
	case "handle":
		return states(&state.HandleTable)
	case "inference":
		return states(&state.InferenceTable)
	case "options", "sessions", "usage", "item":
		return match.Key{Shape: shapes(name), Sort: match.Maps}
	case "question":
		return match.Key{Shape: shapes(name), Words: questions(), Word: "question"} // where it is told by a word alone
	case "asked":
		return match.Key{Shape: shapes(name), Words: purposes(), Word: "purpose"}
	default:
		return match.Key{Shape: shapes(name)}
	}
}

// shapes are those of things with keys, or nil.
func shapes(name string) match.Shape {
	switch name {
	case "reply":
		return replyShape()
	case "entry":
		return match.Shape{
			"summary": text("what a recall brings to the model"), "text": text("the whole exchange"), "session": text("whose session it was"),
			"kind": word("of what it is the memory", kinds()), "embedded": truth("true: it has a vector"),
		}
	case "sent":
		return match.Shape{
			"channel": text("the channel of the chat"), "chat": text("the chat in it"), "session": text("the session that sent it"),
			"text": text("what was sent"), "is_error": truth("true: it says what went wrong"),
		}
	case "question":
		return match.Shape{
			"question": word("what a person is asked", questions()), "id": text("the request that it is about"), "session": text("the session of that request"),
			"tool": text("the tool that was called").Rarely(), "args": anything("what it was called with").Rarely(),
		}
	case "audit":
		return match.Shape{
			"tool": text("the tool"), "args": anything("what it was called with"), "session": text("the session that it worked for"), "message": text("what the person had written"),
			"result": text("what the model was told"), "failed": truth("true: it failed"), "attempts": count("how often it was started"), "duration": length("how long it took"),
		}
	case "notice":
		return match.Shape{
			"id": text("the request that it is about"), "notice": word("what the client is told", notices()).Rarely(),
			"ahead": count("(queued) how many come first").Rarely(), "text": text("the reply that was given again").Rarely(),
		}
	case "report":
		return match.Shape{"of": word("what it is about", kinds()), "text": text("what it says")}
	case "refusal":
		return match.Shape{"id": text("of the request; an event has none"), "error": text("why it was refused")}
	case "chunk":
		return match.Shape{
			"id": text("the request that is answered"), "session": text("the session of that request"), "purpose": word("what the model was asked for", purposes()),
			"text": text("the piece of the answer").Rarely(), "thinking": text("the piece of the thinking, in place of text").Rarely(), "at": length("when it came, since the first start"),
		}
	case "message":
		return messageShape()
	case "call":
		return match.Shape{"tool": text("the tool"), "args": anything("what it is called with")}
	case "asked":
		return askedShape()
	case "options":
		return match.Shape{"temperature": number("as it was given; there is none unless one was").Rarely(), "max_tokens": count("the most tokens of the answer; there is none unless it was given").Rarely()}
	case "sessions":
		return match.Shape{"*": {Shape: sessionShape(), Sort: match.Maps}}
	case "usage":
		s := spentShape()
		s["sessions"] = match.Key{Shape: match.Shape{"*": {Shape: spentShape(), Sort: match.Maps}}, Sort: match.Maps, Means: "the same of the calls of each session, by its name"}
		return s
	case "item":
		return itemShape()
	default:
		return nil
	}
}

func replyShape() match.Shape {
	return match.Shape{
		"id": text("the sender's id of the request"), "session": text("the request's session"), "text": text("what was replied"),
		"is_error": truth("true: it says what went wrong"), "outcome": word("how the request ended", outcomes()), "after": length("the time since the request was accepted"),
		"sent": count("(server) tokens of the prompts of its calls").Rarely(), "read": count("(server) tokens of those prompts that were not in a slot").Rarely(),
		"written": count("(server) tokens of the answers to its calls").Rarely(), "first_word": length("(server) the time until the first word of an answer").Rarely(),
	}
}

func messageShape() match.Shape {
	return match.Shape{
		"role": text("system, user, assistant or tool; a broken history may have another"), "text": text("what it says; of a tool, the result"), "thinking": text("(assistant) its thinking").Rarely(),
		"calls": list(of("call", "(assistant) the tools that it asked for: names, or {tool, args}")).Rarely(), "tool": text("(tool) whose result it is").Rarely(),
		"id": text("(tool) the model's id of the call answered").Rarely(), "images": list(text("(user) its pictures, each a text that stands for its bytes")).Rarely(),
		"used": list(text("(assistant) the tools that the turn used")).Rarely(), "source": list(word("where the text came from, a list (MSG-1)", sources())).Rarely(),
	}
}

func askedShape() match.Shape {
	return match.Shape{
		"purpose": word("what the model is asked for", purposes()), "session": text("whose conversation it is"), "messages": list(of("message", "all messages, the system prompt among them")),
		"last": of("message", "the last message").Rarely(), "count": count("how many messages there are"), "system": text("the system prompt").Rarely(), "tools": list(text("the names of the tools that are offered")),
		"options": of("options", "the options that are given"), "tokens": count("how many the messages are taken for").Rarely(),
		"sent": count("(server) tokens of the prompt").Rarely(), "read": count("(server) tokens of the prompt that were not in a slot").Rarely(), "written": count("(server) tokens of the answer").Rarely(),
		"waited": length("(server) how long it waited to be served").Rarely(), "first_word": length("(server) the time until its first word").Rarely(), "takes": length("(server) the time until its last").Rarely(),
	}
}

func sessionShape() match.Shape {
	return match.Shape{
		"version": number("how often it was saved"), "history": list(of("message", "what the next conversation begins with, oldest first")),
		"pending": list(of("message", "messages that wait to be consolidated")), "archive": list(of("message", "every message, whatever became of the history")),
		"ratio": number("tokens counted for each 1,024 estimated"),
		"skills": {Lists: 1, Shape: match.Shape{
			"name": text("of the skill"), "reference": text("which of its documents; empty: its instructions"), "text": text("what was loaded"),
		}, Means: "the loaded skills, in the order of their loading"},
	}
}

func spentShape() match.Shape {
	return match.Shape{
		"calls": count("how many calls there were"), "sent": count("tokens of their prompts"), "read": count("tokens of their prompts that were not in a slot"), "written": count("tokens of the answers"),
		"least": count("tokens that no order of the calls could save (SCN-55)"), "ratio": number("how many times as much was read as least"), "takes": length("how long the server worked"),
	}
}

// itemShape has no words of the keys themselves: those of state depend on table (see [Item.Unknown]).
func itemShape() match.Shape {
	s := match.Shape{}
	for _, key := range itemKeys() {
		s[key] = text("")
	}
	s["attempt"], s["after"], s["handle"] = scalar(match.Ordinals, ""), length(""), scalar(match.Ordinals, "")
	s["args"] = anything("")
	s["call"] = match.Key{Shape: match.Shape{"tool": text("the tool"), "args": anything("what it is called with"), "declared": truth("true: the model was offered it")}}
	s["reply"] = match.Key{Shape: match.Shape{"id": text("the sender's id of the request"), "text": text("what is replied"), "is_error": truth("true: it says what went wrong")}}
	for key, name := range map[string]string{"store": "entry", "notice": "notice", "report": "report", "message": "sent", "question": "question", "audit": "audit"} { // order-free: a map is made of a map
		s[key] = match.Key{Shape: shapes(name)}
	}
	return s
}

// The words of things that a run has.

func kinds() []string {
	return wordsFrom(fsm.KindUser, fsm.KindEvent, fsm.KindInit, fsm.KindFarewell, fsm.KindSystem, fsm.KindSchedule, fsm.KindSubagent, fsm.KindMemory)
}

func outcomes() []string {
	return wordsFrom(fsm.OutcomeAnswered, fsm.OutcomeExhausted, fsm.OutcomeCut, fsm.OutcomeFailed, fsm.OutcomeTimeout, fsm.OutcomeCancelled, fsm.OutcomeRefused)
}

func purposes() []string {
	return wordsFrom(fsm.PurposeAnswer, fsm.PurposeInit, fsm.PurposeFarewell, fsm.PurposeSummary, fsm.PurposeCompact, fsm.PurposeSubagent, fsm.PurposePrefill)
}

func notices() []string { return wordsFrom(fsm.NoticeDeferred, fsm.NoticeQueued, fsm.NoticeHeld) }

func questions() []string {
	return wordsFrom(fsm.QuestionApprove, fsm.QuestionUnknown, fsm.QuestionCrashes, fsm.QuestionDoubt)
}

// sources are those that a text can have (MSG-1).
func sources() []string { return fsm.Source(1<<8 - 1).Names() }

// Foreign are the keys within a struct's matchers that what they are for never has, and the
// matchers that nothing of it fits (SCN-56).
func Foreign(path string, of any) []strict.Problem {
	return foreignIn(path, reflect.Indirect(reflect.ValueOf(of)))
}

// foreignIn reads the tags of the matchers alone that are given, which are few.
func foreignIn(path string, v reflect.Value) (problems []strict.Problem) {
	for i := range v.NumField() {
		if in := v.Field(i); in.Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
			problems = append(problems, foreignIn(path, in)...)
		} else if m, ok := matcherIn(in); ok {
			tag := v.Type().Field(i).Tag
			name, _, _ := strings.Cut(tag.Get("key"), ",")
			problems = append(problems, foreign(strict.Member(path, name), m, name, keyOf(tag, m))...)
		}
	}
	return problems
}

// keyOf is what a matcher is for by the tag of its field.
func keyOf(tag reflect.StructTag, m *match.Matcher) match.Key {
	of := ShapeOf(tag.Get("of"))
	switch in := tag.Get("list"); {
	case in == "paths":
		return list(list(of))
	case in == "counted" && (m.ForNumber() || m.NoCount(0)):
		return count("")
	case in != "":
		return list(of)
	default:
		return of
	}
}

// matcherIn is the matcher that a field has, or false.
func matcherIn(v reflect.Value) (*match.Matcher, bool) {
	if !v.CanInterface() {
		return nil, false
	}
	switch m := v.Interface().(type) {
	case *match.Matcher:
		return m, m != nil
	case match.Matcher:
		return &m, true
	default:
		return nil, false
	}
}

func foreign(path string, m *match.Matcher, key string, of match.Key) (problems []strict.Problem) {
	for _, f := range m.Foreign(key, of) {
		problems = append(problems, strict.Problem{Pos: f.Pos, Path: path, Text: foreignText(f)})
	}
	return problems
}

func foreignText(f match.Foreign) string {
	if f.Matcher != nil {
		return misfit(f)
	}
	switch operator := "$" + f.Key; {
	case len(f.Allowed) == 0:
		return "wants a text, a number, a list or a matcher, not a map: " + match.Unknown(f.Key)
	case slices.Contains(match.MatcherNames(), operator):
		return "unknown key " + f.Key + "; did you mean the matcher " + operator + "?"
	default:
		return wording.Unknown("key", f.Key, f.Allowed)
	}
}

// noWord says which words there are where a matcher fits none of them.
func noWord(key string, m *match.Matcher, words []string) string {
	is := m.String()
	if text, ok := m.Text(); ok {
		is = text
	} else if strings.HasPrefix(is, "{") {
		return is + " fits no " + key + "; allowed: " + strings.Join(words, ", ")
	}
	return wording.Unknown(key, is, words)
}

// misfit says what would fit in place of a matcher, and how to write it.
func misfit(f match.Foreign) string {
	is := f.Matcher.String()
	none := ", and " + is + " matches none"
	text, isText := f.Matcher.Text()
	if !isText {
		text = is
	}
	lacks := ""
	if f.Of.Lists == 0 {
		lacks = f.Matcher.Lacks(f.Of)
	}
	switch {
	case lacks != "":
		return "each has the key " + lacks + " too, so that " + is + " without it matches none; name every key, or ask for some without $exact and $literal"
	case f.Of.Lists > 0:
		return "wants a list" + none + "; write [" + is + "], or {$contains: " + is + "} for one of several"
	case f.Of.Words != nil:
		return noWord(f.Key, f.Matcher, f.Of.Words)
	}
	switch f.Of.Sort {
	case match.Maps:
		return "wants a map of " + strings.Join(f.Of.Shape.Keys(), ", ") + none
	case match.Numbers:
		return "wants a number" + none
	case match.Counts:
		return "there are never " + is + " of them; give a whole number from 0 on, or a matcher of such numbers"
	case match.Ordinals:
		return "the first is 1, and " + is + " matches none; give a whole number from 1 on, or a matcher of such numbers"
	case match.Switches:
		return "wants true or false, and " + is + " matches neither"
	case match.Durations:
		return "wants a duration such as 300s or 1.5s" + none + wording.Days(text)
	case match.Times:
		return "wants a time such as \"2026-01-05T09:00:00Z\"" + none + data.NoTime(text)
	}
	wants := "wants text"
	if len(f.Of.Shape) > 0 {
		wants += " or a map of " + strings.Join(f.Of.Shape.Keys(), ", ")
	}
	if f.Matcher.Unquoted() {
		none += "; quote it if it is meant as text"
	}
	return wants + none
}
