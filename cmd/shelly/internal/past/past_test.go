package past

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/front/openai"
	"shelly/sim/history"
)

// What a person was asked is told once, after the text that it came after, also if it was asked again at
// the next start; what a subagent asked is not the request's.
func TestFRT13AQuestionIsToldAfterItsText(t *testing.T) {
	ask := func(call fsm.CallID) fsm.Effect {
		return fsm.AskBrain{Asked: fsm.Asked{Call: call, Handle: 2}, Purpose: fsm.PurposeAnswer}
	}
	asks := func(handle fsm.HandleID, key string) fsm.Effect {
		return fsm.AskPerson{Handle: handle, Question: fsm.QuestionApprove, Key: key, Tool: "exec", Args: "{}"}
	}
	says := func(call fsm.CallID, text string, calls ...fsm.ToolCall) fsm.Input {
		return fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.Answered{Call: call}, Text: text, Calls: calls}}
	}
	exec := fsm.ToolCall{Name: "exec", Args: "{}"}
	got := spoken(history.History{Request: engine.Request{Handle: 2}, Steps: []history.Step{
		{Epoch: 1, About: true, Effects: []fsm.Effect{ask(3)}},
		{Epoch: 1, About: true, Input: says(3, "", exec), Effects: []fsm.Effect{asks(2, "a")}},
		{Epoch: 1, About: true, Effects: []fsm.Effect{ask(5)}},
		{Epoch: 1, About: true, Input: says(5, "Wait.", exec), Effects: []fsm.Effect{asks(2, "b"), asks(9, "c")}},
		{Epoch: 2, Input: fsm.Input{Fact: fsm.Boot{}}, Effects: []fsm.Effect{asks(2, "b")}},
		{Epoch: 2, About: true, Effects: []fsm.Effect{ask(7)}},
		{Epoch: 2, About: true, Input: says(7, "It is.")},
	}})
	want := openai.Past{
		Beside: []openai.Spoken{{Epoch: 1, Call: 5, Text: "Wait."}},
		Asked:  []openai.Question{{Key: "a", Tool: "exec", Args: "{}"}, {After: 5, Key: "b", Tool: "exec", Args: "{}"}},
		Last:   openai.Spoken{Epoch: 2, Call: 7, Text: "It is."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// How much of the prompts was cached is told only if the server has said it of each (BRN-47).
func TestFRT13WhatWasCachedIsTold(t *testing.T) {
	told := func(tokens ...fsm.Tokens) (p openai.Past) {
		h := history.History{Handles: []fsm.HandleID{2}}
		for _, t := range tokens {
			h.Steps = append(h.Steps, history.Step{Handle: 2, About: true, Input: fsm.Input{Fact: fsm.BrainAnswered{Tokens: t}}})
		}
		return spoken(h)
	}
	first, second, silent := fsm.Tokens{Prompt: 100, Read: 100, Answer: 9}, fsm.Tokens{Prompt: 120, Read: 20, Answer: 9}, fsm.Tokens{Prompt: 120, Answer: 9}
	if got := told(first, second); got.Prompt != 220 || got.Cached != 100 {
		t.Errorf("%d of %d tokens were cached, want 100 of 220", got.Cached, got.Prompt)
	}
	if got := told(first, silent); got.Prompt != 220 || got.Cached != 0 {
		t.Errorf("%d of %d tokens were cached, want none known", got.Cached, got.Prompt)
	}
}
