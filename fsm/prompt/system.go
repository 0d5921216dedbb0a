package prompt

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// sectionBytes is about how many bytes a section takes besides its text.
const sectionBytes = 64

// System returns the system prompt of a model call, built for each (SKL-2).
func System(c *fsm.Config, h *state.Handle) string {
	p := &c.Prompts
	first, subagent := p.Identity, h.Kind == fsm.KindSubagent && p.Subagent != ""
	if subagent {
		first = p.Subagent
	}
	var b strings.Builder
	room := len(first)
	for i := range p.Sections {
		room += len(p.Sections[i].Text) + sectionBytes
	}
	b.Grow(room)
	b.WriteString(first)
	for _, s := range p.Sections {
		if subagent && !s.Subagents || !offers(c, h, s.Needs) { // SKL-8
			continue
		}
		shown := content(c, h, s.Of)
		if s.Of != fsm.OfText && shown == "" {
			if s.Of != fsm.OfMemory || s.Text == "" {
				continue
			}
		}
		b.WriteString(c.Words.Text(fsm.WordSection, "title", s.Title))
		b.WriteString(s.Text)
		if s.Text != "" && shown != "" {
			b.WriteString("\n\n")
		}
		b.WriteString(shown)
	}
	return b.String()
}

// offers reports whether a handle's model calls offer all of tools, which are separated by
// blanks.
func offers(c *fsm.Config, h *state.Handle, tools string) bool {
	for tool := range strings.FieldsSeq(tools) {
		if _, ok := c.Declared(h.Toolset(), tool); !ok {
			return false
		}
	}
	return true
}

// content returns what a section shows of the state.
func content(c *fsm.Config, h *state.Handle, of fsm.Content) string {
	var lines []string
	switch of {
	case fsm.OfTools:
		for _, t := range c.Offered(h.Toolset()) {
			lines = append(lines, c.Words.Text(fsm.WordToolLine, "tool", t.Name, "description", t.Description))
		}
	case fsm.OfAlwaysSkills: // SKL-7
		for _, s := range c.Skills {
			if s.Always {
				lines = append(lines, c.Words.Text(fsm.WordSkillTitle, "skill", s.Name, "text", s.Text))
			}
		}
	case fsm.OfSkills, fsm.OfSkillList:
		lines = skills(c, h, of)
	case fsm.OfLoadedSkills:
		for _, s := range h.Sess.Skills {
			title := fsm.WordSkillTitle
			if s.Reference != "" {
				title = fsm.WordReferenceTitle
			}
			lines = append(lines, c.Words.Text(title, "skill", s.Name, "reference", s.Reference, "text", s.Text))
		}
	case fsm.OfMemory:
		if text := strings.TrimSpace(h.Sess.Memory); text != "" {
			return c.Words.Text(fsm.WordMemoryFile, "text", within(c, h, text, c.MemoryRoom()))
		}
	}
	shown := strings.TrimSpace(strings.Join(lines, "\n"))
	if of == fsm.OfLoadedSkills {
		return within(c, h, shown, c.SkillsRoom())
	}
	return shown
}

// within returns what is shown of a text that has a share of the window (CTX-15).
func within(c *fsm.Config, h *state.Handle, text string, room int) string {
	if !c.Fits() {
		return text
	}
	return c.Words.Shorten(text, h.Sess.Share(room))
}

// Tools returns the set of tools that the running inference offers: the one that its caller
// wants, if the present configuration declares any of it.
func Tools(c *fsm.Config, h *state.Handle) fsm.Toolset {
	for i := range c.Tools {
		if c.Offers(h.Inf.Tools, &c.Tools[i]) {
			return h.Inf.Tools
		}
	}
	return fsm.NoTools
}
