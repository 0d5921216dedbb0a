package export

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim/scenario/data"
)

// expect is what must hold: the reply, the states that its handle and the subagents
// went through, what a person was asked, and the tools that ran, with their arguments.
func (s *story) expect() object {
	r := s.record
	if r.Run {
		return s.expectRun()
	}
	reply := object{{"id", requestID}, {"text", loosened(r.Request.Reply, r.looks())}, {"outcome", string(r.Request.Outcome)}}
	reply.flag("is_error", r.Request.IsError)
	o := object{{"replies", []any{reply}}}
	if s.others > 0 || s.follows {
		o = object{{"replies", object{{"$contains", reply}}}}
	}
	s.expectWays(&o, object{{"id", requestID}})
	return o
}

// expectRun is what must hold of a run (SCN-70): what was sent to chats and told to the operator,
// and what must hold of a request, too.
func (s *story) expectRun() (o object) {
	messages, reports := []any{}, []any{}
	for _, step := range s.record.Steps {
		for _, e := range step.Effects {
			if !s.record.owns(fsm.HandleOf(e)) {
				continue
			}
			if sent, ok := e.(fsm.SendMessage); ok {
				one := object{{"channel", sent.To.Channel}, {"chat", sent.To.Chat}, {"text", loosened(sent.Text, false)}}
				one.flag("is_error", sent.IsError)
				messages = append(messages, one)
			}
			if told, ok := e.(fsm.Report); ok {
				reports = append(reports, loosened(told.Text, false))
			}
		}
	}
	if len(s.record.Handles) == 1 {
		o.put("messages", messages)
	} else if len(messages) > 0 { // what the session says of its subagents' reports is another's
		for i := range messages {
			messages[i] = object{{"$contains", messages[i]}}
		}
		o.put("messages", object{{"$all", messages}})
	}
	o.list("reports", reports)
	s.expectWays(&o, object{{"kind", string(s.record.kind())}})
	return o
}

// expectWays adds the states that the handles went through, the first of which is called by some
// keys, what a person was asked, and the tools that ran.
func (s *story) expectWays(o *object, first object) {
	r := s.record
	var handles []any
	for i, way := range r.ways() {
		one := first
		if i > 0 {
			one = object{{"kind", string(fsm.KindSubagent)}, {"nth", i}}
		}
		if path := states(way); len(path) > 0 && r.Ended {
			one.put("path", path)
			handles = append(handles, one)
		}
	}
	o.list("handles", handles)
	o.list("questions", s.questions())
	if audits := s.audited(); len(audits) > 0 || s.calls() {
		o.put("audit", audits) // none: a call that a person refused must not run
	}
}

// questions are the calls that a person was asked about for the request, in order. That it was
// active in several crashes its path tells.
func (s *story) questions() (list []any) {
	for _, step := range s.record.Steps {
		for _, e := range step.Effects {
			if q, ok := e.(fsm.AskPerson); ok && q.Tool != "" && s.record.owns(q.Handle) {
				list = append(list, arguments(object{{"question", string(q.Question)}, {"tool", q.Tool}}, q.Args))
			}
		}
	}
	return list
}

// audited are the calls that ran, in order.
func (s *story) audited() []any {
	list := []any{}
	for _, a := range s.audits {
		one := arguments(object{{"tool", a.Tool}}, a.Args)
		one.flag("failed", a.Failed)
		list = append(list, one)
	}
	return list
}

// calls reports whether the model asked for a tool, or may have done so in its text.
func (s *story) calls() bool {
	return slices.ContainsFunc(of[fsm.AskBrain](s), func(c *call) bool {
		in, ok := c.answer.Fact.(fsm.BrainAnswered)
		return ok && (len(in.Calls) > 0 || in.AsText)
	})
}

// arguments adds to what is expected of a call the arguments that it had.
func arguments(o object, args string) object {
	args = strings.TrimSpace(args)
	switch {
	case !json.Valid([]byte(args)) || !strings.HasPrefix(args, "{") || args == "{}":
	case stands(data.Args(args)):
		o.put("args", json.RawMessage(args))
	default:
		o.put("args", object{{"$literal", json.RawMessage(args)}})
	}
	return o
}

// stands reports whether an expectation of a value is what it looks like: no matcher, nor
// what none can be (SCN-8).
func stands(v data.Value) bool {
	switch v.Kind {
	case data.NullKind:
		return false
	case data.TextKind:
		return !strings.HasPrefix(v.Text, "$")
	case data.MapKind:
		return len(v.Members) > 0 && !slices.ContainsFunc(v.Members, func(m data.Member) bool {
			return strings.HasPrefix(m.Key, "$") || !stands(m.Value)
		})
	}
	return !slices.ContainsFunc(v.List, func(item data.Value) bool { return !stands(item) })
}

// states are those of the handle's table that a way goes through.
func states(way []taken) []string {
	var path []string
	for _, t := range way {
		switch {
		case t.Table != state.HandleTable.Name || t.Stays():
			continue
		case len(path) == 0 || path[len(path)-1] != string(t.From):
			path = append(path, string(t.From))
		}
		path = append(path, string(t.To))
	}
	return path
}

// taken is a transition, and the step of the record that took it, from 1.
type taken struct {
	state.Move
	step int
}

// ways are the transitions of the request's handle and of its subagents, each.
func (r *Record) ways() [][]taken {
	ways := make([][]taken, len(r.Handles))
	for n, s := range r.Steps {
		for _, m := range s.Moves {
			if i := slices.Index(r.Handles, m.Handle); i >= 0 {
				m.Handle = 0
				ways[i] = append(ways[i], taken{m, n + 1})
			}
		}
	}
	return ways
}

// The shapes of what another run says differently.
const (
	timeShape   = `\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`
	idShape     = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b[0-9a-f]{12,}\b`
	pathShape   = `(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/?`
	numberShape = `\d+(?:[.,:]\d+)*`
)

// loosened is a text, or a matcher that lets pass what another run says differently:
// times, ids, paths, numbers, and the states of handles if they are those of others.
func loosened(text string, states bool) any {
	shapes := []string{timeShape, idShape, pathShape, numberShape}
	lax := []string{timeShape, `[0-9a-fA-F-]{8,}`, `\S*/\S*`, numberShape} // of each, in a pattern
	if states {
		shapes, lax = append(shapes, stateShape()), append(lax, `[a-z_]+`)
	}
	volatile := regexp.MustCompile("(" + strings.Join(shapes, ")|(") + ")")
	found := volatile.FindAllStringSubmatchIndex(text, -1)
	switch {
	case len(found) > 0:
	case strings.HasPrefix(text, "$"): // what a matcher begins with (SCN-56)
		return object{{"$literal", text}}
	default:
		return text
	}
	pattern, from := "^", 0
	for _, at := range found {
		pattern += regexp.QuoteMeta(text[from:at[0]])
		for i := range shapes {
			if at[2*i+2] >= 0 {
				pattern += lax[i]
			}
		}
		from = at[1]
	}
	return object{{"$regex", pattern + regexp.QuoteMeta(text[from:]) + `$`}}
}

// stateShape is that of the name of a handle's state.
func stateShape() string {
	var names []string
	for _, row := range state.HandleTable.Rows {
		names = append(names, string(row.From), string(row.To))
	}
	return `\b(?:` + strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), "|") + `)\b`
}
