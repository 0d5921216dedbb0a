package state

import (
	"testing"

	"shelly/fsm"
)

// An initial inference begins before requests are served or, if they are served beside it, while
// they are (LIF-14); the farewell at the end; anything else while requests are served.
func TestLIF14WhatTheLifecycleLetsStart(t *testing.T) {
	for _, tt := range []struct {
		kind   fsm.Kind
		beside bool
		in     fsm.State
	}{
		{fsm.KindInit, false, Initializing}, {fsm.KindInit, true, Serving}, {fsm.KindFarewell, false, Farewell}, {fsm.KindUser, false, Serving},
	} {
		for _, lifecycle := range []fsm.State{Down, Initializing, Serving, Draining, Farewell, Stopped} {
			h := Handle{Accepted: Accepted{Kind: tt.kind, Beside: tt.beside}}
			if got := h.Served(lifecycle); got != (lifecycle == tt.in) {
				t.Errorf("%s (beside others: %t) may start in %s: %t", tt.kind, tt.beside, lifecycle, got)
			}
		}
	}
}

// No call is no call in flight, also beside the calls of a batch that have been answered (INV-2).
func TestINV2NothingIsAwaitedOfNoCall(t *testing.T) {
	var h Handle
	h.Inf.Batch = []Read{{Use: 1, Done: true}, {Use: 2, Call: 7}}
	for call, want := range map[fsm.CallID]fsm.CallKind{0: "", 6: "", 7: fsm.CallTool} {
		if got := h.Awaits(call); got != want {
			t.Errorf("of call %d %q is awaited, want %q", call, got, want)
		}
	}
}

// A key is of one use: another tool, other arguments, another input, number or handle make another
// (TOL-8).
func TestTOL8EachUseHasAKeyOfItsOwn(t *testing.T) {
	h, call := Handle{Accepted: Accepted{ID: 2, Input: "look"}}, fsm.ToolCall{ID: "c1", Name: "list_dir", Args: "{}"}
	otherHandle, otherInput := h, h
	otherHandle.ID, otherInput.Input = 3, "look again"
	key := h.KeyOf(call, 1)
	for what, other := range map[string]string{
		"tool": h.KeyOf(fsm.ToolCall{ID: "c1", Name: "read_file", Args: "{}"}, 1), "arguments": h.KeyOf(fsm.ToolCall{ID: "c1", Name: "list_dir", Args: "[]"}, 1),
		"number": h.KeyOf(call, 2), "handle": otherHandle.KeyOf(call, 1), "input": otherInput.KeyOf(call, 1),
	} {
		if other == key {
			t.Errorf("with another %s the key is %s too", what, key)
		}
	}
	if again := h.KeyOf(call, 1); again != key {
		t.Errorf("the same use has the keys %s and %s", key, again)
	}
}

// The question that a tool itself has led to has another key than the one before the call began, so
// that an answer to one does not decide about the other (APR-19).
func TestAPR19AToolsOwnQuestionHasAnotherKey(t *testing.T) {
	h := Handle{Accepted: Accepted{ID: 2, Input: "look"}}
	h.Uses, h.Inf.Calls = 1, []fsm.ToolCall{{Name: "exec", Args: "{}"}}
	use := h.UseKey(h.Inf.Calls[0])
	for _, tt := range []struct {
		asked   bool
		attempt int
		want    string
	}{{false, 0, use}, {true, 0, use}, {true, 1, use + AskedByTool}, {false, 1, use}} {
		h.Inf.Asked, h.Inf.Attempt = tt.asked, tt.attempt
		if got := h.PersonKey(); got != tt.want {
			t.Errorf("asked %t, attempt %d: %s, want %s", tt.asked, tt.attempt, got, tt.want)
		}
	}
	h.Inf.Calls = nil
	if got := h.PersonKey(); got != h.ID.Entry() {
		t.Errorf("without a call: %s", got)
	}
}

func TestAnUnknownFactIsAboutNoHandle(t *testing.T) {
	s := Snapshot{LastHandle: 2, Handles: []Handle{{Accepted: Accepted{ID: 2}}}}
	for _, fact := range []fsm.Fact{nil, &fsm.Requested{}, &fsm.Decided{Handle: 2}} {
		if got := s.Concerns(fsm.Input{Fact: fact}); got != 0 {
			t.Errorf("%T is about handle %d", fact, got)
		}
	}
}

// Only where the model answers for a handle can it be postponed: not in a compression before that (HND-69).
func TestHND69WhatMayBePostponed(t *testing.T) {
	for _, s := range []fsm.State{Queued, Loading, Compacting, Cognition, Recalling, Execution, Saving, Summarizing} {
		h := Handle{Accepted: Accepted{Kind: fsm.KindEvent}, Standing: Standing{State: s}}
		if got := h.MayBePostponed(); got != (s == Cognition || s == Execution) {
			t.Errorf("an event in %s may be postponed: %t", s, got)
		}
	}
}
