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

// What a call's deadlines are made of is at least something if they follow its progress; if not, a
// call has none of its own (INF-50).
func TestINF50ADeadlineIsNotNothing(t *testing.T) {
	for progress, want := range map[bool]fsm.Pace{false: {}, true: {Load: 1, Idle: 1}} {
		c := fsm.Config{Switches: fsm.Switches{Progress: progress}}
		if got := c.Bounded().Pace; got != want {
			t.Errorf("with progress %t: %+v", progress, got)
		}
	}
}

// A model is named with the beginning of its digest, if it has one.
func TestTheNameOfAModel(t *testing.T) {
	for want, m := range map[string]fsm.Model{
		"qwen3": {Name: "qwen3"}, "qwen3 (0123)": {Name: "qwen3", Digest: "0123"}, "qwen3 (0123456789ab)": {Name: "qwen3", Digest: "0123456789abcdef"},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Without offer_tokens there is no tool_help to call (TOL-60).
func TestTOL60ToolHelpIsThereOnlyIfToolsMayBeLeftOut(t *testing.T) {
	for _, tt := range []struct {
		tokens int
		set    fsm.Toolset
		want   bool
	}{{0, fsm.AllTools, false}, {1, fsm.AllTools, true}, {1, fsm.SubagentTools, true}, {1, fsm.NoTools, false}} {
		c := fsm.Config{Limits: fsm.Limits{OfferTokens: tt.tokens}}
		if decl, ok := c.Declared(tt.set, fsm.ToolHelp); ok != tt.want || ok && decl.Name != fsm.ToolHelp {
			t.Errorf("offer_tokens %d, tools %q: %t, %+v", tt.tokens, tt.set, ok, decl)
		}
	}
}
