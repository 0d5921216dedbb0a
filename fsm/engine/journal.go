package engine

import (
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Record is one input in the journal.
type Record struct {
	Index   uint64 // from 1, without gaps
	Input   fsm.Input
	Effects uint64 // fsm.HashEffects of what its step returned
}

// Request is what is kept of a request, so that its sender can ask for it again. Session,
// Origin, Text and Body are as they came.
type Request struct {
	Key      fsm.RequestKey `json:"key"`
	Index    uint64         `json:"index"`            // of the record that accepted it
	Handle   fsm.HandleID   `json:"handle,omitempty"` // 0: it was answered without one
	Session  string         `json:"session,omitempty"`
	Origin   fsm.Origin     `json:"origin,omitzero"`
	Text     string         `json:"text"`
	Body     string         `json:"body,omitempty"` // a hash of the images and the history that came with it
	Accepted fsm.Millis     `json:"accepted"`
	Done     bool           `json:"done,omitempty"` // Reply is final
	Replied  fsm.Millis     `json:"replied,omitempty"`
	Reply    string         `json:"reply,omitempty"`
	IsError  bool           `json:"is_error,omitempty"`
	Outcome  fsm.Outcome    `json:"outcome,omitempty"`

	// Forgotten: a person had its session forgotten, and with it Text and Reply (SES-25). It is kept
	// so that its id is not done again.
	Forgotten bool `json:"forgotten,omitempty"`
}

// sameBody reports whether two records hold the same request (JRN-10).
func (r Request) sameBody(o Request) bool {
	return r.Session == o.Session && r.Origin == o.Origin && r.Text == o.Text && r.Body == o.Body
}

// Batch is what one turn writes as a unit, all of it or nothing. Messages and
// Audit are in the order of their positions.
type Batch struct {
	Records  []Record
	Requests []Request
	Messages []Message
	Audit    []Audit
	Texts    []Text
	Names    []Names // after Texts
}

// Kept is what a journal holds of its records (JRN-19). Whatever was before First was
// trimmed; the snapshot at First-1 stands for it.
type Kept struct {
	First     uint64   `json:"first"`     // the first record; Last+1 if there is none
	Last      uint64   `json:"last"`      // the last record appended, or the last snapshot if nothing was appended after it; 0: neither
	Bytes     int64    `json:"bytes"`     // of the records that are kept ([Size])
	Snapshots []uint64 `json:"snapshots"` // the indexes of the snapshots, from the first on
}

// Keep bounds what a journal holds (JRN-20). 0 means no bound.
type Keep struct {
	Since fsm.Millis // what ended earlier may go
	Now   fsm.Millis // the present; 0: not known
	Bytes int64      // of all records, as they are written

	Owners []string // unfinished handles, whose texts stay (TXT-8)
}

// TrimMax bounds how many requests, messages and audit records, of each, one Trim drops, so
// that it takes only milliseconds. Records and snapshots cost next to nothing.
const TrimMax = 250

// Trimmed is how many of each were dropped.
type Trimmed struct {
	Records, Snapshots, Requests, Messages, Audit, Texts int
}

// And returns the sum of two.
func (t Trimmed) And(o Trimmed) Trimmed {
	return Trimmed{
		t.Records + o.Records, t.Snapshots + o.Snapshots, t.Requests + o.Requests, t.Messages + o.Messages, t.Audit + o.Audit, t.Texts + o.Texts,
	}
}

// Journal is the durable, ordered list of inputs, and the request records, sent
// messages, audit records and snapshots derived from it. Every implementation passes
// journaltest.Conform (JRN-16).
type Journal interface {
	// Append writes b after what is there, whole or not at all. With sync, it and
	// everything before it is durable on return; without, a crash may lose it, but never a
	// part of it. An error is final: the journal takes no further writes. After Append the
	// slices in b belong to the caller again.
	Append(b Batch, sync bool) error
	// Replay calls fn for each record with an index above after, in order. If the next one
	// was trimmed, the error is an ErrTrimmed.
	Replay(after uint64, fn func(Record) error) error
	// Kept returns what is kept of the records.
	Kept() (Kept, error)
	// Request returns the record of a request, or false.
	Request(key fsm.RequestKey) (Request, bool, error)
	// Requests returns the requests that were accepted before an index, the latest first,
	// at most limit and at most ReadMax of them.
	Requests(before uint64, limit int) ([]Request, error)
	// Messages returns the first messages to a chat after a position, in order, at most
	// limit and at most ReadMax of them. An origin without a chat means every chat of its
	// channel, one with neither every chat of all channels.
	Messages(to fsm.Origin, after uint64, limit int) ([]Message, error)
	// Audit returns the first audit records after a position, in order, at most limit and
	// at most ReadMax of them: those of a session, or all if it is empty.
	Audit(session string, after uint64, limit int) ([]Audit, error)
	// Text returns a text, or false if it is not kept, or no longer.
	Texts
	// SaveSnapshot keeps s as the state after the record at index, durably.
	SaveSnapshot(index uint64, s state.Snapshot) error
	// Snapshot returns the last snapshot at or before an index, and its own index, or 0 if
	// there is none.
	Snapshot(at uint64) (uint64, state.Snapshot, error)
	// Trim drops what keep does not ask for, durably and whole or not at all: records up to
	// a snapshot, and the snapshots before it, but never the last one; finished requests,
	// messages and audit records, oldest first and at most TrimMax of each; at most as many
	// texts that are old or belong to a finished handle. What an unfinished handle needs is
	// in a snapshot.
	Trim(keep Keep) (Trimmed, error)
	// Space returns an error that wraps ErrNoSpace if there is too little space to accept
	// and step more. It is called at each turn.
	Space() error
}

// World performs effects. Perform must not wait for an outcome: what comes of an effect is
// a later input. An error stops the engine, as a crash would. A SendMessage or an Audit is
// already written when it is performed, so only listeners need to learn of it.
type World interface {
	Perform(e fsm.Effect) error
}

// Errors that a caller can tell apart.
var (
	ErrBusy     = errors.New("too many requests wait already")
	ErrConflict = errors.New("another request has this id")
	ErrStopping = errors.New("shelly is stopping")
	ErrNoSpace  = errors.New("too little free disk space")
	ErrDead     = errors.New("the engine has stopped after an error")
	ErrTrimmed  = errors.New("the record is no longer kept")
	// ErrDamaged says that what is kept is not what was written. The errors around it name
	// the place.
	ErrDamaged = errors.New("the data folder is damaged")
	// ErrForgotten is the ErrConflict of a request whose text is forgotten, so that none can be compared
	// with it (SES-25).
	ErrForgotten = fmt.Errorf("%w: one whose session was forgotten", ErrConflict)
)
