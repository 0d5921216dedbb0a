package compile

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario/format"
)

// timeline is what happens, in the order of the file (SCN-6).
func timeline(f *format.File) []sim.Moment {
	var moments []sim.Moment
	requests := 0
	settings := []*format.Config{f.Config}
	tools := f.Config.Names(nil)
	for i := range f.Timeline {
		m := &f.Timeline[i]
		if m.Asks() {
			requests++
		}
		if m.Configure != nil {
			settings = append(settings, m.Configure)
			tools = m.Configure.Names(tools)
			moments = append(moments, sim.Moment{
				At: fsm.Millis(m.At), Configure: &sim.Configure{Config: Config(f, settings...), Tools: tools, Approve: approve(settings...)},
			})
			continue
		}
		moments = append(moments, moment(f, m, requests))
	}
	return moments
}

// moment is the moment as the simulator plays it; nth counts the requests.
func moment(f *format.File, m *format.Moment, nth int) sim.Moment {
	out := sim.Moment{At: fsm.Millis(m.At), Again: m.Again, Signal: string(m.Shutdown), Boot: m.Start, Full: fsm.Millis(m.Full), Jump: fsm.Millis(m.Jump), Optional: m.Optional}
	switch {
	case m.Asks():
		out.Request = requestOf(m, nth)
	case m.Event != nil:
		e := m.Event
		source, kind := e.Names()
		out.Event = &fsm.EventRaised{Source: source, Subject: e.Subject, Event: kind, Detail: e.Detail, Do: e.Do, To: fsm.Origin{Channel: e.Channel, Chat: e.Chat}}
	case m.Cancel != nil:
		out.Cancel = &sim.Cancel{ID: m.Cancel.ID}
	case m.Approve != nil:
		out.Answer = decision(m.Approve, true)
	case m.Deny != nil:
		out.Answer = decision(m.Deny, false)
	case m.Revoke != nil:
		out.Revoke = &sim.Revoke{Nth: m.Revoke.Nth.Or(0)}
	case m.Schedule != nil:
		out.Schedule = scheduled(m.Schedule)
	case m.Typing != nil:
		out.Typing = &sim.Typing{Session: *m.Typing}
	case m.Grants != nil:
		file := grants(*m.Grants)
		out.Grants = &file
	case m.Resolve != nil:
		out.Answer = &sim.PersonAnswer{Text: m.Resolve.Text}
		out.Answer.Nth = m.Resolve.Nth.Or(0)
	case m.Speeds != nil:
		out.Speeds = &sim.Speeds{Reads: m.Speeds.Reads.Or(0), Writes: m.Speeds.Writes.Or(0)}
	case m.EditFile != nil:
		out.Edit = &disk.Edit{MemoryFile: m.EditFile}
	case m.EditSaved != nil:
		e := m.EditSaved
		out.Edit = &disk.Edit{Session: e.Name, History: messages(e.History), Pending: messages(e.Pending), Skills: loaded(f, e.Skills)}
	default:
		services(m, &out)
	}
	return out
}

// request is the moment's request. Its session is left to the machine where the
// origin says it.
func requestOf(m *format.Moment, nth int) *fsm.Requested {
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
		in.Session = format.DefaultSession
	}
	return in
}

// scheduled is a person's word on a schedule.
func scheduled(s *format.Scheduling) *fsm.ScheduleChanged {
	in := &fsm.ScheduleChanged{
		Change: fsm.ScheduleAdd, Text: s.Add, Every: fsm.Millis(s.Every), Cron: s.Cron, Once: s.Once, Zone: s.Zone,
		Session: s.Session, Origin: fsm.Origin{Channel: s.Channel, Chat: s.Chat}, By: "a person",
	}
	for _, word := range []struct {
		change fsm.ScheduleChange
		id     string
	}{{fsm.ScheduleRemove, s.Remove}, {fsm.SchedulePause, s.Pause}, {fsm.ScheduleResume, s.Resume}, {fsm.ScheduleRun, s.Run}} {
		if word.id != "" {
			in.Change, in.Schedule = word.change, word.id
		}
	}
	return in
}

func decision(v *format.Pick, approve bool) *sim.PersonAnswer {
	a := &sim.PersonAnswer{Decision: true, Approve: approve, By: v.By, Tool: v.Tool, Reason: strings.TrimSpace(v.Reason)}
	a.Nth = v.Nth.Or(0)
	if v.Grant != "once" {
		a.Grant = fsm.GrantScope(v.Grant)
	}
	return a
}

// services are the services that behave differently from now on.
func services(m *format.Moment, out *sim.Moment) {
	for _, s := range []struct {
		to *(*sim.Service)
		of *format.Outage
	}{{&out.Storing, m.Store}, {&out.Recalling, m.Recall}, {&out.Embedding, m.Embedding}, {&out.Skilling, m.Skills}} {
		if s.of != nil {
			service := service(s.of)
			*s.to = &service
		}
	}
	if m.Sessions == nil {
		return
	}
	service := service(m.Sessions.Outage())
	if m.Sessions.Only != "save" {
		out.Loading = &service
	}
	if m.Sessions.Only != "load" {
		out.Saving = &service
	}
}

// images are pictures whose bytes the texts stand for.
func images(texts []string) [][]byte {
	var list [][]byte
	for _, t := range texts {
		list = append(list, []byte(t))
	}
	return list
}

// messages are messages as they are saved; an empty list is not nil.
func messages(said []format.Said) []fsm.Message {
	if said == nil {
		return nil
	}
	list := []fsm.Message{}
	for _, s := range said {
		msg := fsm.Message{
			Role: fsm.Role(s.Role), Text: s.Text, Thinking: s.Thinks, Calls: toolCalls(s.Calls),
			Tool: s.Tool, ToolCall: s.ID, Images: images(s.Images), Used: s.Used, Aside: s.Aside,
		}
		for i := range msg.Calls {
			msg.Calls[i].Text = s.AsText
		}
		if p := s.Shows; p != nil {
			msg.Part = fsm.Part{Result: int(p.Result), From: int(p.From), To: int(p.To)}
		}
		list = append(list, msg)
	}
	return list
}

// sessions is what the store of sessions holds before the first start.
func sessions(f *format.File) []disk.Saved {
	var list []disk.Saved
	for _, s := range f.Sessions {
		own := s.Value
		saved := disk.Saved{Name: s.Name, State: fsm.Session{
			History: messages(own.History), Pending: messages(own.Pending), Skills: loaded(f, own.Skills),
		}}
		saved.State.Ratio = own.Ratio.Or(0)
		for _, k := range own.Texts {
			saved.Keep(int(k.Number), k.Text)
		}
		list = append(list, saved)
	}
	return list
}

// skills are the skills that there are.
func skills(f *format.File) []sim.Skill {
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
func loaded(f *format.File, skills []format.Loaded) []fsm.LoadedSkill {
	if skills == nil {
		return nil
	}
	list := []fsm.LoadedSkill{}
	for _, l := range skills {
		text, _ := f.SkillText(l) // checked when the file was loaded
		list = append(list, fsm.LoadedSkill{Name: l.Name, Reference: l.Reference, Text: text})
	}
	return list
}
