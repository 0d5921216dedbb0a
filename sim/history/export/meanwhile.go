package export

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// What others did to a request meanwhile, and whom it concerned.

// other tells a command of somebody else that moves the request's handles, as /stop
// does (SES-15), or will at their next checkpoint (HND-32).
func (s *story) other(n int) {
	step := &s.record.Steps[n-1]
	in, ok := step.Input.Fact.(fsm.Requested)
	if !ok {
		return
	}
	of, _ := fsm.Belongs(s.record.Request.Session, s.record.Request.Origin)
	session, _ := fsm.Belongs(in.Session, in.Origin)
	stops := session == of && machine.CommandOf(in.Text) == "stop" && slices.ContainsFunc(step.Effects, func(e fsm.Effect) bool {
		_, answers := e.(fsm.Reply)
		return answers
	})
	if !stops && !slices.ContainsFunc(step.Moves, func(m state.Move) bool { return s.record.owns(m.Handle) }) {
		return
	}
	s.others++
	o := object{{"user", in.Text}}
	o.text("session", in.Session)
	o.text("channel", in.Origin.Channel)
	o.text("chat", in.Origin.Chat)
	s.when(n, o)
}

// edited tells what somebody else had saved before a call to save a session: at some time since
// its handle last knew what is stored.
func (s *story) edited(c *call, now fsm.Session) {
	save, _ := c.effect.(fsm.SaveSession)
	known := s.began
	for _, before := range s.asked {
		_, read := before.answer.Fact.(fsm.SessionLoaded)
		_, saved := before.answer.Fact.(fsm.SessionSaved)
		if (read || saved) && fsm.HandleOf(before.effect) == save.Handle {
			known = before.at + before.took
		}
	}
	at := known + (c.at-known)/2
	if now.Version != save.State.Version {
		o := object{{"session", s.record.session(save.Session)}}
		o.list("history", said(now.History))
		o.list("pending", said(now.Pending))
		o.list("skills", loaded(now.Skills))
		s.at(at, object{{"edit_session", o}})
	}
	if now.MemoryHash != save.State.MemoryHash {
		s.at(at, object{{"edit_memory", now.Memory}})
	}
}

// elsewhere is the tool whose call a decision is about, if that is not the last one that was asked about,
// or is decided already: in another run the next may be asked about by then.
func (s *story) elsewhere(n int, in fsm.Decided) (tool string) {
	last, decided := "", false
	for _, step := range s.record.Steps[:n-1] {
		before, _ := step.Input.Fact.(fsm.Decided)
		decided = decided || before.Handle == in.Handle && before.Key == in.Key
		for _, e := range step.Effects {
			q, ok := e.(fsm.AskPerson)
			if !ok || q.Question != fsm.QuestionApprove || !s.record.owns(q.Handle) {
				continue
			}
			if last = q.Key; q.Handle == in.Handle && q.Key == in.Key {
				tool = q.Tool
			}
		}
	}
	if last == in.Key && !decided {
		return ""
	}
	return tool
}

// nameOf is what a scenario calls one of the handles whose step n is: by its number if it is a
// subagent, which counts the reports of those that had ended when it began (HND-40).
func (s *story) nameOf(n int, id fsm.HandleID) string {
	nth := slices.Index(s.record.Handles, id)
	switch {
	case nth <= 0 && s.record.Run:
		return "h1"
	case nth <= 0:
		return requestID
	}
	number := 1 + nth
	if s.again > 0 {
		number++
	}
	if s.follows {
		number++
	}
	ended := 0
	for _, step := range s.record.Steps[:n-1] {
		for _, m := range step.Moves {
			if m.Handle == id {
				return fmt.Sprintf("h%d", number+ended)
			}
			if m.Table == state.HandleTable.Name && slices.Contains(s.record.Handles[1:], m.Handle) && slices.Contains(state.HandleTable.Final, m.To) {
				ended++
			}
		}
	}
	return fmt.Sprintf("h%d", number+ended)
}
