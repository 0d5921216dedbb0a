package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/turn"
)

// keepsSession reports whether a handle begins with its session (SES-3). One that
// brings its own history does not (SES-6).
func keepsSession(c *fsm.Config, h *state.Handle) bool {
	if c.Switches.History == fsm.HistoryNone || len(h.Context) > 0 {
		return false
	}
	return h.Learns() || h.Compacts && h.Session != ""
}

// load reads the handle's session, if it has one.
func (m *Machine) load(i int) firing {
	h := &m.s.Handles[i]
	switch {
	case !keepsSession(&m.s.Config, h) && h.Command == commandNew:
		return firing{on: state.OnFinish, write: func(h *state.Handle) { h.Answer, h.Outcome = m.word(fsm.WordNewSession), fsm.OutcomeAnswered }}
	case !keepsSession(&m.s.Config, h):
		return firing{on: m.begins(h)}
	}
	m.emit(fsm.LoadSession{Asked: fsm.Asked{Call: m.await(h, fsm.CallLoad), Handle: h.ID}, Session: h.Session})
	return firing{}
}

// loaded begins the turn, or makes room for it first.
func (m *Machine) loaded(h *state.Handle, in fsm.SessionLoaded) firing {
	if in.Error != "" {
		f := firing{on: state.OnAgain}
		if h.Tries+1 >= m.s.Config.Limits.MaxStoreAttempts {
			f = m.drop(h, fsm.OutcomeFailed, m.word(fsm.WordSessionUnread, "reason", in.Error)) // SES-8
		}
		return f.after(func(h *state.Handle) { h.Tries++ })
	}
	s, held := in.Session, &m.s.Cached
	s.History = turn.Begun(&m.s.Config, h, s.History, m.s.SaidIn(h.Session), held.Session == h.Session && held.Version == s.Version)
	s.Pending = m.s.Config.Words.Mend(s.Pending)
	on := m.begins(h)
	switch {
	case h.Ahead && m.s.Config.Edition >= fsm.EighteenthEdition && (m.s.AnyoneWaits() || m.s.ReadingWaits() >= 0):
		on = state.OnFinish // it would be asked for and given up in one step, and its session go first (HND-50)
	case h.Compacts && (!h.Ahead && s.Version != h.Sess.Version || m.overflows(h, &s)):
		on = state.OnFinish // HND-67
	case m.overflows(h, &s):
		on = state.OnCompact
	case h.Command == commandNew:
		on = state.OnSave
	}
	return firing{on: on, write: func(h *state.Handle) {
		h.Tries, h.Loaded, h.Sess = 0, true, s
		if !h.Compacts {
			m.s.Heard(h.Session)
		}
		if h.Kind == fsm.KindUser && readsAtStart(&m.s.Config) {
			m.s.LastChat = h.Session // for the next start
		}
		switch on {
		case state.OnSave:
			m.renew(h)
		case state.OnFinish:
			m.spare(h)
		}
	}}
}

// save writes the session back, once for each turn (SES-3).
func (m *Machine) save(i int) firing {
	h := &m.s.Handles[i]
	state := h.Sess
	switch {
	case h.Compacts:
		state.History = turn.Newest(&m.s.Config, turn.Before(&m.s.Config, h))
	case h.Command != commandNew:
		state.History = turn.Newest(&m.s.Config, turn.Kept(&m.s.Config, h))
	}
	call := m.await(h, fsm.CallSave)
	m.emit(fsm.SaveSession{
		Asked: fsm.Asked{Call: call, Handle: h.ID}, Session: h.Session, Turn: h.ID.Entry(),
		State: state, Archive: m.archive(h), Notes: h.Notes, Memory: h.Learnt != "",
	})
	return firing{}
}

// archive returns the turn as it was, whatever becomes of the history (SES-16).
func (m *Machine) archive(h *state.Handle) []fsm.Message {
	if h.Command != "" || h.Compacts {
		return nil
	}
	return turn.Own(&m.s.Config, h)
}

// saved goes on after a save, or saves again over the stored session if that has changed.
func (m *Machine) saved(h *state.Handle, in fsm.SessionSaved) firing {
	switch {
	case !in.Conflict && in.Error == "":
		return m.keptTurn(h)
	case in.Conflict && h.Compacts:
		return firing{on: state.OnFinish} // HND-67
	case h.Tries+1 < m.s.Config.Limits.MaxStoreAttempts:
		return firing{on: state.OnAgain, write: func(h *state.Handle) {
			h.Tries++
			if in.Conflict {
				m.rebase(h, in.Session)
			}
		}}
	}
	why := in.Error
	if in.Conflict {
		why = m.word(fsm.WordSessionChanged)
	}
	return m.keptTurn(h).after(func(h *state.Handle) {
		m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: m.word(fsm.WordSessionUnsaved, "reason", why)})
	})
}

// rebase puts the turn after what others have written since it began, and what it learnt
// after a MEMORY.md that was edited, so that neither is lost (SES-3, SES-12).
func (m *Machine) rebase(h *state.Handle, now fsm.Session) {
	if h.Learnt != "" && now.MemoryHash != h.Sess.MemoryHash && now.Memory != h.Sess.Memory {
		h.Sess.Memory, h.Sess.MemorySource = joinText(now.Memory, h.Learnt), h.Sess.MemorySource|now.MemorySource
	}
	if now.Version != h.Sess.Version && h.Command != commandNew {
		h.Sess.History = m.s.Config.Words.Mend(now.History)
		h.Sess.Pending = m.s.Config.Words.Mend(now.Pending)
		h.Rebased = true
		if m.s.Config.Edition >= fsm.TwentiethEdition && len(now.History)+len(now.Pending)+len(now.Skills)+len(now.Texts) == 0 {
			// It was forgotten: what was loaded of it does not come back (SES-25). Only the turn's own results have later numbers.
			h.Sess.Skills = nil
			h.Sess.Texts = slices.DeleteFunc(slices.Clone(h.Sess.Texts), func(t fsm.KeptText) bool { return t.Number <= now.LastText })
		}
		h.Sess.JoinTexts(now, m.s.Config.Limits.MaxTextBytes)
		for _, k := range now.Skills {
			if !h.Sess.HasSkill(k.Name, k.Reference) {
				h.Sess.Skills = append(h.Sess.Skills[:len(h.Sess.Skills):len(h.Sess.Skills)], k)
			}
		}
	}
	h.Sess.Version, h.Sess.MemoryHash = now.Version, now.MemoryHash
}

// keptTurn goes on once the turn is kept: with memory, or to the end.
func (m *Machine) keptTurn(h *state.Handle) firing {
	switch {
	case h.Failure != "":
		return firing{on: m.loss(h, h.Outcome)}
	case h.Answer != "" && remembers(&m.s.Config, h):
		return firing{on: state.OnSaved}
	default:
		return firing{on: state.OnFinish}
	}
}

// skipSave ends a handle whose time is up while it saves. Whether the save was done is
// unknown (HND-28).
func (m *Machine) skipSave(h *state.Handle) firing {
	f := firing{on: state.OnSkip}
	if h.Failure != "" {
		f.on = m.loss(h, h.Outcome)
	}
	return f.after(func(h *state.Handle) {
		m.emit(fsm.Report{Handle: h.ID, Kind: h.Kind, Text: m.word(fsm.WordSessionDoubtful)})
	})
}
