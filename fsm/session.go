package fsm

// Session is what is kept of a conversation between its turns. It lives in the
// store; an active handle has a copy, loaded with its version and written back
// with it (SES-3).
type Session struct {
	Version uint64        `json:"version,omitempty"` // the number of saves; 0: none
	History []Message     `json:"history,omitempty"` // what the next conversation begins with, oldest first
	Pending []Message     `json:"pending,omitempty"` // left the history and waits to be consolidated
	Skills  []LoadedSkill `json:"skills,omitempty"`  // in the order of their loading
	Ratio   int           `json:"ratio,omitempty"`   // tokens counted for each 1,024 estimated; 0: not known

	Texts    []KeptText `json:"texts,omitempty"`     // the results that are kept, oldest first
	LastText int        `json:"last_text,omitempty"` // the greatest number that one has had

	Offer Offer `json:"offer,omitzero"` // what of the tools its model calls show

	// Memory and MemoryHash are MEMORY.md's, which all sessions share.
	Memory     string `json:"memory,omitempty"`
	MemoryHash string `json:"memory_hash,omitempty"` // names the content; opaque to the machine
}

// LoadedSkill is a skill's instructions, or one of its references, as loaded.
type LoadedSkill struct {
	Name      string `json:"name"`
	Reference string `json:"reference,omitempty"` // empty: the instructions
	Text      string `json:"text"`
}

// Schedule is what the tool cron has armed.
type Schedule struct {
	ID     string `json:"id"`
	Home   string `json:"home"` // the session that asked for it
	Origin Origin `json:"origin,omitzero"`
	Text   string `json:"text"` // the input of each slot's handle
	Every  Millis `json:"every,omitempty"`
	Cron   string `json:"cron,omitempty"`
	Once   Millis `json:"once,omitempty"`
	Last   Millis `json:"last"`           // the slot taken last, or when it was made
	Zone   string `json:"zone,omitempty"` // of the expression's times; empty: UTC
	Source Source `json:"source,omitzero"`
}

// HasSkill reports whether the session has the text of a skill or, where one is named, of
// one of its references (SKL-6).
func (s *Session) HasSkill(skill, reference string) bool {
	for _, k := range s.Skills {
		if k.Name == skill && k.Reference == reference {
			return true
		}
	}
	return false
}
