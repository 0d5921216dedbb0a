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

// The watchers of a request, and the log, learn what its answer waits for (COM-29) from the
// first attempt on, and not only when all attempts are spent.

// waits passes on what the answer of a handle waits for.
func (h *hub) waits(id fsm.HandleID, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes(id, text)
	h.tell(id, comm.Event{Type: comm.EventWaiting, Text: text})
}

// staged passes on a model call's new stage. Only the loop calls it.
func (d *Daemon) staged(call fsm.CallID, stage fsm.Stage) {
	s := d.driver.Machine().View()
	h := awaiting(s, call)
	if h == nil || stage == fsm.StageWriting { // the text itself shows this
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

// awaiting returns the handle that awaits a model call, or nil.
func awaiting(s *state.Snapshot, call fsm.CallID) *state.Handle {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Await.Kind == fsm.CallBrain && h.Await.Call == call {
			return h
		}
	}
	return nil
}

// before returns how many unanswered model calls were made before one.
func before(s *state.Snapshot, call fsm.CallID) (n int) {
	for i := range s.Handles {
		if a := s.Handles[i].Await; a.Kind == fsm.CallBrain && a.Call < call {
			n++
		}
	}
	return n
}

// readingWords returns how much the model has to read for a call, and how long that should take,
// as far as either is known.
func readingWords(s *state.Snapshot, h *state.Handle) string {
	if h.Inf.Anew < toldTokensMin {
		return "reading"
	}
	text := "reading " + grouped(h.Inf.Anew) + " tokens"
	if takes := (fsm.Pace{Reads: s.Reads}).Reading(h.Inf.Anew); takes > 0 {
		text += fmt.Sprintf(", about %d s", takes/fsm.Second)
	}
	return text
}

// toldTokensMin is the least number of tokens that is shown: fewer are read at once, so they
// cannot be the reason for the wait.
const toldTokensMin = 16

// grouped returns a number with commas between groups of three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// retried reports why the model is asked again, and when, if a step has decided so.
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

// voices reports, once each, that a model begins to think and to write in a call that has been
// running for a while.
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
