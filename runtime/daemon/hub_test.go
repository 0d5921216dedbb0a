package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// told returns the chunks that a new watcher gets.
func told(h *hub, key fsm.RequestKey) (chunks []comm.Event) {
	w := h.watch(key, comm.Event{Type: comm.EventState}, 0)
	h.leave(key, w)
	for e := range w.events {
		if e.At = (position.Position{}); e.Type == comm.EventChunk {
			chunks = append(chunks, e)
		}
	}
	return chunks
}

// What a call that was given up streams after the reply, and what nobody can watch, is not kept
// (JRN-35).
func TestJRN35WhatNobodyCanHearIsNotKept(t *testing.T) {
	h, key := newHub(), fsm.RequestKey{ID: "r"}
	h.know(7, key)
	ask := fsm.AskBrain{Asked: fsm.Asked{Handle: 7, Call: 3}, Purpose: fsm.PurposeAnswer}
	h.piece(ask, Piece{Text: "One"})
	h.reply(fsm.Reply{Handle: 7, Request: key})
	h.piece(ask, Piece{Text: ", two"})
	h.piece(fsm.AskBrain{Asked: fsm.Asked{Handle: 8, Call: 4}, Purpose: fsm.PurposeAnswer}, Piece{Text: "of an event"})
	if len(h.written) > 0 {
		t.Errorf("the texts of %d calls are kept", len(h.written))
	}
}

func TestCOM60WhoComesLaterHearsWhatWasWritten(t *testing.T) {
	h, key, other := newHub(), fsm.RequestKey{ID: "r"}, fsm.RequestKey{ID: "s"}
	h.know(7, key)
	h.know(8, other)
	call := fsm.AskBrain{Asked: fsm.Asked{Handle: 7, Call: 3}, Purpose: fsm.PurposeAnswer}
	h.piece(call, Piece{Thinking: "hm"})
	h.piece(call, Piece{Text: "One, "})
	h.piece(call, Piece{Text: "two"})
	h.piece(fsm.AskBrain{Asked: fsm.Asked{Handle: 8, Call: 4}, Purpose: fsm.PurposeSummary}, Piece{Text: "nobody's business"})
	want := []comm.Event{{Type: comm.EventChunk, ID: "r", Purpose: fsm.PurposeAnswer, Call: 3, Thinking: "hm", Text: "One, two", Whole: true}}
	if diff := cmp.Diff(want, told(h, key)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := told(h, other); got != nil {
		t.Errorf("of another: %+v", got)
	}
	call.Call = 5
	h.piece(call, Piece{Text: "Again"})
	if got := told(h, key); len(got) != 1 || got[0].Text != "Again" {
		t.Errorf("of the next call: %+v", got)
	}
	h.moved(state.Move{Table: state.InferenceTable.Name, Handle: 7, From: state.Thinking, To: state.Acting}, &fsm.Config{}, nil)
	if got := told(h, key); got != nil {
		t.Errorf("after its end: %+v", got)
	}
	call.Call = 6
	for range 3 {
		h.piece(call, Piece{Text: strings.Repeat("x", writtenBytes/2)})
	}
	if got := told(h, key); got != nil {
		t.Errorf("of more than is kept: %d bytes", len(got[0].Text))
	}
}

// A preview may take longer than a person elsewhere needs to answer, and then the next question of
// the request may be open already.
func TestAPR21AQuestionThatWasAnsweredMeanwhileIsNotShown(t *testing.T) {
	h, key := newHub(), fsm.RequestKey{ID: "r"}
	h.know(7, key)
	w := h.watch(key, comm.Event{Type: comm.EventState}, 0)
	ask := func(key, would string) comm.Event {
		return comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: key, Preview: would}
	}
	h.asked(7, "first")
	h.moved(state.Move{Table: state.HandleTable.Name, Handle: 7, From: state.Approving, To: state.Cognition}, &fsm.Config{}, nil)
	h.previewed(ask("first", "would delete"))
	h.asked(7, "second")
	h.previewed(ask("first", "would delete"))
	h.previewed(ask("second", "would write"))
	late := comm.Ask{Question: fsm.QuestionApprove, Handle: 7}
	if h.preview(&late); late.Preview != "would write" {
		t.Errorf("who looks later sees %q", late.Preview)
	}
	h.leave(key, w)
	var asked []string
	for e := range w.events {
		if e.Type == comm.EventQuestion {
			asked = append(asked, e.Key)
		}
	}
	if diff := cmp.Diff([]string{"second"}, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// While the journal is folded for a watcher that comes back, the place in the queue may change
// many times.
func TestCOM90WhatPassesTakesNoPlaceOfWhatDoesNot(t *testing.T) {
	h, key := newHub(), fsm.RequestKey{ID: "r"}
	h.know(7, key)
	w, _ := h.watchFrom(key, comm.Event{}, position.Position{Epoch: 1, Record: 5}, 5)
	for n := range 2 * watcherEvents {
		h.tell(7, comm.Event{Type: comm.EventQueued, Ahead: n})
	}
	h.tell(7, comm.Event{Type: comm.EventState, State: state.Cognition})
	h.tell(7, comm.Event{Type: comm.EventTool, Tool: "look"})
	h.reply(fsm.Reply{Handle: 7, Request: key, Text: "told"})
	var heard []comm.EventType
	for e := range w.events {
		if !passes(e.Type) {
			heard = append(heard, e.Type)
		}
	}
	if want := []comm.EventType{comm.EventState, comm.EventTool, comm.EventReply}; !slices.Equal(heard, want) {
		t.Errorf("it hears %v, not %v", heard, want)
	}
}

// lasting is a context that does not end, and counts those that wait for its end.
type lasting struct {
	context.Context
	end   chan struct{}
	waits int
}

func (l *lasting) Done() <-chan struct{} { return l.end }

// AfterFunc is what package context asks for.
func (l *lasting) AfterFunc(func()) func() bool {
	l.waits++
	return func() bool { l.waits--; return true }
}

// A listener whose context lives as long as a connection or the daemon keeps nothing of
// finished requests in memory (JRN-35).
func TestJRN35AWatcherGoesWithItsReply(t *testing.T) {
	h, ctx := newHub(), &lasting{context.Background(), make(chan struct{}), 0}
	watch := func(id fsm.HandleID, name string) fsm.RequestKey {
		key := fsm.RequestKey{ID: name}
		h.begins(id, key)
		h.until(ctx, key, h.watch(key, comm.Event{Type: comm.EventState}, 0))
		return key
	}
	for id := range fsm.HandleID(100) {
		key := watch(id+1, fmt.Sprint(id))
		if ctx.waits != 1 {
			t.Fatalf("%d wait for the end of the context, of one request that goes on", ctx.waits)
		}
		h.reply(fsm.Reply{Handle: id + 1, Request: key})
		h.until(ctx, key, h.watch(key, comm.Event{Type: comm.EventReply}, 0)) // who comes after it
	}
	watch(1000, "the last")
	h.close()
	if ctx.waits != 0 {
		t.Errorf("%d still wait for the end of the context", ctx.waits)
	}
}

// The loop looks after each step whether somebody waits for a question: that costs nothing while no
// question is open, however many wait and are at work, and is no look at each pair of handles while one is.
func TestCOM29ALookAtALongQueueIsOnePass(t *testing.T) {
	s := state.Snapshot{Lifecycle: state.Serving}
	for i := range 1000 {
		s.Handles = append(s.Handles, state.Handle{Accepted: state.Accepted{ID: fsm.HandleID(i + 1), Kind: fsm.KindUser, Session: "a"}, Standing: state.Standing{State: state.Queued}})
	}
	d := &Daemon{hub: newHub()}
	if n := testing.AllocsPerRun(5, func() { d.tellsQuestions(&s) }); n > 0 {
		t.Errorf("it takes %.0f allocations", n)
	}
	s.Handles[999].State = state.Approving // of which none before it is told
	if n := testing.AllocsPerRun(5, func() { d.tellsQuestions(&s) }); n > 20 {
		t.Errorf("with a question open it takes %.0f allocations", n)
	}
}

// What waits in the queue is listed with what it waits for, in words.
func TestCOM53WhatAHandleWaitsFor(t *testing.T) {
	s := state.Snapshot{Lifecycle: state.Serving}
	for i, h := range []struct {
		kind    fsm.Kind
		session string
		state   fsm.State
	}{
		{fsm.KindUser, "a", state.Execution},
		{fsm.KindUser, "a", state.Queued},
		{fsm.KindMemory, "b", state.Idling},
		{fsm.KindMemory, "b", state.Queued},
		{fsm.KindMemory, "b", state.Parked},
		{fsm.KindUser, "c", state.Queued},
		{fsm.KindUser, "d", state.Queued},
		{fsm.KindUser, "d", state.Approving},
		{fsm.KindUser, "d", state.Queued},
	} {
		s.Handles = append(s.Handles, state.Handle{Accepted: state.Accepted{Kind: h.kind, Session: h.session}})
		s.Handles[i].ID, s.Handles[i].State = fsm.HandleID(i+1), h.state
	}
	for i, want := range map[int]string{ // order-free
		1: "its session is at work (h1)", 2: "until nobody has come for a while", 3: "until nobody else waits",
		4: "kept for the next start", 5: "1 other before it", 6: "2 others before it", 8: "until the question about h8 in its session is answered; see shelly request show h8",
	} {
		if got := newQueue(&s).why(i); got != want {
			t.Errorf("handle %d waits %q; want %q", s.Handles[i].ID, got, want)
		}
	}
}

func TestAPR24HowAQuestionToAPersonHasEnded(t *testing.T) {
	for _, tt := range []struct {
		on   state.Event
		in   fsm.Fact
		want string // in words; empty: no question has ended, or it was cancelled
	}{
		{state.OnDecided, fsm.Decided{Approve: true, Grant: fsm.GrantAlways}, "approved from now on"},
		{state.OnDecided, fsm.Decided{By: "ann", Reason: "a\u202eb"}, `refused by ann: a\u202eb`},
		{state.OnDecided, fsm.TimerFired{}, "not answered in time, so it does not run"},
		{state.OnDecided, fsm.CancelRequested{}, ""},
		{state.OnResolved, fsm.Resolved{Text: "it was sent"}, "resolved: it was sent"},
		{state.OnResolved, fsm.TimerFired{}, "not resolved in time"},
		{state.OnResolved, fsm.CancelRequested{}, ""},
		{state.OnResume, fsm.Resolved{}, "resolved"},
		{state.OnResume, fsm.Boot{}, ""},
		{state.OnStart, fsm.TimerFired{}, ""},
	} {
		got := ""
		if d := decided(state.Move{Table: state.HandleTable.Name, Handle: 7, On: tt.on}, tt.in); d != nil {
			got = d.Words()
		}
		if got != tt.want {
			t.Errorf("%s by %T: got %q, want %q", tt.on, tt.in, got, tt.want)
		}
	}
}

func TestAPR24AStatusHasTheLatestQuestionsThatHaveEnded(t *testing.T) {
	h, reason := newHub(), strings.Repeat("x", comm.DecidedReasonBytes+1)
	for n := range uint64(comm.DecidedMax + 3) {
		h.telling(n+1, 1)
		h.moved(state.Move{Table: state.HandleTable.Name, Handle: fsm.HandleID(n), On: state.OnDecided, To: state.Cognition}, &fsm.Config{}, fsm.Decided{Key: "c", Reason: reason})
	}
	all := h.concluded()
	if len(all) != comm.DecidedMax || all[0].Record != 4 || all[0].Handle != 3 || len(all[0].Decision.Reason) > comm.DecidedReasonBytes+len("…") {
		t.Errorf("got %d, the first %+v; want %d, from record 4 of handle 3 on, with short reasons", len(all), all[0], comm.DecidedMax)
	}
}
