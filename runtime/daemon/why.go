package daemon

import (
	"fmt"
	"strconv"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// What an answer waits for is said to whoever watches its request, and in the log (COM-29):
// at the first attempt, and not when all of them are spent.

// waits tells what the answer of a handle waits for.
func (h *hub) waits(id fsm.HandleID, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes(id, text)
	h.tell(id, comm.Event{Type: comm.EventWaiting, Text: text})
}

// staged says that a model call has come to a stage. Only the loop calls it.
func (d *Daemon) staged(call fsm.CallID, stage fsm.Stage) {
	s := d.driver.Machine().View()
	h := awaiting(s, call)
	if h == nil || stage == fsm.StageWriting { // what is written shows
		return
	}
	text := "loading the model"
	if stage == fsm.StageAccepted {
		text = readingWords(s, h)
		if n := before(s, call); n > 0 {
			text = "waiting for the model, " + wording.Count(n, "call") + " before it; then " + text
		}
	}
	d.o.Log.Info("a model call waits", "handle", h.ID, "session", h.Session, "for", text)
	d.hub.waits(h.ID, text)
}

// awaiting is the handle that awaits a model call, or nil.
func awaiting(s *state.Snapshot, call fsm.CallID) *state.Handle {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Await.Kind == fsm.CallBrain && h.Await.Call == call {
			return h
		}
	}
	return nil
}

// before is how many model calls were made before one and are not answered yet.
func before(s *state.Snapshot, call fsm.CallID) (n int) {
	for i := range s.Handles {
		if a := s.Handles[i].Await; a.Kind == fsm.CallBrain && a.Call < call {
			n++
		}
	}
	return n
}

// readingWords says what the model has to read for a call, and how long that should take, as
// far as either is known.
func readingWords(s *state.Snapshot, h *state.Handle) string {
	if h.Inf.Anew < toldTokensMin {
		return "reading"
	}
	text := "reading " + grouped(h.Inf.Anew) + " tokens"
	if takes := (fsm.Pace{Reads: s.Reads}).Reading(h.Inf.Anew); takes > 0 {
		text += fmt.Sprintf(", %d s", takes/fsm.Second)
	}
	return text
}

// toldTokensMin is the least to read that is shown as a number: less is read at once, whatever
// the wait is for.
const toldTokensMin = 16

// grouped is a number with a comma before each three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// retried says why the model is asked again, and when, where a step has decided that.
func (d *Daemon) retried(s engine.Step) {
	in, failed := s.Input.Fact.(fsm.BrainFailed)
	for _, e := range s.Effects {
		wait, backs := e.(fsm.SetTimer)
		ask, again := e.(fsm.AskBrain)
		switch {
		case backs && wait.Purpose == fsm.TimerBackoff:
			why := "the model has fallen silent"
			if failed {
				why = in.Reason
			}
			after := time.Duration(wait.After) * time.Millisecond
			d.o.Log.Warn("the model is asked again", "handle", wait.Handle, "class", in.Class, "because", why, "in", after)
			d.hub.waits(wait.Handle, fmt.Sprintf("%s; trying again in %d s", why, max((wait.After+fsm.Second-1)/fsm.Second, 1)))
		case again && failed && in.Class == fsm.BrainBadCall:
			d.o.Log.Warn("the model is asked again", "handle", ask.Handle, "class", in.Class, "because", in.Reason)
			d.hub.waits(ask.Handle, in.Reason+"; it is asked again")
		}
	}
}

// voices notes when a model begins to think and to write in a call that has gone on for a
// while, and tells each once.
type voices struct{ thinks, writes bool }

func (d *Daemon) voiced(v *voices, h fsm.HandleID, p Piece) {
	if p.Thinking != "" && !v.thinks {
		v.thinks = true
		d.hub.waits(h, "thinking")
	}
	if p.Text != "" && !v.writes {
		v.writes = true
		d.hub.waits(h, "writing")
	}
}
