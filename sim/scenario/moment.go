package scenario

import (
	"strconv"

	"shelly/fsm"
	"shelly/sim"
)

// timeline is what happens, in the order of the file (SCN-6).
func (f *File) timeline() []sim.Moment {
	var moments []sim.Moment
	requests := 0
	settings := []*Config{f.Config}
	tools := f.Config.names(nil)
	for i := range f.Timeline {
		m := &f.Timeline[i]
		if m.asks() {
			requests++
		}
		if m.Configure != nil {
			settings = append(settings, m.Configure)
			tools = m.Configure.names(tools)
			moments = append(moments, sim.Moment{
				At: fsm.Millis(m.At), Configure: &sim.Configure{Config: f.config(settings...), Tools: tools},
			})
			continue
		}
		moments = append(moments, f.moment(m, requests))
	}
	return moments
}

// asks reports whether the moment is a request.
func (m *Moment) asks() bool { return m.User != nil || m.Command != "" }

// moment is the moment as the simulator plays it; nth counts the requests.
func (f *File) moment(m *Moment, nth int) sim.Moment {
	out := sim.Moment{At: fsm.Millis(m.At), Again: m.Again, Signal: string(m.Shutdown), Boot: m.Start, Full: fsm.Millis(m.Full), Jump: fsm.Millis(m.Jump), Optional: m.Optional}
	switch {
	case m.asks():
		out.Request = m.request(nth)
	case m.Event != nil:
		e := m.Event
		source, kind := e.names()
		out.Event = &fsm.EventRaised{Source: source, Subject: e.Subject, Event: kind, Detail: e.Detail}
	case m.Cancel != nil:
		out.Cancel = &sim.Cancel{ID: m.Cancel.ID}
	case m.Approve != nil:
		out.Answer = m.Approve.decision(true)
	case m.Deny != nil:
		out.Answer = m.Deny.decision(false)
	case m.Resolve != nil:
		out.Answer = &sim.PersonAnswer{Text: m.Resolve.Text}
		set(&out.Answer.Nth, m.Resolve.Nth)
	case m.EditFile != nil:
		out.Edit = &sim.Edit{MemoryFile: m.EditFile}
	case m.EditSaved != nil:
		e := m.EditSaved
		out.Edit = &sim.Edit{Session: e.Name, History: messages(e.History), Pending: messages(e.Pending), Skills: f.loaded(e.Skills)}
	default:
		m.services(&out)
	}
	return out
}

// request is the moment's request. Its session is left to the machine where the
// origin says it.
func (m *Moment) request(nth int) *fsm.Requested {
	in := &fsm.Requested{
		Request: fsm.RequestKey{Channel: m.Channel, ID: m.ID},
		Session: m.Session,
		Origin:  fsm.Origin{Channel: m.Channel, Chat: m.Chat},
		Text:    m.Command,
		Images:  images(m.Images),
		Context: messages(m.Context),
	}
	if m.User != nil {
		in.Text = *m.User
	}
	if in.Request.ID == "" {
		in.Request.ID = "r" + strconv.Itoa(nth)
	}
	if in.Session == "" && in.Origin == (fsm.Origin{}) {
		in.Session = defaultSession
	}
	return in
}

func (v *Pick) decision(approve bool) *sim.PersonAnswer {
	a := &sim.PersonAnswer{Decision: true, Approve: approve, By: v.By, Tool: v.Tool}
	set(&a.Nth, v.Nth)
	return a
}

// services are the services that go otherwise from now on.
func (m *Moment) services(out *sim.Moment) {
	for _, s := range []struct {
		to *(*sim.Service)
		of *Outage
	}{{&out.Storing, m.Store}, {&out.Recalling, m.Recall}, {&out.Embedding, m.Embedding}, {&out.Skilling, m.Skills}} {
		if s.of != nil {
			service := s.of.service()
			*s.to = &service
		}
	}
	if m.Sessions == nil {
		return
	}
	service := m.Sessions.outage().service()
	if m.Sessions.Only != "save" {
		out.Loading = &service
	}
	if m.Sessions.Only != "load" {
		out.Saving = &service
	}
}

func (o *SessionOutage) outage() *Outage { return &Outage{o.Fails, o.Hangs, o.Works, o.Takes} }

// images are pictures whose bytes the texts stand for.
func images(texts []string) [][]byte {
	var list [][]byte
	for _, t := range texts {
		list = append(list, []byte(t))
	}
	return list
}

// messages are messages as they are saved; an empty list is not nil.
func messages(said []Said) []fsm.Message {
	if said == nil {
		return nil
	}
	list := []fsm.Message{}
	for _, s := range said {
		list = append(list, fsm.Message{
			Role: fsm.Role(s.Role), Text: s.Text, Thinking: s.Thinks, Calls: toolCalls(s.Calls),
			Tool: s.Tool, ToolCall: s.ID, Images: images(s.Images), Used: s.Used,
		})
	}
	return list
}

// sessions is what the store of sessions holds before the first start.
func (f *File) sessions() []sim.Saved {
	var list []sim.Saved
	for _, s := range f.Sessions {
		own := s.Value
		saved := sim.Saved{Name: s.Name, State: fsm.Session{
			History: messages(own.History), Pending: messages(own.Pending), Skills: f.loaded(own.Skills),
		}}
		set(&saved.State.Ratio, own.Ratio)
		list = append(list, saved)
	}
	return list
}

// skills are the skills that there are.
func (f *File) skills() []sim.Skill {
	var list []sim.Skill
	for _, s := range f.Skills {
		skill := sim.Skill{Name: s.Name, Summary: s.Summary, Always: s.Always, Text: s.Text}
		for _, r := range s.References {
			skill.References = append(skill.References, sim.Reference{Name: r.Name, Text: r.Value})
		}
		list = append(list, skill)
	}
	return list
}

// loaded are loaded skills; an empty list is not nil.
func (f *File) loaded(skills []Loaded) []fsm.LoadedSkill {
	if skills == nil {
		return nil
	}
	list := []fsm.LoadedSkill{}
	for _, l := range skills {
		text, _ := f.skillText(l) // checked when the file was loaded
		list = append(list, fsm.LoadedSkill{Name: l.Name, Reference: l.Reference, Text: text})
	}
	return list
}

// skillText returns the text of a loaded skill, or false where the file has none.
func (f *File) skillText(l Loaded) (string, bool) {
	if l.Text != nil {
		return *l.Text, true
	}
	for _, s := range f.Skills {
		if s.Name != l.Name {
			continue
		}
		if l.Reference == "" {
			return s.Text, true
		}
		return s.References.Get(l.Reference)
	}
	return "", false
}
