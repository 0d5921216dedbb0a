package fsm

// keepsSession reports whether a handle begins with its session (SES-3). One that
// brings its own history does not (SES-6).
func (c *Config) keepsSession(h *Handle) bool {
	if c.Switches.History == HistoryNone || len(h.Context) > 0 {
		return false
	}
	return h.learns()
}

// load reads the handle's session, where it has one.
func (m *Machine) load(i int) firing {
	h := &m.s.Handles[i]
	switch {
	case !m.s.Config.keepsSession(h) && h.Command == commandNew:
		return firing{on: OnFinish, write: func(h *Handle) { h.Answer, h.Outcome = m.word(WordNewSession), OutcomeAnswered }}
	case !m.s.Config.keepsSession(h):
		return firing{on: m.begins(h)}
	}
	call, session := m.await(h, CallLoad), h.Session
	if canary == CanarySessionLeak {
		session = m.s.Handles[0].Session
	}
	m.emit(LoadSession{Asked: Asked{Call: call, Handle: h.ID}, Session: session})
	return firing{}
}

// loaded begins the turn, or makes room for it first.
func (m *Machine) loaded(h *Handle, in SessionLoaded) firing {
	if in.Error != "" {
		f := firing{on: OnAgain}
		if h.Tries+1 >= m.s.Config.Limits.MaxStoreAttempts {
			f = m.drop(h, OutcomeFailed, m.word(WordSessionUnread, "reason", in.Error)) // SES-8
		}
		return f.after(func(h *Handle) { h.Tries++ })
	}
	s, w := in.Session, m.s.Config.Words
	s.History, s.Pending = w.stripped(s.History), w.mend(s.Pending)
	on := m.begins(h)
	switch {
	case m.overflows(h, &s):
		on = OnCompact
	case h.Command == commandNew:
		on = OnSave
	}
	return firing{on: on, write: func(h *Handle) {
		h.Tries, h.Loaded, h.Sess = 0, true, s
		if on == OnSave {
			m.renew(h)
		}
	}}
}

// save writes the session back, once for each turn (SES-3).
func (m *Machine) save(i int) firing {
	h := &m.s.Handles[i]
	state := h.Sess
	if h.Command != commandNew {
		state.History = m.newest(m.kept(h))
	}
	call := m.await(h, CallSave)
	m.emit(SaveSession{
		Asked: Asked{Call: call, Handle: h.ID}, Session: h.Session, Turn: h.ID.entry(),
		State: state, Archive: m.archive(h), Notes: h.Notes, Memory: h.Learnt != "",
	})
	return firing{}
}

// newest bounds a history that nothing consolidates: its oldest turns leave it whole,
// but for a summary at its head (SES-18). They are in the archive.
func (m *Machine) newest(history []Message) []Message {
	l := &m.s.Config.Limits
	over := len(history) - l.MaxHistory - l.MaxPending
	if m.s.Config.Switches.Overflow != OverflowKeep || over <= 0 {
		return history
	}
	kept := history[nextTurn(history, over, len(history)-1):]
	if history[0].Role == RoleSystem {
		kept = append([]Message{history[0]}, kept...)
	}
	return m.s.Config.Words.mend(kept)
}

// archive is the turn as it was, whatever becomes of the history (SES-16).
func (m *Machine) archive(h *Handle) []Message {
	if h.Command != "" {
		return nil
	}
	return m.own(h)
}

// saved goes on after a save, or saves again over what stands there now.
func (m *Machine) saved(h *Handle, in SessionSaved) firing {
	switch {
	case !in.Conflict && in.Error == "":
		return m.keptTurn(h)
	case h.Tries+1 < m.s.Config.Limits.MaxStoreAttempts:
		return firing{on: OnAgain, write: func(h *Handle) {
			h.Tries++
			if in.Conflict {
				m.rebase(h, in.Session)
			}
		}}
	}
	why := in.Error
	if in.Conflict {
		why = m.word(WordSessionChanged)
	}
	return m.keptTurn(h).after(func(h *Handle) {
		h.Tries++
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: m.word(WordSessionUnsaved, "reason", why)})
	})
}

// rebase puts the turn behind what somebody else has written since it began, and
// what it learnt behind a MEMORY.md that was edited, so that neither is lost
// (SES-3, SES-12).
func (m *Machine) rebase(h *Handle, now Session) {
	if h.Learnt != "" && now.MemoryHash != h.Sess.MemoryHash && now.Memory != h.Sess.Memory {
		h.Sess.Memory = joinText(now.Memory, h.Learnt)
	}
	if now.Version != h.Sess.Version && h.Command != commandNew {
		h.Sess.History = m.s.Config.Words.mend(now.History)
		h.Sess.Pending = m.s.Config.Words.mend(now.Pending)
		h.Rebased = true
		for _, k := range now.Skills {
			if !h.Sess.loaded(k.Name, k.Reference) {
				h.Sess.Skills = append(h.Sess.Skills[:len(h.Sess.Skills):len(h.Sess.Skills)], k)
			}
		}
	}
	h.Sess.Version, h.Sess.MemoryHash = now.Version, now.MemoryHash
}

// joinText puts one text behind another.
func joinText(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + "\n\n" + b
	}
}

// keptTurn goes on after a turn that is kept: with memory, or to the end.
func (m *Machine) keptTurn(h *Handle) firing {
	switch {
	case h.Failure != "":
		return firing{on: m.loss(h, h.Outcome)}
	case m.s.Config.remembers(h):
		return firing{on: OnSaved}
	default:
		return firing{on: OnFinish}
	}
}

// skipSave ends a handle whose time is up while it saves. The save may still have
// been done, but nobody knows (HND-28).
func (m *Machine) skipSave(h *Handle) firing {
	f := firing{on: OnSkip}
	if h.Failure != "" {
		f.on = m.loss(h, h.Outcome)
	}
	return f.after(func(h *Handle) {
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: m.word(WordSessionDoubtful)})
	})
}
