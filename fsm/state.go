package fsm

// Snapshot is a machine's whole state as plain data. Its wire form is versioned
// by the journal that keeps it.
type Snapshot struct {
	Lifecycle  State    `json:"lifecycle"`
	Epoch      int      `json:"epoch"`
	Now        Millis   `json:"now"` // time of the last input
	LastID     uint64   `json:"last_id"`
	LastHandle HandleID `json:"last_handle"`
	Config     Config   `json:"config"`
	GraceTimer TimerID  `json:"grace_timer,omitempty"`
	Handles    []Handle `json:"handles,omitempty"` // unfinished, in admission order
	Ignored    Ignored  `json:"ignored,omitzero"`
}

// Ignored counts the inputs that changed nothing else.
type Ignored struct {
	Answers    int `json:"answers,omitempty"`    // late, duplicate or unknown
	Timers     int `json:"timers,omitempty"`     // late, duplicate or unknown
	Duplicates int `json:"duplicates,omitempty"` // requests already active
	Signals    int `json:"signals,omitempty"`    // signals with nothing to stop
	Refused    int `json:"refused,omitempty"`    // requests and events over max_queue
	Unknown    int `json:"unknown,omitempty"`    // inputs of no known kind
	Moves      int `json:"moves,omitempty"`      // moves that a table refused: always 0, an invariant
}

// clone returns a copy that shares nothing that either side will change.
func (s Snapshot) clone() Snapshot {
	s.Handles = append([]Handle(nil), s.Handles...)
	for i := range s.Handles {
		h := &s.Handles[i]
		h.Talk = h.Talk.fork()
		h.Inf.Talk = h.Inf.Talk.fork()
	}
	return s
}

// Hash is the canonical hash of the state: ids are left out in favour of
// admission order, and times are left out because no decision compares them.
// Under one configuration, two states with one hash behave alike up to the names
// of their calls.
func (s *Snapshot) Hash() uint64 { return s.hash(true) }

// Shape is Hash without what people and models said: of a text only whether
// there is one, of a conversation only its length. No decision reads more than
// that of a text that is in the state already, so two states with one shape make
// the same moves.
func (s *Snapshot) Shape() uint64 { return s.hash(false) }

func (s *Snapshot) hash(texts bool) uint64 {
	x := newHasher(0)
	x.str(string(s.Lifecycle))
	x.bool(s.GraceTimer != 0)
	for i := range s.Handles {
		x.word(s.Handles[i].hash(texts))
	}
	return x.sum()
}

// hash is a handle's part of the state's hash.
func (h *Handle) hash(texts bool) uint64 {
	x := newHasher(0)
	x.str(string(h.Kind))
	x.request(h.Request)
	x.str(string(h.State))
	x.str(string(h.Resume))
	x.int(h.Rounds)
	x.int(len(h.Talk.Messages))
	x.str(string(h.Inf.State))
	x.str(string(h.Inf.Purpose))
	x.bool(h.Inf.Tools)
	x.int(len(h.Inf.Talk.Messages))
	x.int(h.Inf.Rounds)
	x.calls(h.Inf.Calls)
	x.int(h.Inf.Next)
	x.str(string(h.Inf.Effects))
	x.str(string(h.Await.Kind))
	x.bool(h.Timer != 0)
	x.int(h.StoreTries)
	if texts {
		h.hashTexts(&x)
	} else {
		x.bool(h.Answer != "")
		x.bool(len(h.Vector) > 0)
	}
	return x.sum()
}

func (h *Handle) hashTexts(x *hasher) {
	x.str(h.Session)
	x.str(h.Input)
	x.str(h.Need)
	x.word(h.Talk.Hash)
	x.word(h.Inf.Talk.Hash)
	x.str(h.Inf.Result)
	x.str(h.Answer)
	x.str(h.Summary)
	x.str(string(h.Vector))
	x.str(h.VectorModel)
}
