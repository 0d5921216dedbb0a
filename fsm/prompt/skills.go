package prompt

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

const (
	skillsListed    = 16 // the list of skills takes at most the window divided by this
	summaryShownMax = 80 // characters of a summary, in a list that would be too long
)

// skills lists the skills that can be loaded (SKL-3), as far as there is room (SKL-13).
func skills(c *fsm.Config, h *state.Handle, of fsm.Content) []string {
	var whole, short, names []string
	for i := range c.Skills {
		if s := &c.Skills[i]; !s.Always {
			whole = append(whole, skillLine(c, h, of, s.Name, s.Summary))
			short = append(short, skillLine(c, h, of, s.Name, fsm.Clip(s.Summary, summaryShownMax)))
			names = append(names, s.Name)
		}
	}
	switch {
	case fits(c, whole):
		return whole
	case fits(c, short):
		return short
	}
	return named(c, names)
}

// SkillNames lists the names of all skills, as far as there is room (SKL-13).
func SkillNames(c *fsm.Config) string {
	var names []string
	for _, s := range c.Skills {
		names = append(names, s.Name)
	}
	return strings.Join(named(c, names), "")
}

// fits reports whether there is room for a list of skills.
func fits(c *fsm.Config, lines []string) bool {
	return !c.Fits() || fsm.TextTokens(strings.Join(lines, "\n")) <= c.Limits.ContextTokens/skillsListed
}

// named returns as many names as there is room for, and the number of the others.
func named(c *fsm.Config, names []string) []string {
	all := []string{strings.Join(names, ", ")}
	if fits(c, all) {
		return all
	}
	lines := []string(nil)
	for n := range names {
		next := []string{c.Words.Text(fsm.WordSkillsMore, "skills", strings.Join(names[:n], ", "), "count", strconv.Itoa(len(names)-n))}
		if n > 1 && !fits(c, next) {
			break
		}
		lines = next
	}
	return lines
}

func skillLine(c *fsm.Config, h *state.Handle, of fsm.Content, name, summary string) string {
	if of == fsm.OfSkillList {
		return c.Words.Text(fsm.WordSkillListed, "skill", name, "summary", summary)
	}
	return c.Words.Text(fsm.WordSkillLine, "mark", mark(c, h, name), "skill", name, "summary", summary)
}

// mark returns the words that say whether a skill is loaded (SKL-3).
func mark(c *fsm.Config, h *state.Handle, skill string) string {
	if h.Sess.HasSkill(skill, "") {
		return c.Words.Text(fsm.WordSkillMarkLoaded)
	}
	return c.Words.Text(fsm.WordSkillMarkUnloaded)
}
