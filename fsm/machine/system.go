package machine

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// system is the system prompt of a model call, built for each (SKL-2).
func (m *Machine) system(h *state.Handle) string {
	p := &m.s.Config.Prompts
	first, subagent := p.Identity, h.Kind == fsm.KindSubagent && p.Subagent != ""
	if subagent {
		first = p.Subagent
	}
	var b strings.Builder
	b.WriteString(first)
	for _, s := range p.Sections {
		if subagent && !s.Subagents || s.Needs != "" && !m.offers(h, s.Needs) { // SKL-8
			continue
		}
		shown := m.content(h, s.Of)
		if s.Of != fsm.OfText && shown == "" {
			if s.Of != fsm.OfMemory || s.Text == "" {
				continue
			}
		}
		b.WriteString(m.word(fsm.WordSection, "title", s.Title))
		b.WriteString(s.Text)
		if s.Text != "" && shown != "" {
			b.WriteString("\n\n")
		}
		b.WriteString(shown)
	}
	return b.String()
}

// offers reports whether a handle's model calls offer a tool.
func (m *Machine) offers(h *state.Handle, tool string) bool {
	_, ok := m.s.Config.Declared(h.Toolset(), tool)
	return ok
}

// content is what a section shows of the state.
func (m *Machine) content(h *state.Handle, of fsm.Content) string {
	var lines []string
	switch of {
	case fsm.OfTools:
		for _, t := range m.s.Config.Offered(h.Toolset()) {
			lines = append(lines, m.word(fsm.WordToolLine, "tool", t.Name, "description", t.Description))
		}
	case fsm.OfAlwaysSkills: // SKL-7
		for _, s := range m.s.Config.Skills {
			if s.Always {
				lines = append(lines, m.word(fsm.WordSkillTitle, "skill", s.Name, "text", s.Text))
			}
		}
	case fsm.OfSkills:
		for _, s := range m.s.Config.Skills {
			if !s.Always {
				lines = append(lines, m.word(fsm.WordSkillLine, "mark", m.mark(h, s.Name), "skill", s.Name, "summary", s.Summary))
			}
		}
	case fsm.OfSkillList:
		for _, s := range m.s.Config.Skills {
			if !s.Always {
				lines = append(lines, m.word(fsm.WordSkillListed, "skill", s.Name, "summary", s.Summary))
			}
		}
	case fsm.OfLoadedSkills:
		for _, s := range h.Sess.Skills {
			title := fsm.WordSkillTitle
			if s.Reference != "" {
				title = fsm.WordReferenceTitle
			}
			lines = append(lines, m.word(title, "skill", s.Name, "reference", s.Reference, "text", s.Text))
		}
	case fsm.OfMemory:
		if text := strings.TrimSpace(h.Sess.Memory); text != "" {
			return m.word(fsm.WordMemoryFile, "text", m.within(h, text, m.s.Config.MemoryRoom()))
		}
	}
	shown := strings.TrimSpace(strings.Join(lines, "\n"))
	if of == fsm.OfLoadedSkills {
		return m.within(h, shown, m.s.Config.SkillsRoom())
	}
	return shown
}

// within is what is shown of a text that has a share of the window (CTX-15).
func (m *Machine) within(h *state.Handle, text string, room int) string {
	if !m.s.Config.Fits() {
		return text
	}
	return m.s.Config.Words.Shorten(text, h.Sess.Share(room))
}

// mark tells whether a skill is loaded (SKL-3).
func (m *Machine) mark(h *state.Handle, skill string) string {
	if h.Sess.HasSkill(skill, "") {
		return m.word(fsm.WordSkillMarkLoaded)
	}
	return m.word(fsm.WordSkillMarkUnloaded)
}
