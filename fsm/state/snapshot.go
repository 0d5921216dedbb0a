package state

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/grant"
)

// Snapshot is a machine's whole state as plain data. Its wire form is versioned
// by the journal that keeps it.
type Snapshot struct {
	Lifecycle  fsm.State    `json:"lifecycle"`
	Epoch      int          `json:"epoch"`
	Now        fsm.Millis   `json:"now"` // time of the last input
	LastID     uint64       `json:"last_id"`
	LastHandle fsm.HandleID `json:"last_handle"`
	Config     fsm.Config   `json:"config"`
	GraceTimer fsm.TimerID  `json:"grace_timer,omitempty"`
	Handles    []Handle     `json:"handles,omitempty"` // unfinished, in admission order

	// Channels are those that requests have come from, in the order of their first one.
	Channels []string `json:"channels,omitempty"`

	Schedules    []fsm.Schedule `json:"schedules,omitempty"` // in the order in which they were made
	LastSchedule int            `json:"last_schedule,omitempty"`
	Beat         Beat           `json:"beat,omitzero"`
	Initialized  bool           `json:"initialized,omitempty"`  // an initial inference has ended, in this epoch or before
	LastEvent    bool           `json:"last_event,omitempty"`   // the last handle that started was an event
	LastSession  string         `json:"last_session,omitempty"` // the session that the model was asked for last, if session_burst matters
	LastChat     string         `json:"last_chat,omitempty"`    // the session in which a person asked last, if the next start reads it ahead (HND-71)
	Burst        int            `json:"burst,omitempty"`        // starts in a row of LastSession ahead of another session's turn

	Reads  int  `json:"reads,omitempty"`  // tokens that the model's machine reads per second; 0: unknown
	Writes int  `json:"writes,omitempty"` // tokens that it writes per second; 0: unknown
	Cached Sent `json:"cached,omitzero"`  // what the model's server should hold

	Said []Said `json:"said,omitempty"` // in the order in which they were sent

	Grants []fsm.Grant `json:"grants,omitempty"` // in the order in which they were given; those for every session since the configuration was read

	Upkeep  Upkeep  `json:"upkeep,omitzero"`
	Ignored Ignored `json:"ignored,omitzero"`
}

// Beat is how far the heartbeat has got (EVT-20). The zero value: there never was one.
type Beat struct {
	Last    fsm.Millis `json:"last,omitempty"`    // the slot taken last; 0: none was
	Spoke   fsm.Millis `json:"spoke,omitempty"`   // the last request, or the first slot
	Greets  fsm.Millis `json:"greets,omitempty"`  // the slot of the last greeting
	Day     int64      `json:"day,omitempty"`     // the day of it, as [fsm/heartbeat] numbers days
	Greeted int        `json:"greeted,omitempty"` // greetings of that day
}

// Upkeep is how the last compactions, consolidations and summaries went. No decision
// depends on it.
type Upkeep struct {
	Failed int        `json:"failed,omitempty"` // in a row
	Last   string     `json:"last,omitempty"`   // why the last of them failed
	At     fsm.Millis `json:"at,omitempty"`     // when
}

// Ignored counts the inputs that changed nothing else.
type Ignored struct {
	Answers    int `json:"answers,omitempty"`    // late, duplicate or unknown
	Timers     int `json:"timers,omitempty"`     // late, duplicate or unknown
	Duplicates int `json:"duplicates,omitempty"` // requests already active
	Signals    int `json:"signals,omitempty"`    // signals with nothing to stop
	Refused    int `json:"refused,omitempty"`    // requests and events over max_queue
	Cancels    int `json:"cancels,omitempty"`    // requests to cancel what cannot be, or is not there
	Decisions  int `json:"decisions,omitempty"`  // decisions that nothing waits for
	Slots      int `json:"slots,omitempty"`      // slots taken already, or of no schedule
	Joined     int `json:"joined,omitempty"`     // events and slots that joined another: they did change it
	Unknown    int `json:"unknown,omitempty"`    // inputs of no known kind
	Progress   int `json:"progress,omitempty"`   // of a call that is not awaited, or of a stage that it has left
	Moves      int `json:"moves,omitempty"`      // moves that a table refused: always 0, an invariant
}

// Clone returns a copy that shares nothing that either side will change.
func (s *Snapshot) Clone() Snapshot {
	var to Snapshot
	s.CopyTo(&to)
	return to
}

// CopyTo is Clone into the memory that to has for handles and schedules.
func (s *Snapshot) CopyTo(to *Snapshot) {
	handles, schedules := to.Handles[:0], to.Schedules[:0]
	*to = *s
	to.Handles = append(handles, s.Handles...)
	for i := range to.Handles {
		h := &to.Handles[i]
		h.Talk = h.Talk.Fork()
		h.Inf.Talk = h.Inf.Talk.Fork()
		h.Turn, h.Used, h.Notes = slices.Clip(h.Turn), slices.Clip(h.Used), slices.Clip(h.Notes)
		h.Inf.Seen = slices.Clip(h.Inf.Seen)
		h.Inf.Batch = slices.Clone(h.Inf.Batch) // its members change in place
	}
	to.Schedules = append(schedules, s.Schedules...)
	to.Channels = slices.Clip(s.Channels)
	to.Grants = slices.Clip(s.Grants)
	to.Said = slices.Clip(s.Said)
}

// Hash is the canonical hash of the state: ids are left out in favour of admission order,
// and so are times, because no decision compares any but those of schedules and the
// heartbeat. Under one configuration, two states with the same hash behave alike, except
// for the ids of their calls.
func (s *Snapshot) Hash() uint64 { return s.hash(true) }

// Shape is Hash without what people and models said: of a text it has only whether there is
// one, of a conversation only its length. Two states with the same shape make the same
// moves as long as the texts that decide are always the same few: a repeated call, the name
// of a skill, an answer that the history has already, an edited MEMORY.md. The explorer's
// alphabet is chosen so.
func (s *Snapshot) Shape() uint64 { return s.hash(false) }

func (s *Snapshot) hash(texts bool) uint64 {
	x := fsm.NewHasher(0)
	x.Str(string(s.Lifecycle))
	x.Bool(s.GraceTimer != 0)
	x.Bool(s.Initialized)
	x.Bool(s.LastEvent)
	if s.LastChat != "" {
		x.Str(s.LastChat)
	}
	if s.LastSession != "" { // a burst is of a session
		x.Str(s.LastSession)
		x.Int(s.Burst)
	}
	if s.Config.Switches.ReadAhead { // what it holds is not read while a person writes
		x.Bool(s.Cached.Opened)
		x.Bool(s.Cached.Read)
		x.Bool(s.Cached.Typed)
		x.Str(s.Cached.Session)
		x.Str(s.Cached.Spared)
	}
	if s.Cached.Session != "" { // a summary that would displace it idles, if a speed is known
		x.Bool(s.Reads > 0)
		x.Word(s.Cached.Version)
		for i := range s.Handles {
			x.Bool(s.Handles[i].Session == s.Cached.Session)
		}
	}
	for _, channel := range s.Channels {
		x.Str(channel)
	}
	for i := range s.Grants {
		x.Str(grant.ID(&s.Grants[i]))
	}
	for i := range s.Said {
		x.Str(s.Said[i].Session)
		x.Bool(s.Said[i].From != "")
		if texts {
			x.Str(s.Said[i].About)
			x.Str(s.Said[i].Text)
		}
	}
	for _, c := range s.Schedules {
		x.Str(c.ID)
		x.Word(uint64(c.Last))
		x.Bool(c.Paused)
	}
	x.Word(uint64(s.Beat.Last))
	x.Word(uint64(s.Beat.Spoke))
	x.Word(uint64(s.Beat.Greets))
	x.Word(uint64(s.Beat.Day))
	x.Int(s.Beat.Greeted)
	for i := range s.Handles {
		x.Word(s.Handles[i].hash(texts))
	}
	return x.Sum()
}

// hash returns a handle's part of the state's hash.
func (h *Handle) hash(texts bool) uint64 {
	x := fsm.NewHasher(0)
	x.Str(string(h.Kind))
	x.Request(h.Request)
	x.Str(string(h.State))
	x.Str(string(h.Resume))
	x.Int(h.Rounds)
	x.Int(len(h.Talk.Messages))
	x.Str(string(h.Inf.State))
	x.Str(string(h.Inf.Purpose))
	x.Str(string(h.Inf.Tools))
	x.Int(len(h.Inf.Talk.Messages))
	x.Int(h.Inf.Rounds)
	x.Calls(h.Inf.Calls)
	x.Int(h.Inf.Next)
	x.Str(string(h.Inf.Effects))
	x.Str(string(h.Await.Kind))
	x.Bool(h.Timer != 0)
	x.Int(h.StoreTries)
	x.Bool(h.Hush)
	x.Bool(h.Compacts)
	x.Bool(h.Ahead)
	x.Bool(h.Typed)
	h.hashTurn(&x)
	if texts {
		h.hashTexts(&x)
	} else {
		x.Bool(h.Answer != "")
		x.Bool(len(h.Vector) > 0)
	}
	return x.Sum()
}

// hashTurn adds what handles decide by in profiles other than shelly.
func (h *Handle) hashTurn(x *fsm.Hasher) {
	x.Str(h.Command)
	x.Bool(h.Beside)
	x.Int(h.Joined)
	x.Bool(h.Wait != 0)
	x.Bool(h.Loaded)
	x.Int(h.TurnAt)
	x.Int(len(h.Turn))
	x.Int(len(h.Closing))
	x.Bool(h.Condensed)
	x.Bool(h.Rebased)
	x.Int(len(h.Notes))
	x.Int(h.Tries)
	x.Int(h.Portion)
	x.Bool(h.Unthought)
	x.Bool(h.Stop)
	x.Bool(h.Alone)
	x.Bool(h.Replied)
	x.Str(string(h.Outcome))
	x.Int(h.Crashes)
	x.Int(h.Postponed)
	x.Bool(h.Poison)
	x.Int(h.Place)
	x.Int(h.Turns)
	x.Int(h.Uses)
	x.Word(h.Sess.Version)
	x.Int(len(h.Sess.History))
	x.Int(len(h.Sess.Pending))
	x.Int(len(h.Sess.Skills))
	x.Int(len(h.Sess.Texts))
	x.Int(h.Inf.Shows.Result)
	x.Int(h.Inf.Shows.From)
	x.Int(h.Inf.Shows.To)
	x.Int(h.Inf.Iterations)
	x.Int(h.Inf.Ran)
	x.Int(h.Inf.Attempt)
	x.Bool(h.Inf.Nothing)
	x.Bool(h.Inf.Probed)
	x.Bool(h.Inf.Works)
	x.Bool(h.Inf.Cleared)
	x.Bool(h.Inf.Told != "")
	x.Bool(h.Inf.Asked)
	x.Int(h.Inf.Empty)
	x.Int(h.Inf.Waits)
	x.Int(h.Inf.Compactions)
	x.Int(h.Inf.Cut)
	x.Str(string(h.Inf.Stage))
	x.Bool(h.Inf.Appended)
	x.Int(h.Inf.Refits)
	x.Bool(h.Inf.Unthinking)
	x.Bool(h.Inf.Capped)
	for i := range h.Inf.Batch {
		h.Inf.Batch[i].hash(x)
	}
	x.Int(len(h.Inf.Seen))
}

func (h *Handle) hashTexts(x *fsm.Hasher) {
	x.Str(h.Session)
	x.Origin(h.Origin)
	x.Str(h.Input)
	x.Str(h.Happened)
	x.Str(h.About)
	x.Messages(h.Context)
	x.Messages(h.Turn)
	x.Messages(h.Closing)
	x.Strs(h.Used)
	x.Strs(h.Notes)
	x.Str(h.Learnt)
	x.Session(h.Sess)
	x.Str(h.Failure)
	x.Str(h.Doubt)
	x.Str(h.Label)
	x.Str(h.Home)
	x.Str(h.Schedule)
	x.Images(h.Images)
	x.Str(string(h.Inf.Outcome))
	x.Str(h.Inf.Told)
	x.Str(h.Inf.Said)
	if h.Inf.Asked {
		x.Str(h.Inf.Why)
	}
	for i := range h.Inf.Batch {
		x.Str(h.Inf.Batch[i].Text)
		x.Str(h.Inf.Batch[i].Kept.Ref)
		x.Str(h.Inf.Batch[i].Kept.Tail)
	}
	for _, seen := range h.Inf.Seen {
		x.Word(seen)
	}
	x.Str(h.Need)
	x.Word(h.Talk.Hash)
	x.Word(h.Inf.Talk.Hash)
	x.Str(h.Inf.Result)
	x.Str(h.Answer)
	x.Str(h.Summary)
	x.Str(string(h.Vector))
	x.Str(h.VectorModel)
}
