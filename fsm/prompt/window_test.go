package prompt_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

// MEMORY.md takes at most 15 percent of the window, and the loaded skills together 25; without a
// window both are whole, and so is always what no share is given to (CTX-15).
func TestCTX15WhatHasAShareOfTheWindow(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 20_000))
	h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}
	h.Sess.Memory, h.Sess.Skills = long, []fsm.LoadedSkill{{Name: "a", Text: long}, {Name: "b", Text: long}}
	for of, percent := range map[fsm.Content]int{fsm.OfMemory: 15, fsm.OfLoadedSkills: 25, fsm.OfAlwaysSkills: 0} { // order-free: each alone
		c := profile.Default()
		c.Words, c.Limits.ContextTokens = fsm.PresentWords(), 10_000
		c.Prompts.Identity, c.Prompts.Sections = "", []fsm.Section{{Of: of}}
		c.Skills = []fsm.SkillDecl{{Name: "c", Always: true, Text: long}}
		within := prompt.System(&c, h)
		c.Limits.AnswerPercent = 0
		if whole := prompt.System(&c, h); !strings.Contains(whole, long) || percent == 0 && within != whole {
			t.Errorf("%s is cut although nothing bounds it", of)
		}
		const around = 32 // tokens of the headings, and of what the mark does not need
		if took := fsm.TextTokens(within); percent > 0 && (took > percent*100+around || took < percent*100-around) {
			t.Errorf("%s takes %d tokens of 10000", of, took)
		}
	}
}

// The least window has room for the tools that are offered, not for all that are declared; without
// one to keep to, there is none (CTX-16).
func TestCTX16TheLeastWindowHasRoomForWhatIsOffered(t *testing.T) {
	c := profile.Default()
	c.Words = fsm.PresentWords()
	c.Tools = append(c.Tools, fsm.ToolDecl{Name: "huge", Description: strings.Repeat("word ", 10_000)})
	offered := prompt.WindowMin(c)
	c.Limits.OfferTokens = 0
	all := prompt.WindowMin(c)
	if offered <= 0 || all <= offered+10_000 {
		t.Errorf("%d tokens, with all tools %d", offered, all)
	}
	c.Limits.AnswerPercent = 0
	if got := prompt.WindowMin(c); got != 0 {
		t.Errorf("without a window %d tokens", got)
	}
}
