package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// sessions is the simulated store of sessions, MEMORY.md and HISTORY.md. Like the
// journal, it loses in a crash what was not synced. What it holds is replaced,
// never changed, so that a copy of the lists is a copy of all.
type sessions struct {
	held
	synced held
	dirty  bool // held is not synced
	edits  int
}

type held struct {
	saved  []Saved // in the order of the first save
	memory string
	notes  []string
}

func newSessions(p *Plan) sessions {
	var s sessions
	for _, one := range p.Sessions {
		one.State.Version = max(one.State.Version, 1)
		s.saved = append(s.saved, one)
	}
	s.memory, s.dirty = p.MemoryFile, true
	s.sync()
	return s
}

func (h held) clone() held {
	h.saved, h.notes = slices.Clone(h.saved), slices.Clip(h.notes)
	return h
}

func (s *sessions) sync() {
	if s.dirty {
		s.synced, s.dirty = s.held.clone(), false
	}
}

func (s *sessions) crash() { s.held, s.dirty = s.synced.clone(), false }

// find returns a session as it is saved, and its place or -1.
func find(saved []Saved, name string) (Saved, int) {
	for i := range saved {
		if saved[i].Name == name {
			return saved[i], i
		}
	}
	return Saved{Name: name}, -1
}

// load returns a session with MEMORY.md.
func (s *sessions) load(name string) fsm.Session {
	one, _ := find(s.saved, name)
	state := one.State
	state.History, state.Pending, state.Skills = slices.Clip(state.History), slices.Clip(state.Pending), slices.Clip(state.Skills)
	state.Memory, state.MemoryHash = s.memory, MemoryHash(s.memory)
	return state
}

// save writes a session over the version, and MEMORY.md over the content, that the
// effect names, once for each turn (SES-3, SES-12). On a conflict nothing is written,
// and now is what stands there.
func (s *sessions) save(e fsm.SaveSession) (now fsm.Session, conflict bool) {
	one, i := find(s.saved, e.Session)
	if slices.Contains(one.Turns, e.Turn) {
		return fsm.Session{}, false
	}
	changed := e.Memory && e.State.MemoryHash != MemoryHash(s.memory) && e.State.Memory != s.memory
	if e.State.Version != one.State.Version || changed {
		return s.load(e.Session), true
	}
	if e.Memory {
		s.memory = e.State.Memory
	}
	one.State = e.State
	one.State.Version++
	one.State.Memory, one.State.MemoryHash = "", ""
	one.Archive = append(slices.Clip(one.Archive), e.Archive...)
	one.Turns = append(slices.Clip(one.Turns), e.Turn)
	s.notes = append(slices.Clip(s.notes), e.Notes...)
	if i < 0 {
		s.saved = append(s.saved, one)
	} else {
		s.saved[i] = one
	}
	s.dirty = true
	return fsm.Session{}, false
}

// edit is a save by somebody else, over what stands there now.
func (s *sessions) edit(e Edit) fsm.SaveSession {
	s.edits++
	save := fsm.SaveSession{Session: e.Session, Turn: "edit:" + strconv.Itoa(s.edits), State: s.load(e.Session)}
	if e.History != nil {
		save.State.History = e.History
	}
	if e.Pending != nil {
		save.State.Pending = e.Pending
	}
	if e.Skills != nil {
		save.State.Skills = e.Skills
	}
	if e.MemoryFile != nil {
		save.State.Memory, save.Memory = *e.MemoryFile, true
	}
	return save
}

// MemoryHash names the content of MEMORY.md: its SHA-256 in hexadecimal, or nothing
// for nothing. A backend must name it alike, or traces differ.
func MemoryHash(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// session performs what concerns sessions and skills. What is saved is saved at
// once, however long the answer takes.
func (w *world) session(e fsm.Effect) error {
	fact, call, service := w.scriptedSession(e)
	if service.Hangs {
		return nil
	}
	if w.backend != nil {
		real, err := w.backend.Session(e, fact)
		if err != nil {
			return err
		}
		fact = real
	}
	w.answer(call, service.Takes, fact)
	return nil
}

func (w *world) scriptedSession(e fsm.Effect) (fsm.Fact, fsm.CallID, Service) {
	switch e := e.(type) {
	case fsm.LoadSession:
		service := w.served(e, w.loading)
		var loaded fsm.Session
		if service.Fails == "" {
			loaded = w.sessions.load(e.Session)
		}
		return engine.Outcome(e.Call).Load(loaded, service.err()), e.Call, service
	case fsm.SaveSession:
		service := w.served(e, w.saving)
		var now fsm.Session
		conflict := false
		if service.Fails == "" && !service.Hangs {
			now, conflict = w.sessions.save(e)
		}
		return engine.Outcome(e.Call).Save(now, conflict, service.err()), e.Call, service
	case fsm.LoadSkill:
		service := w.served(e, w.skilling)
		text, err := "", service.err()
		if err == nil {
			text, err = w.plan.skill(e.Skill, e.Reference)
		}
		return engine.Outcome(e.Call).Skill(text, err), e.Call, service
	}
	return nil, 0, Service{}
}

// skill returns a skill's instructions or one of its references.
func (p *Plan) skill(name, reference string) (string, error) {
	for _, s := range p.Skills {
		if s.Name != name {
			continue
		}
		if reference == "" {
			return s.Text, nil
		}
		for _, r := range s.References {
			if r.Name == reference {
				return r.Text, nil
			}
		}
		return "", fmt.Errorf("skill %q has no reference %q", name, reference)
	}
	return "", fmt.Errorf("there is no skill %q", name)
}

// edit performs a person's edit, which no crash takes back. With MEMORY.md alone
// no session is written.
func (w *world) edit(e Edit) error {
	save := w.sessions.edit(e)
	if w.backend != nil {
		if _, err := w.backend.Session(save, fsm.SessionSaved{}); err != nil {
			return err
		}
	}
	if e.Session == "" {
		w.sessions.memory, w.sessions.dirty = *e.MemoryFile, true
	} else {
		w.sessions.save(save)
	}
	w.sessions.sync()
	return nil
}
