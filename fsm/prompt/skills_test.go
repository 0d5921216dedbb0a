package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

func TestSKL13TheListOfSkillsFitsItsShare(t *testing.T) {
	p, _ := profile.Named("default")
	for _, test := range []struct {
		skills, summary int
		want, lacks     string
	}{
		{3, 100, strings.Repeat("x", 100), "more"},
		{10, 1000, "- skill-9: " + strings.Repeat("x", 80) + " …", strings.Repeat("x", 81)},
		{60, 100, "skill-0, skill-1", "xx"},
		{60, 100, ", skill-58, skill-59", "more; load_skill"},
		{128, 1000, "load_skill knows them too", "xx"},
	} {
		c := fsm.Config{Switches: p.Switches, Limits: p.Limits, Prompts: p.Prompts, Tools: p.Tools, Words: fsm.PresentWords()}
		c.Limits.ContextTokens = 8192
		if test.skills == 128 {
			c.Limits.ContextTokens = 2048
		}
		h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}
		for i := range test.skills {
			c.Skills = append(c.Skills, fsm.SkillDecl{Name: fmt.Sprintf("skill-%d", i), Summary: strings.Repeat("x", test.summary)})
		}
		with := prompt.System(&c, h)
		c.Skills = c.Skills[:1]
		c.Skills[0].Name, c.Skills[0].Summary = "", ""
		without := prompt.System(&c, h)
		if took := fsm.TextTokens(with) - fsm.TextTokens(without); took > c.Limits.ContextTokens/16 {
			t.Errorf("%d skills with summaries of %d take %d tokens of %d", test.skills, test.summary, took, c.Limits.ContextTokens)
		}
		if !strings.Contains(with, test.want) || strings.Contains(with, test.lacks) {
			t.Errorf("%d skills with summaries of %d: want %q and no %q in\n%s", test.skills, test.summary, test.want, test.lacks, with)
		}
	}
}

func TestSKL13TheSkillsLeftOutAreCounted(t *testing.T) {
	p, _ := profile.Named("default")
	c := fsm.Config{Switches: p.Switches, Limits: p.Limits, Prompts: p.Prompts, Tools: p.Tools, Words: fsm.PresentWords()}
	c.Limits.ContextTokens = 2048
	for i := range 128 {
		c.Skills = append(c.Skills, fsm.SkillDecl{Name: fmt.Sprint("skill-", i), Summary: strings.Repeat("x", 1000)})
	}
	system := prompt.System(&c, &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}})
	if named := strings.Count(system, "skill-"); named < 10 || !strings.Contains(system, fmt.Sprintf(" and %d more; load_skill", 128-named)) {
		t.Errorf("%d are named in %s", named, system)
	}
}

// SKL-13: the names in the answer to a call for a skill that is not there have the same room.
func TestSKL13TheNamesOfAllSkillsHaveTheirRoom(t *testing.T) {
	c := profile.Default()
	c.Words, c.Limits.ContextTokens = fsm.PresentWords(), 2048
	for i := range 128 {
		c.Skills = append(c.Skills, fsm.SkillDecl{Name: fmt.Sprint("skill-", i), Always: i == 0})
	}
	names := prompt.SkillNames(&c)
	if took, n := fsm.TextTokens(names), strings.Count(names, "skill-"); took > 128 || !strings.HasPrefix(names, "skill-0, skill-1, ") || !strings.Contains(names, fmt.Sprintf(" and %d more", 128-n)) {
		t.Errorf("%d tokens: %s", took, names)
	}
	c.Skills = c.Skills[:2]
	if got := prompt.SkillNames(&c); got != "skill-0, skill-1" {
		t.Errorf("got %s", got)
	}
}

// SKL-13: where there is room for none, one is named, because others are counted only beside it.
func TestSKL13OneSkillIsNamedAtLeast(t *testing.T) {
	c := profile.Default()
	c.Words, c.Limits.ContextTokens = fsm.PresentWords(), 64
	c.Skills = []fsm.SkillDecl{{Name: "first", Summary: "one"}, {Name: "second", Summary: "two"}, {Name: "third", Summary: "three"}}
	if system := prompt.System(&c, &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}); !strings.Contains(system, "first and 2 more;") || strings.Contains(system, "second") {
		t.Errorf("got %s; want %q, and no second skill", system, "first and 2 more;")
	}
}

// SKL-13: a list that takes exactly its sixteenth is shown as it is.
func TestSKL13AListThatJustFitsIsWhole(t *testing.T) {
	c := profile.Default()
	c.Words, c.Limits.ContextTokens = fsm.PresentWords(), 8192
	c.Prompts = fsm.Prompts{Sections: []fsm.Section{{Of: fsm.OfSkills}}}
	c.Skills = []fsm.SkillDecl{{Name: "look"}}
	h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}
	title := c.Words.Text(fsm.WordSection, "title", "")
	for over, want := range []bool{true, false} {
		share := c.Limits.ContextTokens/16 + over
		for fsm.TextTokens(c.Words.Text(fsm.WordSkillLine, "mark", c.Words.Text(fsm.WordSkillMarkUnloaded), "skill", "look", "summary", c.Skills[0].Summary)) < share {
			c.Skills[0].Summary += "x"
		}
		got := strings.TrimPrefix(prompt.System(&c, h), title)
		if whole := strings.Contains(got, c.Skills[0].Summary); whole != want || want && fsm.TextTokens(got) != share {
			t.Errorf("%d tokens over: %d tokens, whole: %t", over, fsm.TextTokens(got), whole)
		}
	}
}
