package history

import (
	"strings"
	"testing"

	"shelly/fsm"
)

func TestCLI15WhatTheCallsOfARequestCost(t *testing.T) {
	of := []fsm.HandleID{1}
	answer := func(about bool, tokens fsm.Tokens) Step {
		return Step{Handle: 1, About: about, Input: fsm.Input{Fact: fsm.BrainAnswered{Tokens: tokens}}}
	}
	steps := []Step{
		answer(true, fsm.Tokens{Prompt: 1000, Answer: 20, Reading: 40_000, Writing: 2500}),
		answer(false, fsm.Tokens{Prompt: 9000, Answer: 20, Reading: 40_000, Writing: 2500}),
		answer(true, fsm.Tokens{Prompt: 1050, Answer: 10, Reading: 1200, Writing: 1250}),
		{Handle: 1, About: true, Input: fsm.Input{Fact: fsm.Recalled{}}},
	}
	admits := answer(true, fsm.Tokens{Prompt: 9000, Answer: 20}) // a subagent, which is of the handle 2
	if got := CostOf([]Step{admits}, []fsm.HandleID{2}).String(); got != "" {
		t.Errorf("%q of a subagent's admission", got)
	}
	const want = "2 model calls: 2050 tokens sent, read in 41.2 s; 30 written in 3.7 s"
	if got := CostOf(steps, of).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := CostOf(steps[3:], of).String(); got != "" {
		t.Errorf("%q of no call", got)
	}
	if got := CostOf([]Step{answer(true, fsm.Tokens{Prompt: 1300, Answer: 20, Writing: 2500})}, of).String(); got != "1 model call: 1300 tokens sent; 20 written in 2.5 s" {
		t.Errorf("%q of a call whose reading nobody can tell", got)
	}
	first := answer(true, fsm.Tokens{Prompt: 1300, Answer: 8, Writing: 500})
	if got := CostOf([]Step{first, steps[2]}, of).String(); got != "2 model calls: 2350 tokens sent, read in 1.2 s (not known of 1 call); 18 written in 1.7 s" {
		t.Errorf("%q of a call whose reading is known, and one whose is not", got)
	}
	counted := answer(true, fsm.Tokens{Prompt: 1300, Read: 40, Answer: 8, Reading: 1000, Writing: 500})
	if got := CostOf([]Step{counted, counted}, of).String(); got != "2 model calls: 2600 tokens sent, 80 of them read in 2.0 s; 16 written in 1.0 s" {
		t.Errorf("%q of a server that says how much it read (BRN-47)", got)
	}
	if got := CostOf([]Step{counted, steps[2]}, of).String(); got != "2 model calls: 2350 tokens sent, read in 2.2 s; 18 written in 1.7 s" {
		t.Errorf("%q of one call of which it is known how much was read, and one of which it is not", got)
	}
	if got := CostOf([]Step{answer(true, fsm.Tokens{Prompt: 5, Answer: 2})}, of).String(); got != "1 model call: 5 prompt and 2 answer tokens" {
		t.Errorf("%q of a server that tells no times", got)
	}
}

// What came before the first word is all of a call that was not writing: the wait for a slot
// and the loading of the model, too.
func TestCLI15TheFirstWordComesAfterAllThatIsNotWriting(t *testing.T) {
	call := fsm.Asked{Call: 4, Handle: 1}
	for _, tt := range []struct {
		tokens fsm.Tokens
		want   string
	}{
		{fsm.Tokens{Prompt: 1000, Answer: 20, Reading: 40_000, Writing: 2500}, "the model answered in 50.0 s, the first word after 47.5 s, 1000 tokens sent"},
		{fsm.Tokens{Prompt: 1000, Answer: 20}, "the model answered in 50.0 s, 1000 prompt and 20 answer tokens"},
		{fsm.Tokens{Prompt: 1000, Answer: 20, Reading: 1, Writing: 60_000}, "the model answered in 50.0 s, 1000 tokens sent"}, // the server's clock is another
	} {
		told := Tell([]Step{
			{Input: fsm.Input{At: 1000, Fact: fsm.Requested{Text: "hi"}}, About: true, Effects: []fsm.Effect{fsm.AskBrain{Asked: call}}},
			{Input: fsm.Input{At: 51_000, Fact: fsm.BrainAnswered{Answered: fsm.To(4), Text: "ho", Tokens: tt.tokens}}, About: true},
		}, 100)
		if got := told[1].What; !strings.HasPrefix(got, tt.want) {
			t.Errorf("told %q, want %q …", got, tt.want)
		}
	}
}
