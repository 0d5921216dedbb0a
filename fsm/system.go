package fsm

import "strings"

// system is the system prompt of a model call, built anew for each (SKL-2).
func (m *Machine) system(h *Handle) string {
	p := &m.s.Config.Prompts
	if h.Kind == KindSubagent && p.Subagent != "" {
		return p.Subagent
	}
	if len(p.Sections) == 0 {
		return p.Identity
	}
	var b strings.Builder
	b.WriteString(p.Identity)
	for _, s := range p.Sections {
		shown := m.content(h, s.Of)
		if s.Of != OfText && shown == "" {
			if s.Of != OfMemory || s.Text == "" {
				continue
			}
		}
		b.WriteString(m.word(WordSection, "title", s.Title))
		b.WriteString(s.Text)
		if s.Text != "" && shown != "" {
			b.WriteString("\n\n")
		}
		b.WriteString(shown)
	}
	return b.String()
}

// content is what a section shows of the state.
func (m *Machine) content(h *Handle, of Content) string {
	var lines []string
	switch of {
	case OfTools:
		for _, t := range m.s.Config.Offered(h.toolset()) {
			lines = append(lines, m.word(WordToolLine, "tool", t.Name, "description", t.Description))
		}
	case OfAlwaysSkills: // SKL-7
		for _, s := range m.s.Config.Skills {
			if s.Always {
				lines = append(lines, m.word(WordSkillTitle, "skill", s.Name, "text", s.Text))
			}
		}
	case OfSkills:
		for _, s := range m.s.Config.Skills {
			if !s.Always {
				lines = append(lines, m.word(WordSkillLine, "mark", m.mark(h, s.Name), "skill", s.Name, "summary", s.Summary))
			}
		}
	case OfLoadedSkills:
		for _, s := range h.Sess.Skills {
			title := WordSkillTitle
			if s.Reference != "" {
				title = WordReferenceTitle
			}
			lines = append(lines, m.word(title, "skill", s.Name, "reference", s.Reference, "text", s.Text))
		}
	case OfMemory:
		if text := strings.TrimSpace(h.Sess.Memory); text != "" {
			return m.word(WordMemoryFile, "text", text)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// mark tells whether a skill is loaded (SKL-3).
func (m *Machine) mark(h *Handle, skill string) string {
	if h.Sess.loaded(skill, "") {
		return m.word(WordSkillMarkLoaded)
	}
	return m.word(WordSkillMarkUnloaded)
}

func (s *Session) loaded(skill, reference string) bool {
	for _, k := range s.Skills {
		if k.Name == skill && k.Reference == reference {
			return true
		}
	}
	return false
}

// shows reports whether the system prompt has a section of some content.
func (p *Prompts) shows(of Content) bool {
	for _, s := range p.Sections {
		if s.Of == of {
			return true
		}
	}
	return false
}
