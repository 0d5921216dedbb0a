package export

import (
	"cmp"
	"slices"

	"shelly/fsm"
	"shelly/fsm/turn"
)

// past adds what was there before the request: skills, grants, what was recalled of memory,
// and the session.
func (s *story) past(o *object) {
	o.list("skills", s.skills())
	o.list("grants", s.grants())
	o.list("memory", s.memory())
	for _, c := range of[fsm.LoadSession](s) {
		load, _ := c.effect.(fsm.LoadSession)
		in, ok := c.answer.Fact.(fsm.SessionLoaded)
		if !ok || in.Error != "" {
			continue
		}
		of := in.Session
		of.History = turn.Heard(&s.record.From.Config, of.History, s.record.From.SaidIn(load.Session)) // a case begins without what was said before it
		one := session(of)
		one.list("texts", s.texts(in.Session))
		o.object("sessions", object{{s.record.session(load.Session), one}}.kept())
		o.text("memory_file", in.Session.Memory)
		return
	}
}

// grants are those that cover calls of the sessions in which tools ran (APR-12).
func (s *story) grants() []any {
	var sessions []string
	for _, c := range of[fsm.RunTool](s) {
		run, _ := c.effect.(fsm.RunTool)
		sessions = append(sessions, run.Session)
	}
	return granted(slices.DeleteFunc(slices.Concat(s.record.From.Grants, s.record.From.Config.Grants), func(g fsm.Grant) bool {
		return g.Session != "" && !slices.Contains(sessions, g.Session)
	}))
}

// granted are grants as a scenario has them.
func granted(grants []fsm.Grant) []any {
	list := []any{}
	for _, g := range grants {
		o := object{{"tool", g.Tool}}
		if len(g.Match) > 0 {
			o.put("match", matches(g.Match))
		} else {
			o.put("any", true)
		}
		list = append(list, o)
	}
	return list
}

// kept is the map without members that have nothing in them.
func (o object) kept() object {
	return slices.DeleteFunc(o, func(m member) bool { of, ok := m.value.(object); return ok && len(of) == 0 })
}

func session(is fsm.Session) object {
	var o object
	o.list("history", said(is.History))
	o.list("pending", said(is.Pending))
	o.list("skills", loaded(is.Skills))
	if is.Ratio > 0 {
		o.put("ratio", is.Ratio)
	}
	return o
}

// loaded are the skills of a session.
func loaded(skills []fsm.LoadedSkill) (list []any) {
	for _, l := range skills {
		one := object{{"name", l.Name}}
		one.text("reference", l.Reference)
		one.put("text", l.Text)
		list = append(list, one)
	}
	return list
}

// said are messages as a scenario has them.
func said(messages []fsm.Message) []any {
	var list []any
	for _, m := range messages {
		o := object{{"role", string(m.Role)}}
		o.text("text", m.Text)
		o.text("thinking", m.Thinking)
		var calls []any
		for _, c := range m.Calls {
			call := toolCall(c)
			call.text("id", c.ID)
			calls = append(calls, call)
		}
		o.list("calls", calls)
		o.flag("as_text", slices.ContainsFunc(m.Calls, func(c fsm.ToolCall) bool { return c.Text }))
		o.text("tool", m.Tool)
		o.text("id", m.ToolCall)
		o.list("images", images(m.Images))
		var used []any
		for _, name := range m.Used {
			used = append(used, name)
		}
		o.list("used", used)
		o.flag("aside", m.Aside)
		if p := m.Part; p.Result > 0 {
			part := object{{"result", p.Result}}
			if p.From > 0 {
				part.put("from", p.From)
			}
			part.put("to", p.To)
			o.put("shows", part)
		}
		list = append(list, o)
	}
	return list
}

// images are texts that stand for pictures.
func images(list [][]byte) []any {
	var texts []any
	for _, image := range list {
		texts = append(texts, string(image))
	}
	return texts
}

// unloaded is the text of a skill that the request did not load: the daemon leaves out one without (SKL-9).
const unloaded = "It was not loaded."

// skills are those that there were, with the texts that were loaded.
func (s *story) skills() []any {
	var list []any
	for _, k := range s.record.From.Config.Skills {
		o := object{{"name", k.Name}}
		o.text("summary", k.Summary)
		o.flag("always", k.Always)
		text, references := k.Text, object{}
		for _, c := range of[fsm.LoadSkill](s) {
			load, _ := c.effect.(fsm.LoadSkill)
			in, ok := c.answer.Fact.(fsm.SkillLoaded)
			switch {
			case !ok || in.Error != "" || load.Skill != k.Name:
			case load.Reference == "":
				text = in.Text
			case !slices.ContainsFunc(references, func(m member) bool { return m.key == load.Reference }):
				references.put(load.Reference, in.Text)
			}
		}
		o.put("text", cmp.Or(text, unloaded))
		o.object("references", references)
		list = append(list, o)
	}
	return list
}

// memory are the entries that were recalled, each once. The need is searched with each,
// since the simulator looks for words, where an embedding model looks for meaning.
func (s *story) memory() []any {
	var list []any
	var known []string
	for _, c := range of[fsm.Recall](s) {
		ask, _ := c.effect.(fsm.Recall)
		in, _ := c.answer.Fact.(fsm.Recalled)
		for _, e := range in.Entries {
			if slices.Contains(known, e.Summary) {
				continue
			}
			known = append(known, e.Summary)
			o := object{{"summary", e.Summary}, {"text", ask.Need}}
			if ask.Own {
				o.text("session", s.record.session(ask.Session))
			}
			list = append(list, o)
		}
	}
	return list
}
