package history

import (
	"testing"

	"shelly/fsm"
)

func TestCLI15WhatTheCallsOfARequestCost(t *testing.T) {
	answer := func(about bool, tokens fsm.Tokens) Step {
		return Step{About: about, Input: fsm.Input{Fact: fsm.BrainAnswered{Tokens: tokens}}}
	}
	steps := []Step{
		answer(true, fsm.Tokens{Prompt: 1000, Answer: 20, Reading: 40_000, Writing: 2500}),
		answer(false, fsm.Tokens{Prompt: 9000, Answer: 20, Reading: 40_000, Writing: 2500}),
		answer(true, fsm.Tokens{Prompt: 1050, Answer: 10, Reading: 1200, Writing: 1250}),
		{About: true, Input: fsm.Input{Fact: fsm.Recalled{}}},
	}
	const want = "2 model calls: 2050 tokens sent, read in 41.2 s; 30 written in 3.7 s"
	if got := CostOf(steps).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := CostOf(steps[3:]).String(); got != "" {
		t.Errorf("%q of no call", got)
	}
	if got := CostOf([]Step{answer(true, fsm.Tokens{Prompt: 5, Answer: 2})}).String(); got != "1 model call: 5 + 2 tokens" {
		t.Errorf("%q of a server that tells no times", got)
	}
}
