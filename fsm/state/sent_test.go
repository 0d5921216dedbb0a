package state

import (
	"testing"

	"shelly/fsm"
)

// A prompt need not be read again as far as an earlier one begins it (INF-51).
func TestINF51WhatAPromptHasOfAnEarlierOne(t *testing.T) {
	says := func(texts ...string) fsm.Conversation {
		c := fsm.Conversation{}
		for _, text := range texts {
			c = c.Add(fsm.Message{Role: fsm.RoleUser, Text: text})
		}
		return c
	}
	sent := func(c fsm.Conversation) *Sent {
		s := &Sent{Before: 7, Fixed: 100, Messages: len(c.Messages), Hash: c.Hash, Tokens: 130, PriorTokens: 120}
		if n := len(c.Messages); n > 0 {
			s.Prior = c.HashAt(n - 1)
		}
		return s
	}
	for _, tt := range []struct {
		name         string
		earlier, now fsm.Conversation
		want         int
	}{
		{"the same again", says("a", "b", "c"), says("a", "b", "c"), 130},
		{"one that goes on", says("a", "b", "c"), says("a", "b", "c", "d"), 130},
		{"with another last message", says("a", "b", "c"), says("a", "b", "x"), 120},
		{"without the last message", says("a", "b", "c"), says("a", "b"), 120},
		{"another from the second message on", says("a", "b", "c"), says("a", "x", "c"), 100},
		{"a shorter one", says("a", "b", "c"), says("a"), 100},
		{"after one without messages", says(), says("a"), 130},
	} {
		ask := fsm.AskBrain{Conversation: tt.now}
		if got := sent(tt.earlier).Begins(&Sent{Before: 7, Messages: len(tt.now.Messages)}, &ask); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		if got := sent(tt.earlier).Begins(&Sent{Before: 8, Messages: len(tt.now.Messages)}, &ask); got != 0 {
			t.Errorf("%s, under another system prompt: %d", tt.name, got)
		}
	}
}

// A batch has been started as often as that of its calls that was started most.
func TestINF46ABatchHasTheAttemptsOfItsMostTriedCall(t *testing.T) {
	inf := Inference{}
	inf.Attempt, inf.Batch = 1, []Read{{Attempt: 3}, {Attempt: 2}}
	if got := inf.Attempts(); got != 3 {
		t.Errorf("got %d; want 3", got)
	}
}

// Of a prompt that was given up only a part is cached (INF-51).
func TestINF51OnlySoMuchOfAPromptIsCached(t *testing.T) {
	for part, want := range map[int]Sent{ // order-free: each is a case of its own
		400: {Tokens: 200, PriorTokens: 180, Fixed: 100},
		900: {Tokens: 200, PriorTokens: 180, Fixed: 100},
		300: {Tokens: 150, PriorTokens: 150, Fixed: 100},
		20:  {Tokens: 10, PriorTokens: 10, Fixed: 10},
		0:   {},
	} {
		s := Sent{Tokens: 200, PriorTokens: 180, Fixed: 100}
		if s.Upto(part, 400); s != want {
			t.Errorf("%d of 400: %+v, want %+v", part, s, want)
		}
	}
}
