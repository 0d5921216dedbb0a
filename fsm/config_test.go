package fsm_test

import (
	"testing"

	"shelly/fsm"
)

// A limit that may be 0 is raised to that (LIM-2).
func TestLIM2WhatMayBeNothingIsNotLess(t *testing.T) {
	var c fsm.Config
	c.Limits.OfferTokens, c.Limits.AnswerPercent, c.Limits.ThinkPercent = -1, -1, -1
	if l := c.Bounded().Limits; l.OfferTokens != 0 || l.AnswerPercent != 0 || l.ThinkPercent != 0 {
		t.Errorf("they are %d, %d and %d", l.OfferTokens, l.AnswerPercent, l.ThinkPercent)
	}
}

// The builtin tools that only read say so: a call of one needs no more care than another without
// effects (TOL-10).
func TestTOL10WhichBuiltinToolsHaveEffects(t *testing.T) {
	reads := map[string]bool{fsm.ToolLoadSkill: true, fsm.ToolLoadReference: true, fsm.ToolReadMore: true, fsm.ToolHelp: true}
	for _, tool := range fsm.Builtins(append(fsm.BuiltinNames(), fsm.ToolHelp)...) {
		want := fsm.EffectsUnsafe
		if reads[tool.Name] {
			want = fsm.EffectsNone
		}
		if tool.Effects != want || !tool.Builtin {
			t.Errorf("%s has effects %q, want %q", tool.Name, tool.Effects, want)
		}
	}
}
