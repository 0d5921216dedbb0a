package fsm_test

import (
	"testing"

	"shelly/fsm"
)

// Of some calls it is not known how long their prompts took to read (BRN-18), or how much of them was
// read (BRN-47). One without a prompt says nothing of either.
func TestBRN47WhatIsNotKnownOfCallsIsCounted(t *testing.T) {
	var got fsm.Spent
	for _, call := range []fsm.Tokens{{Prompt: 10, Read: 10, Reading: 5}, {Prompt: 10, Read: 10}, {Prompt: 10, Reading: 5}, {Answer: 1}, {Answer: 2}} {
		got.Take(call)
	}
	want := fsm.Spent{Calls: 5, Untimed: 1, Uncounted: 1, Tokens: fsm.Tokens{Prompt: 30, Read: 20, Answer: 3, Reading: 10}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
