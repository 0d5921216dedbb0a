package machine

import (
	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/prompt"
	"shelly/fsm/queue"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// summarize asks for a summary of the full messages (HND-12). For a session's turns it may
// be asked for after the conversation that the model knows (HND-49). Turns for which this is
// not possible are not summarized: a prompt of their own would push the conversation out of
// the server's slot.
func (m *Machine) summarize(i int) firing {
	talk, tools, asks := m.recap(&m.s.Handles[i])
	if !asks {
		return firing{on: state.OnSummarized, write: func(h *state.Handle) { h.Summary = fsm.Clip(h.Answer, 2*extractBytesMax) }}
	}
	return m.infer(i, fsm.PurposeSummary, talk, tools)
}

// recap returns what the model is asked for a handle's summary, or false if it is not asked.
func (m *Machine) recap(h *state.Handle) (talk fsm.Conversation, tools fsm.Toolset, asks bool) {
	appends := m.s.Config.Switches.SideCalls == fsm.SideAppended
	if h.Kind == fsm.KindMemory && appends && !h.Appended() {
		return talk, tools, false
	}
	talk, tools = h.Talk.With(fsm.Message{Role: fsm.RoleUser, Text: m.s.Config.Prompts.Recap(max(h.Turns, 1))}), fsm.NoTools
	if h.Appended() || h.Kind != fsm.KindMemory && appends {
		tools = h.Toolset()
	}
	return talk, tools, true
}

// summarized takes the summary, or an extract if there is none (HND-21).
func (m *Machine) summarized(*state.Handle) firing {
	return firing{on: state.OnSummarized, write: func(h *state.Handle) {
		h.Summary = m.extract(h.Input, h.Answer)
		if h.Inf.State == state.Completed {
			if s := fsm.WithoutNeed(h.Inf.Result); s != "" {
				h.Summary = s
				m.upkeepDone()
				return
			}
		}
		m.upkeepFailed(h, fsm.WordNotSummedUp, m.noUse(h))
	}}
}

// embed asks for the summary's vector (HND-13).
func (m *Machine) embed(i int) firing {
	h := &m.s.Handles[i]
	call := m.await(h, fsm.CallEmbed)
	m.emit(fsm.Embed{Asked: fsm.Asked{Call: call, Handle: h.ID}, Text: h.Summary, Spare: m.s.Config.Switches.SpareModel})
	return firing{}
}

// embedded takes the vector; without one the entry is found by keyword (HND-22).
func (m *Machine) embedded(_ *state.Handle, in fsm.Embedded) firing {
	return firing{on: state.OnEmbedded, write: func(h *state.Handle) {
		if in.Error == "" {
			h.Vector, h.VectorModel = in.Vector, in.Model
		}
	}}
}

// store writes the memory entry (HND-14). Its id is the handle's, so a store
// that is asked for again writes the same entry.
func (m *Machine) store(i int) firing {
	h := &m.s.Handles[i]
	text := m.exchange(h.Input, h.Answer)
	if h.Kind == fsm.KindMemory {
		text = h.Answer
	}
	call := m.await(h, fsm.CallStore)
	m.emit(fsm.Store{Asked: fsm.Asked{Call: call, Handle: h.ID}, Entry: fsm.Entry{
		ID:      h.ID.Entry(),
		Kind:    h.Kind,
		Session: h.Session,
		At:      m.s.Now,
		Summary: h.Summary,
		Text:    text,
		Vector:  h.Vector,
		Model:   h.VectorModel,
		Source:  h.Source | m.derived(h, h.Talk.Messages),
	}})
	return firing{}
}

// exchange returns a turn as an entry keeps it.
func (m *Machine) exchange(input, answer string) string {
	return m.word(fsm.WordExchange, "input", input, "answer", answer)
}

// stored ends the handle, or tries the store again (HND-23).
func (m *Machine) stored(h *state.Handle, in fsm.Stored) firing {
	switch {
	case in.Error == "":
		return firing{on: state.OnStored}
	case h.StoreTries+1 < m.s.Config.Limits.MaxStoreAttempts:
		return firing{on: state.OnAgain, write: func(h *state.Handle) { h.StoreTries++ }}
	default:
		return firing{on: state.OnStored, write: func(h *state.Handle) {
			m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: m.word(fsm.WordMemoryUnstored, "reason", in.Error)})
		}}
	}
}

// gather adds a finished turn to those that its session's memory handle will remember
// together (HND-29).
func (m *Machine) gather(h *state.Handle) {
	talk, known := m.toRemember(h)
	job := m.gathering(h, talk.Messages, known.Version > 0)
	if job == nil {
		m.admit(state.Handle{
			Accepted:    state.Accepted{Kind: fsm.KindMemory, Session: h.Session, Origin: h.Origin, Input: h.Input, Source: h.Source},
			Inferring:   state.Inferring{Talk: talk},
			SessionTurn: state.SessionTurn{Sess: known},
			Ending:      state.Ending{Answer: m.exchange(h.Input, h.Answer)},
			Remembering: state.Remembering{Turns: 1},
		})
		return
	}
	if !job.Appended() { // else the session as it is now has the turns before this one
		talk = job.Talk.Add(talk.Messages...)
	}
	job.Talk, job.Sess = talk, known
	job.Input = fsm.Clip(job.Input+"\n"+h.Input, extractBytesMax)
	job.Answer += "\n\n" + m.exchange(h.Input, h.Answer)
	job.Turns++
	job.Source |= h.Source
}

// gathering returns the memory handle of its session that a finished turn joins, or nil. It
// is the newest one, if it has not begun and has room, and if the conversation after which
// it will be asked about its turns still has them and continues with this turn (HND-29). Up
// to the sixth edition a turn also joined it if another conversation has as many turns; up
// to the fifth it joined the first handle that had room.
func (m *Machine) gathering(h *state.Handle, talk []fsm.Message, appended bool) *state.Handle {
	var newest *state.Handle
	for i := range m.s.Handles {
		job := &m.s.Handles[i]
		if job.Kind != fsm.KindMemory || job.Compacts || job.Session != h.Session || job.Appended() != appended {
			continue
		}
		open := job.Resume == "" && job.ParkedOrQueued() && job.Turns < m.s.Config.Limits.MaxTurns
		next := !appended || turn.Has(&m.s.Config, talk, job.Turns+1) && (job.Sess.Version == h.Sess.Version || m.s.Config.Edition < fsm.SeventhEdition)
		switch {
		case m.s.Config.Edition < fsm.SixthEdition:
			if open {
				return job
			}
		case open && next:
			newest = job
		default:
			newest = nil
		}
	}
	return newest
}

// toRemember returns the conversation after which a summary of the turn is asked for
// (HND-49): the session's, with what its system prompt shows, or the turn alone, if there
// is none or if it leaves less than an eighth of the window to the question and its answer.
func (m *Machine) toRemember(h *state.Handle) (fsm.Conversation, fsm.Session) {
	c := &m.s.Config
	if c.Switches.SideCalls != fsm.SideAppended || !h.Loaded {
		return fsm.Of(turn.Own(&m.s.Config, h)), fsm.Session{}
	}
	talk := fsm.Of(turn.Settled(&m.s.Config, turn.Newest(&m.s.Config, turn.Kept(&m.s.Config, h))))
	asked := fsm.Counted([]fsm.Message{{Role: fsm.RoleUser, Text: c.Prompts.Recap(c.Limits.MaxTurns)}})
	asked.Tokens += talk.Tokens
	if !fit.Appendable(c, h, prompt.System(c, h), asked, h.Toolset()) {
		return fsm.Of(turn.Own(&m.s.Config, h)), fsm.Session{}
	}
	return talk, fsm.Session{Version: h.Sess.Version + 1, Skills: h.Sess.Skills, Memory: h.Sess.Memory, Ratio: h.Sess.Ratio, Offer: h.Sess.Offer}
}

// gathers reports whether a finished turn is remembered together with others.
func (m *Machine) gathers(h *state.Handle) bool {
	return m.s.Config.Switches.Remember == fsm.RememberIdle && h.Learns() && h.Command == "" && h.Answer != ""
}

const extractBytesMax = 500

// extract returns a stand-in for a summary that could not be made (HND-21).
func (m *Machine) extract(input, answer string) string {
	return fsm.Clip(m.word(fsm.WordExtractAsked, "input", input), extractBytesMax) + "\n" +
		fsm.Clip(m.word(fsm.WordExtractAnswered, "answer", answer), extractBytesMax)
}

// quiet returns how long no other handle may arrive before a memory handle asks for its
// summary (HND-66), or an initial inference beside others asks the model (LIF-17): as long as the
// model's server takes to read the prompt and
// then again the conversation that it displaces, and if that was read for a person who writes, as long
// as writing takes; 0 if it displaces none, or else if the server's speed is not known.
func quiet(m *Machine, h *state.Handle) fsm.Millis {
	c, held := &m.s.Config, &m.s.Cached
	if !c.Switches.Progress || held.Session == "" || held.IsOf(h) || m.s.Crowded() {
		return 0
	}
	talk, tools, asks := h.Inf.Talk, h.Toolset(), true
	if !h.Beside {
		talk, tools, asks = m.recap(h)
	}
	if !asks {
		return 0
	}
	ask := fsm.AskBrain{System: prompt.System(c, h), Conversation: talk, Tools: tools, Offer: h.Sess.Offer}
	both := 0 // tokens at the beginning that are the same in both
	if held.Before == ask.Before() {
		both = held.Fixed
	}
	n := m.paced().Reading(h.Sess.Corrected(c.Estimate(ask)-both) + h.Sess.Corrected(held.Tokens-both))
	if held.Typed {
		n = max(n, writingTime)
	}
	return n
}

// writingTime is how long a person may take to write a question.
const writingTime = 60 * fsm.Second

// idled ends the wait: the model is asked, unless another handle runs by now.
func (m *Machine) idled(h *state.Handle) firing {
	if queue.HasPlace(&m.s, h) {
		return m.started(h)
	}
	return firing{on: state.OnYield}
}
