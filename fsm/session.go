package fsm

import "slices"

// Session is what is kept of a conversation between its turns. It lives in the
// store; an active handle has a copy, loaded with its version and written back
// with it (SES-3).
type Session struct {
	Version uint64        `json:"version,omitempty"` // the number of saves; 0: none
	History []Message     `json:"history,omitempty"` // what the next conversation begins with, oldest first
	Pending []Message     `json:"pending,omitempty"` // left the history and wait to be consolidated
	Skills  []LoadedSkill `json:"skills,omitempty"`  // in the order of their loading
	Ratio   int           `json:"ratio,omitempty"`   // tokens counted for each 1,024 estimated; 0: not known

	Texts    []KeptText `json:"texts,omitempty"`     // the results that are kept, oldest first
	LastText int        `json:"last_text,omitempty"` // the greatest number given so far

	Offer Offer `json:"offer,omitzero"` // what its model calls show of the tools

	// Memory, MemoryHash and MemorySource are MEMORY.md's, which all sessions share.
	Memory       string `json:"memory,omitempty"`
	MemoryHash   string `json:"memory_hash,omitempty"`  // names the content; opaque to the machine
	MemorySource Source `json:"memory_source,omitzero"` // where the content came from
}

// HasSkill reports whether the session has the text of a skill or, if one is named, of one
// of its references (SKL-6).
func (s *Session) HasSkill(skill, reference string) bool {
	return slices.ContainsFunc(s.Skills, func(k LoadedSkill) bool { return k.Name == skill && k.Reference == reference })
}

// LoadedSkill is a skill's instructions, or one of its references, as loaded.
type LoadedSkill struct {
	Name      string `json:"name"`
	Reference string `json:"reference,omitempty"` // empty: the instructions
	Text      string `json:"text"`
}

// LoadSession reads a session; [SessionLoaded] answers.
type LoadSession struct {
	Asked
	Session string `json:"session"`
}

func (e LoadSession) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
}

// SessionLoaded answers [LoadSession]. A session never saved has version 0.
type SessionLoaded struct {
	Answered
	Session Session `json:"session"`
	Error   string  `json:"error,omitempty"`
}

// SaveSession writes a session over the version that State names, whole or not at
// all; [SessionSaved] answers. Writing the same Turn again changes nothing.
type SaveSession struct {
	Asked
	Session string    `json:"session"`
	Turn    string    `json:"turn"`              // one handle, one turn
	State   Session   `json:"state"`             // Version and MemoryHash are those that were loaded
	Archive []Message `json:"archive,omitempty"` // the turn's own messages, kept whole whatever becomes of the history
	Notes   []string  `json:"notes,omitempty"`   // entries of HISTORY.md, appended once for each turn
	Memory  bool      `json:"memory,omitempty"`  // State.Memory replaces MEMORY.md
}

func (e SaveSession) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Turn)
	x.Session(e.State)
	x.Messages(e.Archive)
	x.Strs(e.Notes)
	x.Bool(e.Memory)
}

// SessionSaved answers [SaveSession]. With Conflict nothing was written, and Session is the
// stored one.
type SessionSaved struct {
	Answered
	Conflict bool    `json:"conflict,omitempty"`
	Session  Session `json:"session,omitzero"`
	Error    string  `json:"error,omitempty"`
}

// LoadSkill reads a skill's instructions, or one of its references; [SkillLoaded]
// answers.
type LoadSkill struct {
	Asked
	Skill     string `json:"skill"`
	Reference string `json:"reference,omitempty"`
}

func (e LoadSkill) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Skill)
	x.Str(e.Reference)
}

// SkillLoaded answers [LoadSkill].
type SkillLoaded struct {
	Answered
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// Session adds a session with all its fields.
func (x *Hasher) Session(s Session) {
	x.Word(s.Version)
	x.Messages(s.History)
	x.Messages(s.Pending)
	x.Int(len(s.Skills))
	for _, k := range s.Skills {
		x.Str(k.Name)
		x.Str(k.Reference)
		x.Str(k.Text)
	}
	s.Offer.hash(x)
	x.Int(s.Ratio)
	x.Str(s.Memory)
	x.Str(s.MemoryHash)
	if s.LastText > 0 { // older builds hashed no such texts
		x.Int(s.LastText)
		for _, t := range s.Texts {
			x.Int(t.Number)
			x.Str(t.Ref)
			x.Int(t.Bytes)
			x.Int(t.Tokens)
		}
	}
}
