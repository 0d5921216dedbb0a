package check

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// checkConfig wants the tools that it names to be there.
func (k *checker) checkConfig(path string, c *format.Config, f *format.File) {
	if c == nil {
		return
	}
	for i, name := range c.Tools {
		k.checkNamed(f, strict.Element(path+".tools", i), name)
	}
	for _, a := range c.Approve {
		k.checkNamed(f, strict.Member(path+".approve", a.Name), a.Name)
	}
	k.checkHeartbeat(path+".heartbeat", c.Heartbeat())
}

// checkNamed wants a tool that the file or shelly has, declared at the moment or not (SCN-71). A
// replay has what it was told.
func (k *checker) checkNamed(f *format.File, path, name string) {
	known := append(f.ToolNames(), fsm.BuiltinNames()...)
	if f.Replay == nil && !slices.Contains(known, name) {
		k.at(path, wording.Unknown("tool", name, known))
	}
}

// checkHeartbeat wants something to be done at a beat, as the daemon does.
func (k *checker) checkHeartbeat(path string, h *format.Heartbeat) {
	if h != nil && h.Do == "" && h.Idle == 0 {
		k.at(path, "there is nothing to do at a beat; give do, or idle such as 4h")
	}
}

func (k *checker) checkSkills(f *format.File) {
	var names []string
	for i, s := range f.Skills {
		if at := strict.Element("skills", i); s.Name == "" {
			k.at(at+".name", "is empty")
		} else if slices.Contains(names, s.Name) {
			k.at(at+".name", "an entry before has this name")
		}
		names = append(names, s.Name)
	}
	for _, s := range f.Sessions {
		at := "sessions." + wording.Word(s.Name)
		k.checkSaid(at+".history", s.Value.History)
		k.checkSaid(at+".pending", s.Value.Pending)
		k.checkLoaded(at+".skills", s.Value.Skills, f)
	}
}

// checkLoaded wants the text of each loaded skill.
func (k *checker) checkLoaded(path string, skills []format.Loaded, f *format.File) {
	for i, l := range skills {
		if _, ok := f.SkillText(l); ok {
			continue
		}
		at := strict.Element(path, i)
		if l.Reference != "" {
			k.at(at, "the file's skills have no reference "+wording.Word(l.Reference)+" of "+wording.Word(l.Name)+"; give its text")
			continue
		}
		var names []string
		for _, s := range f.Skills {
			names = append(names, s.Name)
		}
		k.at(at, wording.Unknown("skill", l.Name, names))
	}
}

func (k *checker) checkSaid(path string, said []format.Said) {
	for i, s := range said {
		k.checkCalls(strict.Element(path, i)+".calls", s.Calls)
		if s.AsText && len(s.Calls) == 0 {
			k.at(strict.Element(path, i)+".as_text", "says that the message's calls were written as text, and it has no calls")
		}
	}
}

func (k *checker) checkCalls(path string, calls []format.Call) {
	for i, c := range calls {
		k.oneOf(strict.Element(path, i), given("args", c.Args != ""), given("malformed_arguments", c.Bad != ""))
		if c.Bad != "" && wellFormed(c.Bad) {
			k.at(strict.Element(path, i)+".malformed_arguments", wantsMalformed)
		}
	}
}

// checkNeed wants of settings, the last of which stand at a path, that a model in cognition is told how
// to ask for memory, as the daemon does. The sections of a system prompt are not configured there.
func (k *checker) checkNeed(path string, f *format.File, settings ...*format.Config) {
	c := compile.Config(f, settings...)
	if c.Profile == "" || c.Switches.NoCognition || c.Prompts.TellsNeed() || compile.Given(settings, "sections") != nil {
		return
	}
	text := fsm.NeedUntold
	for _, key := range []string{".prompts.question", ".prompts.identity", ".no_cognition", ""} {
		if k.has(path + key) {
			k.at(path+key, text)
			return
		}
		text = "prompts.question " + fsm.NeedUntold
	}
}

func (k *checker) checkTimeline(f *format.File) {
	asked := false
	settings := []*format.Config{f.Config}
	for i := range f.Timeline {
		m, at := &f.Timeline[i], strict.Element("timeline", i)
		k.checkMoment(f, at, m)
		if m.Configure != nil {
			settings = append(settings, m.Configure)
			k.checkNeed(at+".configure", f, settings...)
		}
		if m.Again && !asked {
			k.at(at, "there is no request before it")
		}
		asked = asked || m.Asks()
	}
}

// checkMoment checks a moment by itself.
func (k *checker) checkMoment(f *format.File, at string, m *format.Moment) {
	happens := m.Happens()
	if k.oneOf(at, happens...) == 0 {
		var keys []string
		for _, c := range happens {
			keys = append(keys, c.Key)
		}
		last := len(keys) - 1
		k.at(at, "nothing happens; give one of "+strings.Join(keys[:last], ", ")+" and "+keys[last])
	}
	if source, kind := m.Event.Names(); m.Event != nil && (source == "" || kind == "") {
		k.at(at+".event", "the key source is missing; give it, or a kind such as disk.full")
	}
	k.checkServices(at, m)
	if m.Speeds != nil && f.Server == nil {
		k.at(at+".server", "there is no server to be faster or slower; give server, such as server: laptop")
	}
	k.checkPeople(f, at, m)
	k.checkConfig(at+".configure", m.Configure, f)
	if m.EditSaved != nil {
		k.checkSaid(at+".edit_session.history", m.EditSaved.History)
		k.checkSaid(at+".edit_session.pending", m.EditSaved.Pending)
		k.checkLoaded(at+".edit_session.skills", m.EditSaved.Skills, f)
	}
	k.checkSaid(at+".context", m.Context)
	if !m.Asks() && (m.Session != "" || m.Channel != "" || m.Chat != "" || m.ID != "" || m.Images != nil || m.Context != nil) {
		k.at(at, "session, channel, chat, id, images and context belong to user")
	}
	if m.Command != "" && !strings.HasPrefix(m.Command, "/") {
		k.at(at+".command", "a command begins with /, such as /new")
	}
	if m.Optional && !m.Start && m.Cancel == nil && m.Approve == nil && m.Deny == nil && m.Resolve == nil && m.Revoke == nil && m.Schedule == nil {
		k.at(at+".optional", "is for start, cancel, approve, deny, resolve, revoke and schedule")
	}
}

func (k *checker) checkServices(at string, m *format.Moment) {
	k.checkOutage(at+".store", m.Store)
	k.checkOutage(at+".recall", m.Recall)
	k.checkOutage(at+".embedding", m.Embedding)
	k.checkOutage(at+".skills", m.Skills)
	if m.Sessions != nil {
		k.checkOutage(at+".sessions", m.Sessions.Outage())
	}
}

// checkSchedule wants exactly one word, and with add alone what is added.
func (k *checker) checkSchedule(f *format.File, at string, s *format.Scheduling) {
	words := 0
	for _, word := range []string{s.Add, s.Remove, s.Pause, s.Resume, s.Run} {
		if word != "" {
			words++
		}
	}
	switch times := k.oneOf(at, given("every", s.Every != 0), given("cron", s.Cron != ""), given("at", s.Once != "")); {
	case words != 1:
		k.at(at, "wants exactly one of add, remove, pause, resume and run")
	case s.Add != "" && times == 0:
		k.at(at, "give one of every, cron and at: when is it done?")
	case s.Add == "" && (times > 0 || s.Zone != "" || s.Session != "" || s.Channel != "" || s.Chat != ""):
		k.at(at, "every, cron, at, zone, session, channel and chat belong to add")
	default:
		k.checkTimes(f, at, s)
	}
}

// checkTimes wants of the times of a schedule what the machine does, as far as the file
// tells: whether a time has passed is known when it is played.
func (k *checker) checkTimes(f *format.File, at string, s *format.Scheduling) {
	zone, ok := cron.ZoneNamed(compile.Zones(f), strings.TrimSpace(s.Zone))
	if !ok {
		k.at(at+".zone", wording.Quote(s.Zone)+" is neither clock.zone, nor UTC, nor an offset such as +02:00")
		return
	}
	if _, ok := cron.ParseAt(s.Once, &zone); s.Once != "" && !ok {
		k.at(at+".at", "wants a time such as 2026-01-31T09:00 or 2026-01-31T09:00+02:00, not "+wording.Quote(s.Once)+data.NoTime(strings.TrimSpace(s.Once)))
	}
	if s.Cron == "" {
		return
	}
	if word, args, bad := cron.Problem(s.Cron, &zone, fsm.Millis(f.Start())); bad {
		k.at(at+".cron", strings.NewReplacer("not added: ", "", "cron_expr", "cron").Replace(fsm.PresentWords().Text(word, args...)))
	}
}

// checkPeople wants of each choice what it can choose by.
func (k *checker) checkPeople(f *format.File, at string, m *format.Moment) {
	if d := m.Deny; d != nil && d.Grant != "" {
		k.at(at+".deny", "a refusal is for the one call: leave grant out")
	}
	if d := m.Deny; d != nil && len(strings.TrimSpace(d.Reason)) > fsm.ReasonBytesMax {
		k.at(at+".deny.reason", fmt.Sprintf("a reason has at most %s bytes, and this one has %s; shorten it", wording.Thousands(fsm.ReasonBytesMax), wording.Thousands(len(strings.TrimSpace(d.Reason)))))
	}
	if a := m.Approve; a != nil && a.Reason != "" {
		k.at(at+".approve", "only a refusal has a reason: leave reason out")
	}
	if r := m.Revoke; r != nil && (r.Tool != "" || r.By != "" || r.Grant != "" || r.Reason != "") {
		k.at(at+".revoke", "wants true for the last grant, or a number")
	}
	if s := m.Schedule; s != nil {
		k.checkSchedule(f, at+".schedule", s)
	}
	if m.Grants != nil {
		k.checkGrants(at+".edit_grants", *m.Grants)
	}
	if c := m.Cancel; c != nil && (c.Nth != nil || c.Tool != "" || c.By != "" || c.Grant != "" || c.Reason != "") {
		k.at(at+".cancel", "wants true for the last request, or the id of one")
	}
	for _, q := range []struct {
		key string
		of  *format.Pick
	}{{"approve", m.Approve}, {"deny", m.Deny}, {"revoke", m.Revoke}} {
		if q.of != nil && len(q.of.By) > fsm.ByBytesMax {
			k.at(at+"."+q.key+".by", fmt.Sprintf("who decides has at most %d bytes, and this has %s", fsm.ByBytesMax, wording.Thousands(len(q.of.By))))
		}
		if q.of != nil && q.of.Tool != "" && q.key != "revoke" {
			k.checkNamed(f, at+"."+q.key+".tool", q.of.Tool)
		}
		if q.of != nil && q.of.ID != "" {
			k.at(at+"."+q.key, "wants true for the last question that is open, a number, or a map of nth, tool, by; found the text "+wording.Word(q.of.ID))
		}
	}
}
