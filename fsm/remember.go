package fsm

// summarize asks for a summary of the full messages (HND-12).
func (m *Machine) summarize(h *Handle) {
	talk := h.Talk.fork().add(Message{Role: RoleUser, Text: m.s.Config.Prompts.Summary})
	m.infer(h, PurposeSummary, talk, false)
}

// summarized takes the summary, or an extract where there is none (HND-21).
func (m *Machine) summarized(h *Handle) {
	h.Summary = extract(h.Input, h.Answer)
	if h.Inf.State == Completed {
		if s := withoutMarker(h.Inf.Result); s != "" {
			h.Summary = s
		}
	}
	m.move(h, OnSummarized)
	m.embed(h)
}

// embed asks for the summary's vector (HND-13).
func (m *Machine) embed(h *Handle) {
	call := m.await(h, CallEmbed)
	m.emit(Embed{Call: call, Handle: h.ID, Text: h.Summary})
}

// embedded takes the vector; without one the entry is found by keyword (HND-22).
func (m *Machine) embedded(h *Handle, in Embedded) {
	if in.Error == "" {
		h.Vector, h.VectorModel = in.Vector, in.Model
	}
	m.move(h, OnEmbedded)
	m.store(h)
}

// store writes the memory entry (HND-14). Its id is the handle's, so a store
// that is asked for again writes the same entry.
func (m *Machine) store(h *Handle) {
	call := m.await(h, CallStore)
	m.emit(Store{Call: call, Handle: h.ID, Entry: Entry{
		ID:      h.ID.entry(),
		Kind:    h.Kind,
		Session: h.Session,
		At:      m.s.Now,
		Summary: h.Summary,
		Text:    "Input: " + h.Input + "\nAnswer: " + h.Answer,
		Vector:  h.Vector,
		Model:   h.VectorModel,
	}})
}

// stored ends the handle, or tries the store again (HND-23).
func (m *Machine) stored(i int, in Stored) {
	h := &m.s.Handles[i]
	if in.Error != "" {
		h.StoreTries++
		if h.StoreTries < m.s.Config.Limits.MaxStoreAttempts {
			m.store(h)
			return
		}
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: "memory was not stored: " + in.Error})
	}
	m.finish(i, OnStored)
}
