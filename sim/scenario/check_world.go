package scenario

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// checkConfig wants the tools that it names to be there.
func (d *decoder) checkConfig(path string, c *Config, f *File) {
	if c == nil {
		return
	}
	known := append(f.Tools.names(), builtinNames()...)
	for i, name := range c.tools {
		if !slices.Contains(known, name) {
			d.at(element(path+".tools", i), unknown("tool", name, known))
		}
	}
}

func builtinNames() []string {
	return []string{fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference}
}

func (d *decoder) checkSkills(f *File) {
	var names []string
	for i, s := range f.Skills {
		if at := element("skills", i); s.Name == "" {
			d.at(at+".name", "is empty")
		} else if slices.Contains(names, s.Name) {
			d.at(at+".name", "an entry before has this name")
		}
		names = append(names, s.Name)
	}
	for _, s := range f.Sessions {
		at := "sessions." + shown(s.Name)
		d.checkSaid(at+".history", s.Value.History)
		d.checkSaid(at+".pending", s.Value.Pending)
		d.checkLoaded(at+".skills", s.Value.Skills, f)
	}
}

// checkLoaded wants the text of each loaded skill.
func (d *decoder) checkLoaded(path string, skills []Loaded, f *File) {
	for i, l := range skills {
		if _, ok := f.skillText(l); ok {
			continue
		}
		at := element(path, i)
		if l.Reference != "" {
			d.at(at, "the file's skills have no reference "+shown(l.Reference)+" of "+shown(l.Name)+"; give its text")
			continue
		}
		var names []string
		for _, s := range f.Skills {
			names = append(names, s.Name)
		}
		d.at(at, unknown("skill", l.Name, names))
	}
}

func (d *decoder) checkSaid(path string, said []Said) {
	for i, s := range said {
		d.checkCalls(element(path, i)+".calls", s.Calls)
	}
}

func (d *decoder) checkCalls(path string, calls []Call) {
	for i, c := range calls {
		d.oneOf(element(path, i), choice{"args", c.Args != ""}, choice{"malformed_arguments", c.Bad != ""})
		if c.Bad != "" && wellFormed(c.Bad) {
			d.at(element(path, i)+".malformed_arguments", wantsMalformed)
		}
	}
}

func (d *decoder) checkTimeline(f *File) {
	asked := false
	for i := range f.Timeline {
		m, at := &f.Timeline[i], element("timeline", i)
		d.checkMoment(f, at, m)
		if m.Again && !asked {
			d.at(at, "there is no request before it")
		}
		asked = asked || m.asks()
	}
}

// checkMoment checks a moment by itself.
func (d *decoder) checkMoment(f *File, at string, m *Moment) {
	happens := m.happens()
	if d.oneOf(at, happens...) == 0 {
		var keys []string
		for _, c := range happens {
			keys = append(keys, c.key)
		}
		last := len(keys) - 1
		d.at(at, "nothing happens; give one of "+strings.Join(keys[:last], ", ")+" and "+keys[last])
	}
	if source, kind := m.Event.names(); m.Event != nil && (source == "" || kind == "") {
		d.at(at+".event", "the key source is missing; give it, or a kind such as disk.full")
	}
	d.checkServices(at, m)
	d.checkPeople(at, m)
	d.checkConfig(at+".configure", m.Configure, f)
	if m.EditSaved != nil {
		d.checkSaid(at+".edit_session.history", m.EditSaved.History)
		d.checkSaid(at+".edit_session.pending", m.EditSaved.Pending)
		d.checkLoaded(at+".edit_session.skills", m.EditSaved.Skills, f)
	}
	d.checkSaid(at+".context", m.Context)
	if !m.asks() && (m.Session != "" || m.Channel != "" || m.Chat != "" || m.ID != "" || m.Images != nil || m.Context != nil) {
		d.at(at, "session, channel, chat, id, images and context belong to user")
	}
	if m.Command != "" && !strings.HasPrefix(m.Command, "/") {
		d.at(at+".command", "a command begins with /, such as /new")
	}
	if m.Optional && m.Cancel == nil && m.Approve == nil && m.Deny == nil && m.Resolve == nil {
		d.at(at+".optional", "is for cancel, approve, deny and resolve")
	}
}

// happens are the things that may happen at a moment, in the order of the format.
func (m *Moment) happens() []choice {
	return []choice{
		{"user", m.User != nil}, {"command", m.Command != ""}, {"event", m.Event != nil}, {"duplicate_last", m.Again},
		{"cancel", m.Cancel != nil}, {"approve", m.Approve != nil}, {"deny", m.Deny != nil}, {"resolve", m.Resolve != nil},
		{"configure", m.Configure != nil}, {"edit_memory", m.EditFile != nil}, {"edit_session", m.EditSaved != nil},
		{"shutdown", m.Shutdown != ""}, {"start", m.Start}, {"no_space", m.Full != 0}, {"clock_jump", m.Jump != 0},
		{"store", m.Store != nil}, {"recall", m.Recall != nil}, {"embedding", m.Embedding != nil},
		{"sessions", m.Sessions != nil}, {"skills", m.Skills != nil},
	}
}

func (d *decoder) checkServices(at string, m *Moment) {
	d.checkOutage(at+".store", m.Store)
	d.checkOutage(at+".recall", m.Recall)
	d.checkOutage(at+".embedding", m.Embedding)
	d.checkOutage(at+".skills", m.Skills)
	if m.Sessions != nil {
		d.checkOutage(at+".sessions", m.Sessions.outage())
	}
}

// checkPeople wants of each choice what it can choose by.
func (d *decoder) checkPeople(at string, m *Moment) {
	if c := m.Cancel; c != nil && (c.Nth != nil || c.Tool != "" || c.By != "") {
		d.at(at+".cancel", "wants true for the last request, or the id of one")
	}
	for _, q := range []struct {
		key string
		of  *Pick
	}{{"approve", m.Approve}, {"deny", m.Deny}} {
		if q.of != nil && q.of.ID != "" {
			d.at(at+"."+q.key, "wants true for the last question that is open, a number, or a map of nth, tool, by; found the text "+shown(q.of.ID))
		}
	}
}
