package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"shelly/fsm"
	"shelly/fsm/engine"
	"slices"
	"strconv"
)

// Sessions is the simulated store of sessions, MEMORY.md and HISTORY.md. Like the
// journal, it loses in a crash what was not synced. Lists only grow, and what a
// crash has taken from one is written over, so that nothing is copied to be kept.
type Sessions struct {
	Contents
	synced Contents // but of Saved no more than how many there were
	saved  []past   // sessions that were saved again since the last sync, in order
	edits  int
}

// past is a session as it was before it was saved.
type past struct {
	at  int // index into Saved
	was Saved
}

// Contents is what the store holds.
type Contents struct {
	Saved        []Saved    // in the order of the first save
	MemoryFile   string     // MEMORY.md
	MemorySource fsm.Source // where that came from
	History      []string   // the entries of HISTORY.md
}

// NewSessions returns a store with these sessions, each saved once, and this MEMORY.md.
func NewSessions(saved []Saved, memoryFile string) Sessions {
	var s Sessions
	for _, one := range saved {
		one.State.Version = max(one.State.Version, 1)
		one.Texts = nil // the journal has them
		one.Archive, one.Turns = slices.Clip(one.Archive), slices.Clip(one.Turns)
		s.Saved = append(s.Saved, one)
	}
	s.WriteMemoryFile(memoryFile)
	s.Sync()
	return s
}

// Sync makes what is saved last through a crash.
func (s *Sessions) Sync() { s.synced, s.saved = s.Contents, s.saved[:0] }

// Crash loses what is not synced.
func (s *Sessions) Crash() {
	for _, p := range slices.Backward(s.saved) {
		s.Saved[p.at] = p.was
	}
	saved := s.Saved[:len(s.synced.Saved)]
	s.Contents, s.saved = s.synced, s.saved[:0]
	s.Saved = saved
}

// find returns a session as it is saved, and its place or -1.
func (c *Contents) find(name string) (Saved, int) {
	for i := range c.Saved {
		if c.Saved[i].Name == name {
			return c.Saved[i], i
		}
	}
	return Saved{Name: name}, -1
}

// Load returns a session with MEMORY.md.
func (s *Sessions) Load(name string) fsm.Session {
	one, _ := s.find(name)
	state := one.State
	state.History, state.Pending, state.Skills = slices.Clip(state.History), slices.Clip(state.Pending), slices.Clip(state.Skills)
	state.Memory, state.MemoryHash, state.MemorySource = s.MemoryFile, MemoryHash(s.MemoryFile), s.MemorySource
	return state
}

// Save writes a session over the version, and MEMORY.md over the content, that the
// effect names, once for each turn (SES-3, SES-12). On a conflict nothing is written,
// and now is what stands there.
func (s *Sessions) Save(e fsm.SaveSession) (now fsm.Session, conflict bool) {
	one, i := s.find(e.Session)
	if slices.Contains(one.Turns, e.Turn) {
		return fsm.Session{}, false
	}
	changed := e.Memory && e.State.MemoryHash != MemoryHash(s.MemoryFile) && e.State.Memory != s.MemoryFile
	if e.State.Version != one.State.Version || changed {
		return s.Load(e.Session), true
	}
	if e.Memory && e.State.Memory != s.MemoryFile {
		s.MemoryFile, s.MemorySource = e.State.Memory, e.State.MemorySource
	}
	one.State = e.State
	one.State.Version++
	one.State.Memory, one.State.MemoryHash, one.State.MemorySource = "", "", 0
	one.Archive, one.Turns = append(one.Archive, e.Archive...), append(one.Turns, e.Turn)
	s.History = append(s.History, e.Notes...)
	if i < 0 {
		s.Saved = append(s.Saved, one)
	} else {
		s.saved = append(s.saved, past{i, s.Saved[i]})
		s.Saved[i] = one
	}
	return fsm.Session{}, false
}

// Edit is a save by somebody else, over what stands there now.
func (s *Sessions) Edit(e Edit) fsm.SaveSession {
	s.edits++
	save := fsm.SaveSession{Session: e.Session, Turn: "edit:" + strconv.Itoa(s.edits), State: s.Load(e.Session)}
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
		save.State.Memory, save.State.MemorySource, save.Memory = *e.MemoryFile, save.State.MemorySource|fsm.FromPerson, true
	}
	return save
}

// WriteMemoryFile replaces MEMORY.md, as a person does.
func (s *Sessions) WriteMemoryFile(text string) {
	if text != s.MemoryFile {
		s.MemoryFile, s.MemorySource = text, s.MemorySource|fsm.FromPerson
	}
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

// Saved is a session as the store holds it. Memory and MemoryHash of its State are
// empty: MEMORY.md is shared.
type Saved struct {
	Name    string
	State   fsm.Session
	Archive []fsm.Message // every message of every turn
	Turns   []string      // the turns that were saved, in order
	Texts   []engine.Text // those that it keeps before the first start
}

// Keep adds a kept result under a number.
func (s *Saved) Keep(number int, text string) {
	kept := engine.TextOf(fsm.SessionOwner(s.Name), text)
	s.Texts = append(s.Texts, kept)
	s.State.Texts = append(s.State.Texts, fsm.KeptText{Number: number, Ref: kept.Ref, Bytes: len(text), Tokens: fsm.TextTokens(text)})
	s.State.LastText = max(s.State.LastText, number)
}

// Edit is a person's change of MEMORY.md, or somebody else's of a session. What is
// nil stays.
type Edit struct {
	MemoryFile *string
	Session    string // empty: only MemoryFile
	History    []fsm.Message
	Pending    []fsm.Message
	Skills     []fsm.LoadedSkill
}
