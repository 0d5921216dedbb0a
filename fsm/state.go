package fsm

import "slices"

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

	Schedules    []Schedule `json:"schedules,omitempty"` // in the order of their making
	LastSchedule int        `json:"last_schedule,omitempty"`
	Initialized  bool       `json:"initialized,omitempty"` // an initial inference has ended, in this epoch or before
	LastEvent    bool       `json:"last_event,omitempty"`  // the last handle that started was an event

	Ignored Ignored `json:"ignored,omitzero"`
}

// Ignored counts the inputs that changed nothing else.
type Ignored struct {
	Answers    int `json:"answers,omitempty"`    // late, duplicate or unknown
	Timers     int `json:"timers,omitempty"`     // late, duplicate or unknown
	Duplicates int `json:"duplicates,omitempty"` // requests already active
	Signals    int `json:"signals,omitempty"`    // signals with nothing to stop
	Refused    int `json:"refused,omitempty"`    // requests and events over max_queue
	Cancels    int `json:"cancels,omitempty"`    // requests to cancel what cannot be, or is not there
	Decisions  int `json:"decisions,omitempty"`  // decisions that nobody waits for
	Slots      int `json:"slots,omitempty"`      // slots taken already, or of no schedule
	Joined     int `json:"joined,omitempty"`     // events and slots that joined another: they did change it
	Unknown    int `json:"unknown,omitempty"`    // inputs of no known kind
	Moves      int `json:"moves,omitempty"`      // moves that a table refused: always 0, an invariant
}

// clone returns a copy that shares nothing that either side will change.
func (s Snapshot) clone() Snapshot { return s.copied(nil, nil) }

// copied is clone with the room for handles and schedules.
func (s Snapshot) copied(handles []Handle, schedules []Schedule) Snapshot {
	s.Handles = append(handles, s.Handles...)
	for i := range s.Handles {
		h := &s.Handles[i]
		h.Talk = h.Talk.fork()
		h.Inf.Talk = h.Inf.Talk.fork()
		h.Turn, h.Used, h.Notes = slices.Clip(h.Turn), slices.Clip(h.Used), slices.Clip(h.Notes)
		h.Inf.Seen = slices.Clip(h.Inf.Seen)
	}
	s.Schedules = append(schedules, s.Schedules...)
	return s
}

// Hash is the canonical hash of the state: ids are left out in favour of
// admission order, and times are left out because no decision compares them.
// Under one configuration, two states with one hash behave alike up to the names
// of their calls.
func (s *Snapshot) Hash() uint64 { return s.hash(true) }

// Shape is Hash without what people and models said: of a text only whether
// there is one, of a conversation only its length. Two states with one shape make
// the same moves where the texts that decide are the same few everywhere: a
// repeated call, the name of a skill, an answer that stands in the history already,
// an edited MEMORY.md. The explorer's alphabet is such a place.
func (s *Snapshot) Shape() uint64 { return s.hash(false) }

func (s *Snapshot) hash(texts bool) uint64 {
	x := newHasher(0)
	x.str(string(s.Lifecycle))
	x.bool(s.GraceTimer != 0)
	x.bool(s.Initialized)
	x.bool(s.LastEvent)
	for _, c := range s.Schedules {
		x.str(c.ID)
		x.word(uint64(c.Last))
	}
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
	x.str(string(h.Inf.Tools))
	x.int(len(h.Inf.Talk.Messages))
	x.int(h.Inf.Rounds)
	x.calls(h.Inf.Calls)
	x.int(h.Inf.Next)
	x.str(string(h.Inf.Effects))
	x.str(string(h.Await.Kind))
	x.bool(h.Timer != 0)
	x.int(h.StoreTries)
	h.hashTurn(&x)
	if texts {
		h.hashTexts(&x)
	} else {
		x.bool(h.Answer != "")
		x.bool(len(h.Vector) > 0)
	}
	return x.sum()
}

// hashTurn is what a handle beyond the profile shelly decides by.
func (h *Handle) hashTurn(x *hasher) {
	x.str(h.Command)
	x.int(h.Joined)
	x.bool(h.Wait != 0)
	x.bool(h.Loaded)
	x.int(h.TurnAt)
	x.int(len(h.Turn))
	x.int(len(h.Closing))
	x.bool(h.Condensed)
	x.bool(h.Rebased)
	x.int(len(h.Notes))
	x.int(h.Tries)
	x.bool(h.Stop)
	x.bool(h.Replied)
	x.str(string(h.Outcome))
	x.int(h.Crashes)
	x.bool(h.Poison)
	x.int(h.Place)
	x.int(h.Turns)
	x.int(h.Uses)
	x.int(len(h.Sess.History))
	x.int(len(h.Sess.Pending))
	x.int(len(h.Sess.Skills))
	x.int(h.Inf.Iterations)
	x.int(h.Inf.Ran)
	x.int(h.Inf.Attempt)
	x.bool(h.Inf.Nothing)
	x.bool(h.Inf.Cleared)
	x.bool(h.Inf.Told != "")
	x.int(h.Inf.Empty)
	x.int(h.Inf.Waits)
	x.int(h.Inf.Compactions)
	x.int(h.Inf.Cut)
	x.bool(h.Inf.Capped)
	x.int(len(h.Inf.Seen))
}

func (h *Handle) hashTexts(x *hasher) {
	x.str(h.Session)
	x.origin(h.Origin)
	x.str(h.Input)
	x.str(h.About)
	x.messages(h.Context)
	x.messages(h.Turn)
	x.messages(h.Closing)
	x.strs(h.Used)
	x.strs(h.Notes)
	x.str(h.Learnt)
	x.session(h.Sess)
	x.str(h.Failure)
	x.str(h.Doubt)
	x.str(h.Label)
	x.str(h.Home)
	x.int(len(h.Images))
	for _, image := range h.Images {
		x.str(string(image))
	}
	x.str(string(h.Inf.Outcome))
	x.str(h.Inf.Told)
	x.str(h.Inf.Said)
	for _, seen := range h.Inf.Seen {
		x.word(seen)
	}
	x.str(h.Need)
	x.word(h.Talk.Hash)
	x.word(h.Inf.Talk.Hash)
	x.str(h.Inf.Result)
	x.str(h.Answer)
	x.str(h.Summary)
	x.str(string(h.Vector))
	x.str(h.VectorModel)
}
