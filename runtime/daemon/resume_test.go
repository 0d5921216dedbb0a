package daemon_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/daemon"
)

// heard is what a watcher knows about a request after some of its events.
type heard struct {
	Events []string // but what passes
	Texts  []string // of the model calls that have answered or still stream, the thoughts first
}

// hear folds events as a client does.
func hear(events []comm.Event) (h heard) {
	last := fsm.CallID(0)
	for _, e := range events {
		switch e.Type {
		case comm.EventQueued, comm.EventWaiting, comm.EventOutput, comm.EventAccepted:
		case comm.EventChunk:
			if n := len(h.Texts); n > 0 && e.Whole {
				h.Texts = h.Texts[:n-1]
			}
			if e.Call != last || e.Whole {
				h.Texts = append(h.Texts, "")
			}
			last = e.Call
			h.Texts[len(h.Texts)-1] += e.Thinking + e.Text
		default:
			h.Events = append(h.Events, fmt.Sprint(e.Type, e.State, e.Inference, e.Tool, e.Args, e.Text, e.Outcome, e.Called))
		}
	}
	return h
}

// from begins to watch at a position.
func (f *fixture) from(at position.Position) <-chan comm.Event {
	f.t.Helper()
	events, err := f.WatchFrom(f.ctx, fsm.RequestKey{ID: "a"}, at)
	if err != nil {
		f.t.Fatal(err)
	}
	return events
}

// course is a request that calls a tool, whose second answer fails once on the way. Between
// its pieces, at says that something has happened.
func (f *fixture) course(at func()) {
	first := f.next()
	for _, piece := range []daemon.Piece{{Thinking: "hm, "}, {Thinking: "yes"}, {Text: "I "}, {Text: "look."}} {
		first.stream(piece)
		at()
	}
	first.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Thinking: "hm, yes", Text: "I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}}
	second := f.next()
	at()
	for _, piece := range []string{"It ", "is ", "here."} {
		second.stream(daemon.Piece{Text: piece})
		at()
	}
	second.says("It is here.")
	f.next().says("A summary.")
}

func TestCOM90WhoComesBackHearsExactlyTheRest(t *testing.T) {
	f := start(t, &shared{MemoryJournal: engine.NewMemoryJournal()}, tools{})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	var whole []comm.Event
	type cut struct {
		after int // events
		rest  <-chan comm.Event
	}
	var cuts []cut
	f.course(func() {
		for len(uncut) > 0 {
			whole = append(whole, <-uncut)
		}
		for n := range whole {
			cuts = append(cuts, cut{n + 1, f.from(whole[n].At)})
		}
	})
	whole = append(whole, all(uncut)...)
	want := hear(whole)
	if diff := cmp.Diff([]string{"hm, yesI look.", "It is here."}, want.Texts); diff != "" || len(want.Events) < 6 {
		t.Fatalf("uncut: %+v", want)
	}
	for _, c := range cuts {
		rest := all(c.rest)
		if diff := cmp.Diff(want, hear(slices.Concat(whole[:c.after], rest))); diff != "" {
			t.Fatalf("cut after event %d, at %s: (-want +got)\n%s", c.after, whole[c.after-1].At, diff)
		}
	}
	for n, e := range whole { // when all is over
		if diff := cmp.Diff(want, hear(slices.Concat(whole[:n+1], without(all(f.from(e.At)), e)))); diff != "" {
			t.Errorf("after the end, from %s: (-want +got)\n%s", e.At, diff)
		}
	}
}

// Under load a request may have ended, and many others after it, before its sender listens. The
// sender still gets all of it; a watcher that attaches without a position gets the reply
// (COM-4).
func TestCOM4ARequestThatHasEndedIsSentFromItsBeginning(t *testing.T) {
	f := start(t, &shared{MemoryJournal: engine.NewMemoryJournal()}, tools{})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	f.course(func() {})
	want := hear(all(uncut))
	for n := range 40 {
		f.accept(fmt.Sprint("b", n), "look")
		f.next().says("Here.")
		f.next().says("A summary.")
	}
	if diff := cmp.Diff(want, hear(all(f.from(position.Position{})))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	events, err := f.Watch(f.ctx, fsm.RequestKey{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if now := all(events); len(now) != 1 || now[0].Type != comm.EventReply {
		t.Errorf("without a position: %+v", now)
	}
}

// without leaves out the reply, for a watcher that has it.
func without(list []comm.Event, last comm.Event) []comm.Event {
	if last.Type == comm.EventReply {
		return nil
	}
	return list
}

// After a process that sent some events was killed, the next one sends the rest: the events in
// the journal from there on, and the answer of a call that it asks again in place of the lost
// one.
func TestCOM90WhoComesBackToAnotherProcessHearsTheRest(t *testing.T) {
	journal := &shared{MemoryJournal: engine.NewMemoryJournal()}
	f := start(t, journal, tools{})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	var told []comm.Event
	first := f.next()
	first.stream(daemon.Piece{Text: "I loo"})
	first.stream(daemon.Piece{Text: "k."})
	first.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Text: "I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}}
	second := f.next()
	second.stream(daemon.Piece{Text: "It i"})
	for len(uncut) > 0 {
		told = append(told, <-uncut)
	}
	f.kill()
	g := start(t, journal, tools{})
	again := g.next()
	early := make([]<-chan comm.Event, len(told))
	for n, e := range told {
		early[n] = g.from(e.At)
	}
	again.stream(daemon.Piece{Text: "Here "})
	late := make([]<-chan comm.Event, len(told))
	for n, e := range told {
		late[n] = g.from(e.At)
	}
	again.stream(daemon.Piece{Text: "it is."})
	again.says("Here it is.")
	g.next().says("A summary.")
	ends := map[string]bool{}
	for n, e := range told {
		for when, rest := range map[string][]comm.Event{"early": all(early[n]), "late": all(late[n]), "afterwards": all(g.from(e.At))} {
			got := hear(slices.Concat(told[:n+1], rest))
			if diff := cmp.Diff([]string{"I look.", "Here it is."}, got.Texts); diff != "" {
				t.Errorf("%s after %d events, at %s: (-want +got)\n%s", when, n+1, e.At, diff)
			}
			ends[fmt.Sprintf("%q", got.Events)] = true
		}
	}
	if len(ends) != 1 {
		t.Errorf("the same events arrived in %d different ways: %v", len(ends), ends)
	}
}

// The call that is asked again in place of a lost one may have no text: then the next text
// replaces the lost one.
func TestCOM90WhatACallWithoutATextLeavesTheNextTextReplaces(t *testing.T) {
	journal := &shared{MemoryJournal: engine.NewMemoryJournal()}
	f := start(t, journal, tools{})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	f.next().stream(daemon.Piece{Text: "It is "})
	var told []comm.Event
	for len(uncut) > 0 {
		told = append(told, <-uncut)
	}
	f.kill()
	g := start(t, journal, tools{})
	at := told[len(told)-1].At
	early := g.from(at)
	g.next().answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}}
	last := g.next()
	between := g.from(at)
	last.stream(daemon.Piece{Text: "It is here."})
	late := g.from(at)
	last.says("It is here.")
	g.next().says("A summary.")
	for when, rest := range map[string]<-chan comm.Event{"early": early, "between": between, "late": late, "afterwards": g.from(at)} {
		got := hear(slices.Concat(told, all(rest)))
		if diff := cmp.Diff([]string{"It is here."}, got.Texts); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", when, diff)
		}
	}
}

// A kill loses the end of the journal, of which some events were sent: it happens again, in
// another way, and is sent again, with the text in place of the lost one.
func TestCOM94WhatIsLostWithAKillIsSentAgain(t *testing.T) {
	journal := &shared{MemoryJournal: engine.NewMemoryJournal()}
	f := start(t, journal, tools{})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	first := f.next()
	first.stream(daemon.Piece{Text: "I look."})
	first.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Text: "I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}}
	f.next() // it has heard what the tool says, and is asked
	var told []comm.Event
	for len(uncut) > 0 {
		told = append(told, <-uncut)
	}
	f.kill()
	journal.crash()
	g := start(t, journal, tools{})
	again := g.next()
	again.stream(daemon.Piece{Text: "Now I "})
	rest := make([]<-chan comm.Event, len(told))
	for n, e := range told {
		rest[n] = g.from(e.At)
	}
	again.stream(daemon.Piece{Text: "look."})
	again.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Text: "Now I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: `{"at":1}`}}}
	last := g.next()
	last.stream(daemon.Piece{Text: "Here it is."})
	last.says("Here it is.")
	g.next().says("A summary.")
	want := hear(all(g.from(position.Position{})))
	for n, e := range told {
		for when, rest := range map[string][]comm.Event{"soon": all(rest[n]), "afterwards": all(g.from(e.At))} {
			got := hear(slices.Concat(told[:n+1], rest))
			if diff := cmp.Diff([]string{"Now I look.", "Here it is."}, got.Texts); diff != "" {
				t.Errorf("%s after %d events, at %s: (-want +got)\n%s", when, n+1, e.At, diff)
			}
			lost := len(got.Events) - len(want.Events)
			if kept := slices.Index(want.Events, "stateparked"); lost < 0 || kept < 0 || !slices.Equal(got.Events[kept+lost:], want.Events[kept:]) {
				t.Errorf("%s after %d events, at %s: heard is\n%q, and at once\n%q", when, n+1, e.At, got.Events, want.Events)
			}
		}
	}
}

// If the journal no longer goes back far enough, a watcher that comes back gets the request's
// present state, and the reply.
func TestCOM90WhereTheJournalIsTrimmedTheReplyStillComes(t *testing.T) {
	journal := &shared{MemoryJournal: engine.NewMemoryJournal()}
	f := start(t, journal, tools{})
	f.accept("a", "look")
	f.next()
	f.kill()
	journal.forget()
	g := start(t, journal, tools{})
	asked := g.next()
	rest := g.from(position.Position{})
	asked.stream(daemon.Piece{Text: "It is here."})
	asked.says("It is here.")
	g.next().says("A summary.")
	got := hear(all(rest))
	if len(got.Texts) != 1 || got.Texts[0] != "It is here." || len(got.Events) == 0 || got.Events[len(got.Events)-1] != "replyIt is here.answered" {
		t.Errorf("heard is %+v", got)
	}
}

// crash loses what was not synced.
func (j *shared) crash() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Crash()
}

// shared is a journal in memory that one goroutine writes while others read, as the store may
// be.
type shared struct {
	*engine.MemoryJournal
	mu      sync.Mutex
	trimmed atomic.Bool // what was accepted is no longer kept
}

func (j *shared) forget() { j.trimmed.Store(true) }

func (j *shared) Append(b engine.Batch, sync bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.MemoryJournal.Append(b, sync)
}

func (j *shared) Replay(after uint64, fn func(engine.Record) error) error {
	var records []engine.Record
	j.mu.Lock()
	err := j.MemoryJournal.Replay(after, func(r engine.Record) error {
		records = append(records, r)
		return nil
	})
	j.mu.Unlock()
	for _, r := range records {
		if err := fn(r); err != nil {
			return err
		}
	}
	return err
}

func (j *shared) Kept() (engine.Kept, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept, err := j.MemoryJournal.Kept()
	if j.trimmed.Load() {
		kept.First = kept.Last
	}
	return kept, err
}

func (j *shared) Request(key fsm.RequestKey) (engine.Request, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.MemoryJournal.Request(key)
}

func (j *shared) SaveSnapshot(index uint64, s state.Snapshot) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.MemoryJournal.SaveSnapshot(index, s)
}

func (j *shared) Snapshot(at uint64) (uint64, state.Snapshot, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.MemoryJournal.Snapshot(at)
}

// Trim removes nothing. A real one is synced, and comes beside the loop right after a start:
// it would make durable what a test means to lose.
func (j *shared) Trim(engine.Keep) (engine.Trimmed, error) { return engine.Trimmed{}, nil }
