// Package course describes in a few words what a request is doing, from the events that its
// watcher gets: for the one line that shelly ask redraws, and for shelly chat.
package course

import (
	"fmt"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// Course is what a request is doing. The zero value is a request that was just sent.
type Course struct {
	state, inference, label fsm.State
	ahead                   int
	waiting                 string     // what the answer is waiting for (COM-29)
	again                   fsm.Millis // when the model is asked again, in how many seconds waiting says
	tool                    string
	running                 int // number of running tools
}

// Take handles an event of the request.
func (c *Course) Take(e comm.Event) {
	switch e.Type {
	case comm.EventAccepted:
		c.state = state.Queued
	case comm.EventQueued:
		c.state, c.ahead = state.Queued, e.Ahead
	case comm.EventState:
		c.moved(e)
	case comm.EventWaiting:
		c.waiting, c.again = e.Text, e.Again
	case comm.EventChunk:
		c.inference, c.waiting, c.again = state.Thinking, "writing", 0
		if e.Text == "" {
			c.waiting = "thinking"
		}
	case comm.EventTool:
		c.tool = e.Tool
		c.running++
	case comm.EventToolResult:
		c.running = max(c.running-1, 0)
	case comm.EventHeld:
		c.state = state.Held
	case comm.EventDeferred:
		c.state = state.Parked
	}
}

// moved handles a transition of the handle, or of its inference.
func (c *Course) moved(e comm.Event) {
	c.waiting, c.again = "", 0
	if e.State != "" {
		c.state, c.ahead = e.State, e.Ahead
	}
	if e.Inference == state.Thinking {
		c.running = 0
	}
	c.inference, c.label = e.Inference, e.Label
}

// Words describes what the request is doing at a time, in milliseconds since 1970.
func (c *Course) Words(now fsm.Millis) string {
	switch c.state {
	case state.Queued:
		return comm.QueuedWords(c.ahead)
	case state.Parked:
		return "kept until shelly starts again"
	case state.Approving:
		return "waiting for your answer"
	case state.Held:
		return "held: waiting for a decision, see shelly request show"
	}
	switch {
	case c.running > 1:
		return fmt.Sprintf("running %d tools", c.running)
	case c.running > 0:
		return "running " + c.tool
	case c.waiting != "" && c.inference == state.Condensing: // of what it writes, no word is shown (CLI-213)
		return words(c.inference) + ": " + comm.Waits(c.waiting, c.again, now)
	case c.waiting != "":
		return comm.Waits(c.waiting, c.again, now)
	case c.label != "":
		return string(c.label)
	case c.inference != "":
		return words(c.inference)
	case c.state == "":
		return "sending"
	default:
		return words(c.state)
	}
}

// Subagent describes a change of a subagent. If it begins, that includes how to cancel it.
func Subagent(e comm.Event) string {
	name := fmt.Sprintf("subagent %s (%s)", e.Handle.Entry(), wording.Word(e.Called))
	switch e.State {
	case state.Done:
		return name + " has done its task"
	case state.Failed:
		return name + " has failed"
	case state.Cancelled:
		return name + " was cancelled"
	default:
		return name + " starts; shelly request cancel " + e.Handle.Entry() + " cancels it"
	}
}

// words returns a state in plain words.
func words(s fsm.State) string {
	switch s {
	case state.Loading:
		return "reading the session"
	case state.Cognition, state.Execution, state.Thinking:
		return "asking the model"
	case state.Summarizing, state.Embedding, state.Storing:
		return "remembering"
	case state.Compacting, state.Condensing:
		return "summarising earlier turns"
	case state.BackingOff, state.Retrying:
		return "waiting to try again"
	case state.Probing:
		return "checking what an interrupted call has done"
	default:
		return string(s)
	}
}
