package fsm

// summarize asks for a summary of the full messages (HND-12).
func (m *Machine) summarize(i int) firing {
	h := &m.s.Handles[i]
	talk := h.Talk.fork().add(Message{Role: RoleUser, Text: m.s.Config.Prompts.Summary})
	return m.infer(i, PurposeSummary, talk, NoTools)
}

// summarized takes the summary, or an extract where there is none (HND-21).
func (m *Machine) summarized(*Handle) firing {
	return firing{on: OnSummarized, write: func(h *Handle) {
		h.Summary = m.extract(h.Input, h.Answer)
		if h.Inf.State == Completed {
			if s := withoutMarker(h.Inf.Result); s != "" {
				h.Summary = s
			}
		}
	}}
}

// embed asks for the summary's vector (HND-13).
func (m *Machine) embed(i int) firing {
	h := &m.s.Handles[i]
	call := m.await(h, CallEmbed)
	m.emit(Embed{Asked: Asked{Call: call, Handle: h.ID}, Text: h.Summary})
	return firing{}
}

// embedded takes the vector; without one the entry is found by keyword (HND-22).
func (m *Machine) embedded(_ *Handle, in Embedded) firing {
	return firing{on: OnEmbedded, write: func(h *Handle) {
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
	if h.Kind == KindMemory {
		text = h.Answer
	}
	call := m.await(h, CallStore)
	m.emit(Store{Asked: Asked{Call: call, Handle: h.ID}, Entry: Entry{
		ID:      h.ID.entry(),
		Kind:    h.Kind,
		Session: h.Session,
		At:      m.s.Now,
		Summary: h.Summary,
		Text:    text,
		Vector:  h.Vector,
		Model:   h.VectorModel,
	}})
	return firing{}
}

// exchange is a turn as an entry keeps it.
func (m *Machine) exchange(input, answer string) string {
	return m.word(WordExchange, "input", input, "answer", answer)
}

// stored ends the handle, or tries the store again (HND-23).
func (m *Machine) stored(h *Handle, in Stored) firing {
	switch {
	case in.Error == "":
		return firing{on: OnStored}
	case h.StoreTries+1 < m.s.Config.Limits.MaxStoreAttempts:
		return firing{on: OnAgain, write: func(h *Handle) { h.StoreTries++ }}
	default:
		return firing{on: OnStored, write: func(h *Handle) {
			h.StoreTries++
			m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: m.word(WordMemoryUnstored, "reason", in.Error)})
		}}
	}
}

// gather puts a finished turn to those that its session's memory handle will
// remember together (HND-29).
func (m *Machine) gather(h *Handle) {
	turn := m.own(h)
	for i := range m.s.Handles {
		job := &m.s.Handles[i]
		if job.Kind != KindMemory || job.Session != h.Session || job.Resume != "" || !job.parkedOrQueued() ||
			job.Turns >= m.s.Config.Limits.MaxTurns {
			continue
		}
		job.Talk = job.Talk.add(turn...)
		job.Input = clip(job.Input+"\n"+h.Input, extractBytesMax)
		job.Answer += "\n\n" + m.exchange(h.Input, h.Answer)
		job.Turns++
		return
	}
	m.admit(Handle{
		Kind: KindMemory, Session: h.Session, Origin: h.Origin, Input: h.Input,
		Answer: m.exchange(h.Input, h.Answer), Talk: Conversation{}.add(turn...), Turns: 1,
	})
}

// gathers reports whether a finished turn is remembered together with others.
func (m *Machine) gathers(h *Handle) bool {
	return m.s.Config.Switches.Remember == RememberIdle && h.learns() && h.Command == "" && h.Answer != ""
}

// learns reports whether a handle of this kind is remembered with its session.
func (h *Handle) learns() bool {
	return h.Kind == KindUser || h.Kind == KindEvent || h.Kind == KindSystem || h.Kind == KindSchedule
}

func (h *Handle) parkedOrQueued() bool { return h.State == Queued || h.State == Parked }
