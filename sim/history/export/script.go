package export

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/heard"
	"shelly/sim/history"
	"shelly/sim/scenario/format"
)

// scripts adds what the model said, by purpose.
func (s *story) scripts(o *object) {
	lines := map[fsm.Purpose][]any{} // only looked up
	if s.follows {
		lines[fsm.PurposeAnswer] = s.before()
	}
	for _, c := range of[fsm.AskBrain](s) {
		ask, _ := c.effect.(fsm.AskBrain)
		line := s.line(c)
		if ask.Purpose == fsm.PurposeSummary && (s.follows || s.stopped) {
			session := s.record.session(ask.Session)
			if s.follows && len(lines[ask.Purpose]) == 0 { // that of the request before
				lines[ask.Purpose] = []any{object{{"session", session}, {"says", "It is done."}, {"optional", true}}}
			}
			line.text("session", session) // not for a farewell's
		}
		lines[ask.Purpose] = append(lines[ask.Purpose], line)
	}
	for range s.record.Handles[min(1, len(s.record.Handles)):] { // each subagent reports to the session (HND-40)
		lines[fsm.PurposeAnswer] = append(lines[fsm.PurposeAnswer], object{{"says", "It is done."}, {"optional", true}})
	}
	o.list("brain", lines[fsm.PurposeAnswer])
	var others object
	for _, p := range []fsm.Purpose{fsm.PurposeSummary, fsm.PurposeCompact, fsm.PurposeSubagent} {
		others.list(string(p), lines[p])
	}
	o.object("brain_for", others)
}

// writesCalls reports whether the model has no calls of its own (BRN-16).
func (s *story) writesCalls() bool {
	return slices.ContainsFunc(of[fsm.AskBrain](s), func(c *call) bool {
		in, ok := c.answer.Fact.(fsm.BrainAnswered)
		return ok && in.AsText
	})
}

// line is one answer of the model.
func (s *story) line(c *call) object {
	var o object
	if c.answer.Fact == nil {
		return object{{"hangs", true}}
	}
	if in, ok := c.answer.Fact.(fsm.BrainAnswered); ok {
		o.text("thinks", in.Thinking)
		o.flag("empty", in.Text == "" && len(in.Calls) == 0 && in.Stop != fsm.StopMaxTokens)
		o.text("says", heard.Plain(in.Text))
		var calls []any
		for _, asked := range in.Calls {
			call := toolCall(asked)
			known := slices.ContainsFunc(slices.Concat(s.record.From.Config.Tools, s.added), func(t fsm.ToolDecl) bool { return t.Name == asked.Name })
			call.flag("undeclared", !known && asked.Name != fsm.ToolHelp)
			calls = append(calls, call)
		}
		o.list("calls", calls)
		if in.Stop == fsm.StopMaxTokens {
			o.put("stops", "length")
		}
		if c := &s.record.From.Config; in.Tokens.Prompt > 0 && (c.Switches.Compress || c.Fits()) { // by which the estimate is corrected (CTX-2)
			o.put("tokens", object{{"prompt", in.Tokens.Prompt}})
		}
		if s.streams(&o, c, in) {
			return o
		}
	}
	if in, ok := c.answer.Fact.(fsm.BrainFailed); ok {
		failing := object{{"code", string(in.Class)}}
		failing.text("message", in.Reason)
		o.put("fails", failing)
	}
	s.takes(&o, c)
	return o
}

// A model that is at work for longMin may have no more time for its first word; what it then
// writes comes in pieces that are no further apart than pieceMax.
const (
	longMin  = 300 * fsm.Second
	pieceMax = 30 * fsm.Second
)

// streams says how a model wrote that took long over it, and reports whether it could.
func (s *story) streams(o *object, c *call, in fsm.BrainAnswered) bool {
	writes := c.took - c.wrote
	chunks := int(writes/pieceMax) + 2
	pieces := chunks // the text and the thinking are cut into as many each
	if in.Thinking != "" {
		pieces *= 2
	}
	short := utf8.RuneCountInString(in.Text) < chunks || pieces > chunks && utf8.RuneCountInString(in.Thinking) < chunks
	if c.wrote == 0 || c.again > 0 || c.took < longMin || short {
		return false
	}
	o.put("takes", span(s.round(c.wrote)))
	o.put("stream", object{{"chunks", chunks}, {"every", span(s.round(writes / fsm.Millis(pieces-1)))}})
	return true
}

// takes says how long a call took, where it took any time.
func (s *story) takes(o *object, c *call) {
	if took := s.round(c.took); took > 0 {
		o.put("takes", span(took))
	}
}

// toolCall is a call that the model asks for. Its id is left to the simulator.
func toolCall(c fsm.ToolCall) object {
	o := object{{"tool", c.Name}}
	args := strings.TrimSpace(c.Args)
	switch {
	case args == "" || args == "{}" || args == "null":
	case json.Valid([]byte(args)) && args[0] == '{':
		o.put("args", json.RawMessage(args))
	default:
		o.put("malformed_arguments", c.Args)
	}
	return o
}

// stubs are the tools that are declared, each with what it did.
func (s *story) stubs() object {
	var tools object
	for _, t := range slices.Concat(s.record.From.Config.Tools, s.added) {
		switch {
		case t.Builtin:
		case s.brief && !s.names(t.Name):
			tools.put(t.Name, []any{})
		default:
			tools.put(t.Name, s.entries(t))
		}
	}
	return tools
}

// names reports whether a tool ran, or the model called it or wrote its name where it writes calls.
func (s *story) names(tool string) bool {
	return slices.ContainsFunc(s.asked, func(c *call) bool {
		if run, ok := c.effect.(fsm.RunTool); ok && run.Name == tool {
			return true
		}
		in, _ := c.answer.Fact.(fsm.BrainAnswered)
		return in.AsText && strings.Contains(in.Text, tool) || slices.ContainsFunc(in.Calls, func(c fsm.ToolCall) bool { return c.Name == tool })
	})
}

// entries are a tool's declaration and its results, in order.
func (s *story) entries(t fsm.ToolDecl) []any {
	var came []object
	for _, c := range of[fsm.RunTool](s) {
		if run, _ := c.effect.(fsm.RunTool); run.Name == t.Name {
			came = append(came, s.entry(c))
		}
	}
	declared := declarations(t)
	var list []any
	for i := range max(len(came), len(declared)) {
		var o object
		if i < len(declared) {
			o = declared[i]
		}
		if i < len(came) {
			o = append(o, came[i]...)
		} else {
			o.put("optional", true)
		}
		if i == 0 && t.Probe && !o.has("probe") {
			o.put("probe", object{{"answers", format.ProbeTruth}})
		}
		list = append(list, o)
	}
	return list
}

// declarations are what the first entries of a tool say of it: one, and more where it has
// rules that do not fit into one.
func declarations(t fsm.ToolDecl) []object {
	var head object
	head.text("description", t.Description)
	if t.Parameters != "" && json.Valid([]byte(t.Parameters)) {
		head.put("parameters", json.RawMessage(t.Parameters))
	}
	if t.Effects != fsm.EffectsUnsafe {
		head.text("effects", string(t.Effects))
	}
	head.flag("approve", t.Approve)
	if len(t.Subject) > 0 {
		head.put("subject", t.Subject)
	}
	list := []object{head}
	for _, r := range t.Rules {
		last := &list[len(list)-1]
		key := "approve_unless"
		if r.Ask {
			key = "approve_if" // counts before the other of its entry
		}
		if last.has("approve_unless") || last.has(key) {
			list = append(list, nil)
			last = &list[len(list)-1]
		}
		last.put(key, matches(r.Match))
	}
	return list
}

func matches(patterns []fsm.ArgMatch) object {
	var o object
	for _, p := range patterns {
		o.put(p.Argument, p.Like)
	}
	return o
}

// entry is what came of one start of a tool.
func (s *story) entry(c *call) object {
	var o object
	switch in := c.answer.Fact.(type) {
	case fsm.ToolAnswered:
		switch {
		case in.Asks != "":
			o.put("asks", in.Asks)
		case in.Failed:
			o.put("fails", s.whole(in.Text, in.Kept))
			o.flag("nothing", in.Nothing)
			o.flag("invalid", in.Invalid)
		default:
			o.put("returns", s.whole(in.Text, in.Kept))
		}
	default: // it was stopped, or its answer never came
		how := "hangs"
		if in == nil && s.aborted(c) {
			how = "deaf"
		}
		o.put(how, true)
		o.object("probe", s.probe(c))
		return o
	}
	s.takes(&o, c)
	o.object("probe", s.probe(c))
	return o
}

// aborted reports whether a call was to stop.
func (s *story) aborted(c *call) bool {
	return slices.ContainsFunc(s.record.Steps, func(step history.Step) bool {
		return slices.Contains(step.Effects, fsm.Effect(fsm.AbortCall{Call: c.id}))
	})
}

// probe is what a tool's probe said of a start that a crash interrupted; nothing where it
// was not asked.
func (s *story) probe(started *call) (o object) {
	run, _ := started.effect.(fsm.RunTool)
	for _, c := range of[fsm.RunProbe](s) {
		if asked, _ := c.effect.(fsm.RunProbe); asked.Key != run.Key || asked.Attempt != run.Attempt {
			continue
		}
		o = nil
		switch in := c.answer.Fact.(type) {
		case fsm.Probed:
			o.put("answers", string(in.Answer))
			if in.Answer == fsm.ProbeDone {
				o.text("returns", in.Text)
			}
			s.takes(&o, c)
		default:
			o = object{{"answers", format.ProbeTruth}, {"hangs", true}}
		}
	}
	return o
}

// services adds how memory, sessions and skills behaved where they did not just work,
// as faults of the n-th call.
func (s *story) services(faults *object) {
	for _, f := range []struct {
		key, only string
		effect    fsm.Effect
		made      []*call
		why       func(fsm.Fact) string // it failed
	}{
		{"recall", "", fsm.Recall{}, of[fsm.Recall](s), failed(func(f fsm.Recalled) string { return f.Error })},
		{"embedding", "", fsm.Embed{}, of[fsm.Embed](s), failed(func(f fsm.Embedded) string { return f.Error })},
		{"store", "", fsm.Store{}, of[fsm.Store](s), failed(func(f fsm.Stored) string { return f.Error })},
		{"sessions", "load", fsm.LoadSession{}, of[fsm.LoadSession](s), failed(func(f fsm.SessionLoaded) string { return f.Error })},
		{"sessions", "save", fsm.SaveSession{}, of[fsm.SaveSession](s), failed(func(f fsm.SessionSaved) string { return f.Error })},
		{"skills", "", fsm.LoadSkill{}, of[fsm.LoadSkill](s), failed(func(f fsm.SkillLoaded) string { return f.Error })},
	} {
		var list []any
		var all []*call // each as often as it was made, but for a crash
		for _, c := range f.made {
			all = append(all, slices.Repeat([]*call{c}, 1+c.again-c.redone)...)
		}
		for i, c := range all {
			var o object
			o.text("only", f.only)
			o.put("nth", s.ahead[fsm.EffectKind(f.effect)]+i+1)
			switch why := f.why(c.answer.Fact); {
			case c.answer.Fact == nil:
				o.put("hangs", true)
			case why != "":
				o.put("fails", why)
			case s.round(c.took) < serviceTakesMin:
				continue
			}
			s.takes(&o, c)
			o.flag("optional", c.again > 0) // a start may not have come to it
			list = append(list, o)
		}
		at := slices.IndexFunc(*faults, func(m member) bool { return m.key == f.key })
		if at < 0 {
			faults.list(f.key, list)
			continue
		}
		before, _ := (*faults)[at].value.([]any)
		(*faults)[at].value = append(before, list...)
	}
}

// serviceTakesMin is how long a service takes at least that a scenario tells of.
const serviceTakesMin = 100

// failed is why a call of a service failed; empty where it did not, or no answer came.
func failed[F fsm.Answer](why func(F) string) func(fsm.Fact) string {
	return func(f fsm.Fact) string {
		if said, ok := f.(F); ok {
			return why(said)
		}
		return ""
	}
}
