package lockstep

import (
	"slices"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/daemon"
)

// speak streams the pieces of an answer that a client of the simulated run has seen. They are all
// streamed at its end, because only the end of an answer is a step of the simulated run.
func (b *bubble) speak(call fsm.CallID) {
	b.mu.Lock()
	stream := b.streams[call]
	b.mu.Unlock()
	for _, c := range b.chunks[call] {
		stream(daemon.Piece{Text: c.Text, Thinking: c.Thinking})
		synctest.Wait()
		b.listen() // a client that does not listen misses some
	}
}

// listen collects the events that are compared, as far as the clients of this process have
// received them.
func (b *bubble) listen() {
	for key, events := range b.clients { // order-free: each is only emptied
		for open := true; open; {
			var e comm.Event
			select {
			case e, open = <-events:
			default:
				open = false
			}
			switch e.Type {
			case comm.EventQueued, comm.EventDeferred, comm.EventHeld, comm.EventReply, comm.EventChunk:
				e.At, e.Call, e.From, e.ThinkingFrom, e.Whole = position.Position{}, 0, 0, 0, false // COM-90 has tests of its own
				b.heard[key] = append(b.heard[key], e)
			}
		}
	}
}

// hears checks that each client of this process has received in a step what the simulated run
// gives it: pieces of an answer, notices and the reply.
func (b *bubble) hears(i int) {
	want := map[fsm.RequestKey][]comm.Event{}
	add := func(key fsm.RequestKey, e comm.Event) {
		if _, listens := b.clients[key]; listens {
			e.ID = key.ID
			want[key] = append(want[key], e)
		}
	}
	for _, c := range b.chunks[fsm.Answers(b.steps[i].Input)] {
		add(c.Request, comm.Event{Type: comm.EventChunk, Purpose: c.Purpose, Text: c.Text, Thinking: c.Thinking})
	}
	for _, e := range b.steps[i].Effects {
		switch e := e.(type) {
		case fsm.Reply:
			add(e.Request, comm.Event{Type: comm.EventReply, Text: e.Text, IsError: e.IsError, Outcome: e.Outcome})
		case fsm.Notify:
			add(e.Request, comm.Event{Type: notices[e.Notice], Ahead: e.Ahead})
		}
	}
	if diff := cmp.Diff(joined(want), joined(b.heard)); diff != "" {
		b.fail("step %d: the clients hear something else (-simulated +daemon)\n%s", i+1, diff)
	}
	clear(b.heard)
}

// notices are the types of events for notices.
var notices = map[fsm.Notice]comm.EventType{
	fsm.NoticeDeferred: comm.EventDeferred, fsm.NoticeQueued: comm.EventQueued, fsm.NoticeHeld: comm.EventHeld,
}

// joined merges successive pieces: where an answer is divided does not matter. A chunk without
// text is not a piece.
func joined(heard map[fsm.RequestKey][]comm.Event) map[fsm.RequestKey][]comm.Event {
	all := map[fsm.RequestKey][]comm.Event{}
	for key, events := range heard { // order-free: each by itself
		var list []comm.Event
		for _, e := range events {
			last := len(list) - 1
			if e.Type == comm.EventChunk && last >= 0 && list[last].Type == comm.EventChunk {
				list[last].Text += e.Text
				list[last].Thinking += e.Thinking
				continue
			}
			list = append(list, e)
		}
		all[key] = slices.DeleteFunc(list, func(e comm.Event) bool { return e.Type == comm.EventChunk && e.Text+e.Thinking == "" })
	}
	return all
}
