package machine

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

// builtin answers a call of a builtin tool (TOL-10). It returns false if the answer has to
// be awaited.
func (m *Machine) builtin(i int, name string) bool {
	h := &m.s.Handles[i]
	var text string
	var ok bool
	switch name {
	case fsm.ToolLoadSkill, fsm.ToolLoadReference:
		text, ok = m.loadSkill(h, name)
		if ok {
			return false
		}
	case fsm.ToolReadMore:
		text, ok = m.readMore(h)
		if ok {
			return false
		}
	case fsm.ToolHelp:
		text, ok = m.help(h)
	case fsm.ToolSpawn:
		text, ok = m.spawn(i)
		h = &m.s.Handles[i]
	case fsm.ToolMessage:
		text, ok = m.sendMessage(h)
	case fsm.ToolCron:
		text, ok = m.cron(h)
	}
	if !ok {
		text = m.word(fsm.WordError, "reason", m.explained(h, text))
	}
	m.ranWith(h, text, !ok)
	return true
}

// help answers how to call a tool, or which tools there are (TOL-62).
func (m *Machine) help(h *state.Handle) (string, bool) {
	var args struct {
		Name   string `json:"name"`
		Search string `json:"search"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	return offer.Help(&m.s.Config, h.Inf.Tools, strings.TrimSpace(args.Name), args.Search)
}

// sendMessage sends a text to a chat, by default the call's own (HND-46).
func (m *Machine) sendMessage(h *state.Handle) (string, bool) {
	var args struct {
		Content string `json:"content"`
		Channel string `json:"channel"`
		Chat    string `json:"chat_id"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	if strings.TrimSpace(args.Content) == "" {
		return m.word(fsm.WordMissingArgument, "argument", "content"), false
	}
	to := h.Origin
	if args.Channel != "" {
		to.Channel = args.Channel
	}
	if args.Chat != "" {
		to.Chat = args.Chat
	}
	if to.Channel == "" {
		return m.word(fsm.WordMessageNowhere), false
	}
	if !m.reaches(h, to.Channel) {
		known := slices.Concat(m.s.Config.Channels, m.s.Channels)
		slices.Sort(known)
		return m.word(fsm.WordMessageNobody, "channel", strconv.Quote(fsm.Clip(to.Channel, 100)), "channels", strings.Join(slices.Compact(known), ", ")), false
	}
	m.send(h, fsm.SendMessage{Key: h.UseKey(h.Inf.Calls[h.Inf.Next]), To: to, Text: args.Content})
	return m.word(fsm.WordMessageSent, "chat", to.Key()), true
}

// reaches reports whether a message may be sent to a channel (HND-46).
func (m *Machine) reaches(h *state.Handle, channel string) bool {
	return len(m.s.Config.Channels) == 0 || channel == h.Origin.Channel ||
		slices.Contains(m.s.Config.Channels, channel) || slices.Contains(m.s.Channels, channel)
}

// loadSkill asks for a skill's instructions or for one of its references (SKL-4, SKL-5). If
// it cannot ask, it returns false and why.
func (m *Machine) loadSkill(h *state.Handle, tool string) (string, bool) {
	var args struct {
		Name      string `json:"name"`
		Reference string `json:"reference"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	if tool == fsm.ToolLoadSkill {
		args.Reference = ""
	}
	skill, known := m.s.Config.Skill(args.Name)
	switch {
	case args.Name == "" && m.s.Config.Edition >= fsm.NineteenthEdition:
		return m.word(fsm.WordMissingArgument, "argument", "name"), false
	case !known:
		return m.word(fsm.WordSkillUnknown, "skill", strconv.Quote(fsm.Clip(args.Name, 100)), "skills", m.skillNames()), false
	case tool == fsm.ToolLoadReference && args.Reference == "":
		return m.word(fsm.WordMissingArgument, "argument", "reference"), false
	case tool == fsm.ToolLoadReference && !skill.Always && !h.Sess.HasSkill(args.Name, ""):
		return m.word(fsm.WordSkillUnloaded, "skill", args.Name), false
	}
	m.emit(fsm.LoadSkill{Asked: fsm.Asked{Call: m.await(h, fsm.CallSkill), Handle: h.ID}, Skill: args.Name, Reference: args.Reference})
	return "", true
}

// skillNames lists all skills; up to the eighteenth edition whatever room that took.
func (m *Machine) skillNames() string {
	if m.s.Config.Edition >= fsm.NineteenthEdition {
		return prompt.SkillNames(&m.s.Config)
	}
	var names []string
	for _, s := range m.s.Config.Skills {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// skillLoaded puts a skill's text where the profile shows it: into the system
// prompt of the calls that follow, or into the call's result.
func (m *Machine) skillLoaded(h *state.Handle, in fsm.SkillLoaded) firing {
	var args struct {
		Name      string `json:"name"`
		Reference string `json:"reference"`
	}
	_ = m.arguments(h, &args) // they were readable before the call
	decl, _ := m.declared(h, h.Inf.Calls[h.Inf.Next].Name)
	if decl.Name == fsm.ToolLoadSkill {
		args.Reference = ""
	}
	what := m.word(fsm.WordSkillName, "skill", args.Name)
	if args.Reference != "" {
		what = m.word(fsm.WordReferenceName, "reference", args.Reference, "skill", args.Name)
	}
	text := m.word(fsm.WordSkillLoaded, "what", what)
	if in.Error != "" {
		text = m.word(fsm.WordSkillBroken, "what", what, "reason", in.Error)
	}
	known := in.Error != "" || h.Sess.HasSkill(args.Name, args.Reference)
	if in.Error == "" && !m.s.Config.Prompts.Shows(fsm.OfLoadedSkills) {
		text = m.word(fsm.WordSkillText, "what", what, "text", in.Text)
	}
	return m.ran(text, in.Error != "").after(func(h *state.Handle) {
		if !known { // it stays for the session's next turns (SKL-6)
			h.Sess.Skills = append(h.Sess.Skills[:len(h.Sess.Skills):len(h.Sess.Skills)],
				fsm.LoadedSkill{Name: args.Name, Reference: args.Reference, Text: in.Text})
		}
	})
}

// spawn starts a subagent in this step (HND-39).
func (m *Machine) spawn(i int) (string, bool) {
	h := &m.s.Handles[i]
	var args struct {
		Task  string `json:"task"`
		Label string `json:"label"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	if strings.TrimSpace(args.Task) == "" {
		return m.word(fsm.WordMissingArgument, "argument", "task"), false
	}
	if n := m.s.Count(fsm.KindSubagent); n >= m.s.Config.Limits.MaxSubagents {
		return m.word(fsm.WordSpawnFull, "subagents", strconv.Itoa(n)), false
	}
	label := args.Label
	if label == "" {
		label = fsm.Clip(args.Task, 40)
	}
	child := state.Handle{Accepted: state.Accepted{Kind: fsm.KindSubagent, Parent: h.ID, Home: h.Session, Origin: h.Origin, Input: args.Task, Label: label, Source: m.derived(h, h.Inf.Talk.Messages)}}
	id := m.admit(child)
	c := &m.s.Handles[m.s.IndexOf(id)]
	c.Session = "subagent:" + id.Entry()
	return m.word(fsm.WordSpawned, "label", label, "subagent", id.Entry()), true
}
