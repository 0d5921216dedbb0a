package daemon

import (
	"strings"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// questions are the calls whose tools have asked for a person's approval (APR-19), as long as such a tool
// may wait for the answer.
type questions struct {
	mu    sync.Mutex
	calls map[fsm.CallID]string // their keys, until the machine has what the tool said

	waits map[fsm.HandleID]string // the keys of those about which a person is asked, also by an earlier process; only the loop uses it
}

// put notes that a tool has asked.
func (q *questions) put(call fsm.CallID, key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.calls == nil {
		q.calls = map[fsm.CallID]string{}
	}
	q.calls[call] = key
}

func (q *questions) take(call fsm.CallID) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := q.calls[call]
	delete(q.calls, call)
	return key
}

// step returns the keys of the calls that a step leaves without an approval: a person has refused them or
// did not answer in time, they were cancelled, or nobody is asked about them. A call that is put off
// until the next start is not among them.
func (q *questions) step(s engine.Step) (closed []string) {
	key := ""
	if in, is := s.Input.Fact.(fsm.ToolAnswered); is && in.Asks != "" {
		key = q.take(in.Call)
	}
	decided, _ := s.Input.Fact.(fsm.Decided)
	for _, m := range s.Moves {
		if m.Table != state.HandleTable.Name {
			continue
		}
		if asked := q.waits[m.Handle]; m.From == state.Approving && asked != "" {
			delete(q.waits, m.Handle)
			if !decided.Approve && m.To != state.Parked {
				closed = append(closed, asked)
			}
		}
		if m.To == state.Parked {
			key = ""
		}
	}
	for _, e := range s.Effects {
		asked, is := e.(fsm.AskPerson)
		if own, byTool := strings.CutSuffix(asked.Key, state.AskedByTool); is && byTool {
			if q.waits == nil {
				q.waits = map[fsm.HandleID]string{}
			}
			q.waits[asked.Handle], key = own, ""
		}
	}
	if key != "" {
		closed = append(closed, key)
	}
	return closed
}
