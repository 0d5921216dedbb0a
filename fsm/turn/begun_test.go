package turn

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// SES-23, SES-24: what a turn begins with depends on the profile, the edition, whose session it
// is, and whether the model's server has read the session already.
func TestSES24WhatATurnBeginsWith(t *testing.T) {
	const tokens = 8192 / state.RecentShare
	long := fsm.Message{Role: fsm.RoleAssistant, Text: strings.Repeat("tock ", 600)}
	ask := fsm.Message{Role: fsm.RoleUser, Text: "tick"}
	history := []fsm.Message{{Role: fsm.RoleUser, Text: "a summary", Aside: true}, ask, long, ask, long}
	if one := fsm.Counted(history[3:]).Tokens; one > tokens || 2*one < tokens {
		t.Fatalf("a turn has %d tokens of %d", one, tokens)
	}
	event := state.Accepted{Kind: fsm.KindEvent, Session: "event:disk"}
	for _, tt := range []struct {
		name   string
		of     state.Accepted
		change func(*fsm.Config)
		held   bool
		want   int // messages, besides the two of what was said
		hears  bool
	}{
		{"an event", event, nil, false, 2, true},
		{"an event whose session the server holds", event, nil, true, 5, true},
		{"prompts of any length", event, func(c *fsm.Config) { c.Limits.AnswerPercent = 0 }, false, 5, true},
		{"a window that is large", event, func(c *fsm.Config) { c.Limits.ContextTokens *= 4 }, false, 5, true},
		{"a person", state.Accepted{Kind: fsm.KindUser, Session: "s"}, nil, false, 5, true},
		{"a report", state.Accepted{Kind: fsm.KindSystem, Session: "s"}, nil, false, 5, true},
		{"a schedule", state.Accepted{Kind: fsm.KindSchedule, Session: "schedule:s1", Home: "s"}, nil, false, 2, true},
		{"a schedule in a person's session", state.Accepted{Kind: fsm.KindSchedule, Session: "s", Home: "s"}, nil, false, 5, true},
		{"a compression", state.Accepted{Kind: fsm.KindMemory, Session: "event:disk", Compacts: true}, nil, false, 5, false},
		{"an earlier edition", event, func(c *fsm.Config) { c.Edition = fsm.ThirteenthEdition }, false, 5, false},
		{"another history", event, func(c *fsm.Config) { c.Switches.History = fsm.HistoryAll }, false, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := profile.Default()
			c.Limits.ContextTokens = 8192
			if tt.change != nil {
				tt.change(&c)
			}
			kept := history
			if c.Switches.History == fsm.HistoryAll { // which has no asides
				kept = append([]fsm.Message{{Role: fsm.RoleSystem, Text: "a summary"}}, history[1:]...)
			}
			want := tt.want
			if tt.hears {
				want += 2
			}
			got := Begun(&c, &state.Handle{Accepted: tt.of}, kept, []state.Said{{Text: "hello"}}, tt.held)
			if len(got) != want {
				t.Fatalf("it begins with %d messages, want %d", len(got), want)
			}
			if last := got[len(got)-1]; (last.Text == "hello") != tt.hears {
				t.Errorf("it ends with %.20q", last.Text)
			}
		})
	}
}

func TestSES24AsManyTurnsAsFit(t *testing.T) {
	turn := func(text string) []fsm.Message {
		return []fsm.Message{{Role: fsm.RoleUser, Text: text}, {Role: fsm.RoleAssistant, Text: text}}
	}
	history := append(turn("one"), turn("two")...)
	whole, last := fsm.Counted(history).Tokens, fsm.Counted(history[2:]).Tokens
	for tokens, want := range map[int]int{whole: 4, whole - 1: 2, last: 2, last - 1: 0} { // order-free: each is a case of its own
		if got := newest(history, tokens); len(got) != want || want == 0 && got != nil {
			t.Errorf("of %d tokens: %d messages, want %d", tokens, len(got), want)
		}
	}
}
