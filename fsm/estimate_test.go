package fsm

import (
	"strings"
	"testing"
)

func TestCTX1TheTokensOfAText(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{strings.Repeat("x", 400), 100},
		{"日本語", 3},
		{"日本語 abc", 4},
		{"é", 1},
		{"ééééé", 5},
		{"🦊", 1},
		{"\xff\xfe", 2}, // no UTF-8: each byte that could begin a character
		{"\x80\x80", 0}, // and none that could not
	}
	for _, tt := range tests {
		if got := estimateText(tt.text); got != tt.want {
			t.Errorf("%q is %d tokens, want %d", tt.text, got, tt.want)
		}
	}
}

func TestCTX1TheTokensOfAMessage(t *testing.T) {
	tests := []struct {
		name string
		msg  Message
		want int
	}{
		{"empty", Message{Role: RoleUser}, 4},
		{"a text", asking("abcd"), 5},
		{"thinking", Message{Role: RoleAssistant, Text: "abcd", Thinking: "abcdefgh"}, 7},
		{"two images", Message{Role: RoleUser, Text: "abcd", Images: [][]byte{{1}, make([]byte, 1<<20)}}, 5 + 2*768},
		{"two calls", Message{Role: RoleAssistant, Calls: []ToolCall{{Name: "abcd", Args: "{}"}, {Name: "abcd", Args: "{}"}}}, 4 + 2*(4+1+1)},
		{"a result", Message{Role: RoleTool, Text: "abcdefgh", Tool: "exec", ToolCall: "call_0"}, 6},
	}
	for _, tt := range tests {
		if got := estimateMessage(tt.msg); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
}

func TestCTX1AConversationIsTheSumOfItsMessages(t *testing.T) {
	msgs := []Message{asking("what is here?"), calling("a"), result("a", "a.txt"), saying("一つ")}
	want := 0
	for _, m := range msgs {
		want += estimateMessage(m)
	}
	if got := (Conversation{}.add(msgs[:2]...).add(msgs[2:]...)).Tokens; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestCTX1TheToolsThatAreOfferedCount(t *testing.T) {
	c := Config{Tools: []ToolDecl{
		{Name: "exec", Description: "runs a command", Parameters: `{"type":"object"}`}, // 1 + 4 + 5
		{Name: ToolSpawn, Builtin: true},                                               // 2
	}}
	talk := Conversation{}.add(asking("abcd"))
	tests := []struct {
		set  Toolset
		want int
	}{
		{NoTools, 4 + 2 + 5},
		{SubagentTools, 4 + 2 + 5 + 4 + 10},
		{AllTools, 4 + 2 + 5 + 4 + 10 + 4 + 2},
	}
	for _, tt := range tests {
		if got := c.estimate("a system", talk, tt.set); got != tt.want {
			t.Errorf("with the tools %q: %d tokens, want %d", tt.set, got, tt.want)
		}
	}
}

func TestCTX2AnEstimateIsCorrectedByWhatTheModelCounts(t *testing.T) {
	const estimate = 1000
	tests := []struct {
		name    string
		counted int
		ratio   int
		next    int // what the same prompt is estimated at then
	}{
		{"nothing is known", 0, 0, 1000},
		{"as estimated", 1000, 1024, 1000},
		{"half as many", 500, 512, 500},
		{"twice as many", 2000, 2048, 2000},
		{"four times as many", 4000, 4096, 4000},
		{"five times as many", 5000, 4096, 4000},
		{"a quarter", 250, 256, 250},
		{"what the cache did not hold", 3, 256, 250},
		{"nonsense", -7, 0, 1000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			m.s.Config.Switches.Compress = true
			h := &Handle{Kind: KindUser, Inf: Inference{Purpose: PurposeAnswer}}
			h.Inf.Talk.Tokens = estimate - messageTokens // the frame of the system prompt
			m.learnTokens(h, tt.counted)
			if h.Sess.Ratio != tt.ratio {
				t.Errorf("the ratio is %d, want %d", h.Sess.Ratio, tt.ratio)
			}
			if got := h.Sess.corrected(estimate); got != tt.next {
				t.Errorf("corrected to %d, want %d", got, tt.next)
			}
		})
	}
}

func TestCTX2WhatIsNotLearntFrom(t *testing.T) {
	tests := []struct {
		name     string
		compress bool
		purpose  Purpose
	}{
		{"a profile without a budget", false, PurposeAnswer},
		{"a summary", true, PurposeSummary},
		{"a compaction", true, PurposeCompact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			m.s.Config.Switches.Compress = tt.compress
			h := &Handle{Kind: KindUser, Inf: Inference{Purpose: tt.purpose}}
			m.learnTokens(h, 500)
			if h.Sess.Ratio != 0 {
				t.Errorf("the ratio is %d", h.Sess.Ratio)
			}
		})
	}
}
