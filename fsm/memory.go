package fsm

// Recall looks into memory; [Recalled] answers.
type Recall struct {
	Asked
	Session string `json:"session,omitempty"`
	Need    string `json:"need"`
	TopK    int    `json:"top_k"`
	Own     bool   `json:"own,omitempty"`   // entries of Session alone
	Spare   bool   `json:"spare,omitempty"` // by keyword alone, if embedding the need would evict the chat model
}

func (e Recall) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Need)
	x.Int(e.TopK)
	x.Bool(e.Own)
	if e.Spare { // older builds hashed no such choice
		x.Bool(e.Spare)
	}
}

// Recalled answers [Recall]. Error is empty when the recall worked.
type Recalled struct {
	Answered
	Entries []Memory `json:"entries,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Memory is one recalled entry.
type Memory struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Source  Source `json:"source,omitzero"` // as the entry has it
}

// Embed turns a text into a vector; [Embedded] answers.
type Embed struct {
	Asked
	Text  string `json:"text"`
	Spare bool   `json:"spare,omitempty"` // not now, if it would evict the chat model
}

func (e Embed) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Text)
	if e.Spare {
		x.Bool(e.Spare)
	}
}

// Embedded answers [Embed]. An Error leaves the entry to keyword search.
type Embedded struct {
	Answered
	Vector []byte `json:"vector,omitempty"` // float32, little-endian
	Model  string `json:"model,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Store writes a memory entry, whole or not at all; [Stored] answers.
type Store struct {
	Asked
	Entry Entry `json:"entry"`
}

func (e Store) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Entry.ID)
	x.Str(string(e.Entry.Kind))
	x.Str(e.Entry.Session)
	x.Word(uint64(e.Entry.At))
	x.Str(e.Entry.Summary)
	x.Str(e.Entry.Text)
	x.Str(string(e.Entry.Vector))
	x.Str(e.Entry.Model)
}

// Entry is one whole memory.
type Entry struct {
	ID      string `json:"id"` // one handle, one entry: storing it twice is storing it once
	Kind    Kind   `json:"kind"`
	Session string `json:"session,omitempty"`
	At      Millis `json:"at"`
	Summary string `json:"summary"`
	Text    string `json:"text"`
	Vector  []byte `json:"vector,omitempty"` // float32, little-endian; empty: found by keyword only
	Model   string `json:"model,omitempty"`  // the vector's model
	Source  Source `json:"source,omitzero"`  // of what it was derived from
}

// Stored answers [Store]. Error is empty when the entry is written; it is durable
// with the next barrier (MEM-1).
type Stored struct {
	Answered
	Error string `json:"error,omitempty"`
}
