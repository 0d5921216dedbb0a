package daemon

import (
	"context"
	"fmt"
	"slices"
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
func (h *hub) waits(id fsm.HandleID, text string) { h.waitsUntil(id, text, 0) }

// waitsUntil is waits for the time at which the model is asked again, which text says.
func (h *hub) waitsUntil(id fsm.HandleID, text string, again fsm.Millis) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes(id, text, again)
	h.tell(id, comm.Event{Type: comm.EventWaiting, Text: text, Again: again})
}

// tellsQuestions tells the requests that wait for a question in their session, and what they wait for
// once it is answered. It is asked after each step, and looks no further where no question is open and
// nobody was told of one.
func (d *Daemon) tellsQuestions(s *state.Snapshot) {
	asks := asksPerson(s)
	if !asks && !d.asking {
		return
	}
	d.asking = asks
	line := newQueue(s)
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.Kind != fsm.KindUser || h.State != state.Queued {
			continue
		}
		_, note := d.hub.standing(h.ID)
		if note == "" && !line.asked(i) {
			continue
		}
		d.asking = true
		if text := line.why(i); text != note {
			d.hub.waits(h.ID, text)
		}
	}
}

func asksPerson(s *state.Snapshot) bool {
	for i := range s.Handles {
		if s.Handles[i].AsksPerson() {
			return true
		}
	}
	return false
}

// staged passes on a model call's new stage. Only the loop calls it.
func (d *Daemon) staged(call fsm.CallID, stage fsm.Stage) {
	s := d.driver.Machine().View()
	h := awaiting(s, call)
	if h == nil || stage == fsm.StageWriting { // the text itself shows this
		d.hasRead(call)
		return
	}
	if stage != fsm.StageAccepted {
		d.tellsWait(h, "loading the model")
		return
	}
	d.hasRead(call)
	d.accepted = append(d.accepted, &accepted{call: call})
	d.stillReads()
}

// tellsWait logs what the model call of a handle waits for, and passes it on.
func (d *Daemon) tellsWait(h *state.Handle, text string) {
	d.o.Log.Info("a model call waits", "handle", h.ID, "session", h.Session, "for", text)
	d.hub.waits(h.ID, text)
}

// accepted is a model call that the server has and that has not begun to write.
type accepted struct {
	call  fsm.CallID
	told  string      // what it waits for, in words
	takes fsm.Millis  // how long the reading should take; 0: unknown
	due   *time.Timer // when that time has passed; nil: it is unknown, or other calls come first
	late  bool        // that time has passed
}

// lateLeast is the shortest time after which a call is called late: an estimate of a second is
// passed too often to be worth a word.
const lateLeast = 5 * time.Second

// stillReads passes on what has changed of what the calls that read wait for: a call before one of
// them has ended, or the time that one should take has passed.
func (d *Daemon) stillReads() {
	s := d.driver.Machine().View()
	for _, r := range slices.Clone(d.accepted) {
		h := awaiting(s, r.call)
		if h == nil {
			d.hasRead(r.call)
			continue
		}
		if r.due == nil {
			r.takes = (fsm.Pace{Reads: s.Reads}).Reading(h.Inf.Anew)
		}
		text := r.words(&h.Inf)
		if first := before(s, r.call, d.o.Slots); first != "" {
			text = "waiting for the model, " + first + "; then " + text
		} else if r.due == nil && r.takes > 0 {
			d.expect(r)
		}
		_, note := d.hub.standing(h.ID)
		if text != r.told && (r.told == "" || note == r.told) { // else the server is silent, which says more (BRN-42)
			r.told = text
			d.tellsWait(h, text)
		}
	}
}

// expect sets the time at which a call should have read its prompt.
func (d *Daemon) expect(r *accepted) {
	r.due = time.AfterFunc(max(time.Duration(r.takes)*time.Millisecond, lateLeast), func() {
		_ = d.send(context.Background(), message{do: func() {
			r.late = true
			d.stillReads()
		}})
	})
}

// hasRead forgets a call that no longer reads.
func (d *Daemon) hasRead(call fsm.CallID) {
	d.accepted = slices.DeleteFunc(d.accepted, func(r *accepted) bool {
		if r.call == call && r.due != nil {
			r.due.Stop()
		}
		return r.call == call
	})
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

// before returns in words which unanswered model calls come before one, if there are more of them than
// the other slots serve.
func before(s *state.Snapshot, call fsm.CallID, slots int) string {
	n := 0
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Await.Kind == fsm.CallBrain && h.Await.Call < call {
			n++
		}
	}
	if n -= max(slots-1, 0); n <= 0 {
		return ""
	}
	return wording.Count(n, "call") + " before it"
}

// words returns how many tokens the model has to read for a call, and how long that should take, as
// far as either is known. A server sends nothing of a tool call before the call's end, so a model
// that is late may be writing one.
func (r *accepted) words(inf *state.Inference) string {
	text, known, call := "reading", inf.Anew >= toldTokensMin, ""
	if known {
		text += " " + wording.Thousands(inf.Anew) + " tokens"
	}
	if inf.Tools != fsm.NoTools {
		call = ", or writing a tool call"
	}
	switch {
	case r.late && known:
		return fmt.Sprintf("%s, longer than the expected %d s%s", text, r.takes/fsm.Second, call)
	case r.late:
		return text + " more than expected" + call
	case known && r.takes > 0:
		return fmt.Sprintf("%s, about %d s", text, r.takes/fsm.Second)
	default:
		return text
	}
}

// toldTokensMin is the least number of tokens that is shown: fewer are read at once, so they
// cannot be the reason for the wait.
const toldTokensMin = 16

// retried reports why the model is asked again, and when, if a step has decided so.
func (d *Daemon) retried(s engine.Step) {
	in, failed := s.Input.Fact.(fsm.BrainFailed)
	for _, e := range s.Effects {
		wait, backs := e.(fsm.SetTimer)
		ask, again := e.(fsm.AskBrain)
		switch {
		case backs && (wait.Purpose == fsm.TimerBackoff || wait.Purpose == fsm.TimerPostpone):
			why := "the model has fallen silent"
			if failed {
				why = in.Reason
			}
			after := time.Duration(wait.After) * time.Millisecond
			d.o.Log.Warn("the model is asked again", "handle", wait.Handle, "class", in.Class, "because", why, "in", after)
			text := why + "; " + comm.Again(wait.After)
			if in.Class == fsm.BrainUnreachable && d.awaits(wait) {
				text += ", or as soon as it answers"
			}
			d.hub.waitsUntil(wait.Handle, text, s.Input.At+wait.After)
		case again && failed && in.Class == fsm.BrainBadCall:
			d.o.Log.Warn("the model is asked again", "handle", ask.Handle, "class", in.Class, "because", in.Reason)
			d.hub.waits(ask.Handle, in.Reason+"; it is asked again")
		}
	}
}
