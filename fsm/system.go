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
		b.WriteString("\n\n## " + s.Title + "\n\n")
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
			lines = append(lines, "- "+t.Name+": "+t.Description)
		}
	case OfAlwaysSkills: // SKL-7
		for _, s := range m.s.Config.Skills {
			if s.Always {
				lines = append(lines, "### Skill: "+s.Name+"\n\n"+s.Text+"\n")
			}
		}
	case OfSkills:
		for _, s := range m.s.Config.Skills {
			if !s.Always {
				lines = append(lines, "- "+h.Sess.mark(s.Name)+" "+s.Name+": "+s.Summary)
			}
		}
	case OfLoadedSkills:
		for _, s := range h.Sess.Skills {
			title := "### Skill: " + s.Name
			if s.Reference != "" {
				title = "### Reference: " + s.Name + "/" + s.Reference
			}
			lines = append(lines, title+"\n\n"+s.Text+"\n")
		}
	case OfMemory:
		if text := strings.TrimSpace(h.Sess.Memory); text != "" {
			return "MEMORY.md holds:\n\n" + text
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// mark tells whether a skill is loaded (SKL-3).
func (s *Session) mark(skill string) string {
	if s.loaded(skill, "") {
		return "[✓]"
	}
	return "[○]"
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
