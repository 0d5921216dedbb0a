package state

import (
	"strconv"

	"shelly/fsm"
)

// Handle is one accepted piece of work on its way through [HandleTable]. Only unfinished
// handles are kept. Its fields are grouped by the phases that own them: that write them and
// know when they are valid.
type Handle struct {
	Accepted
	Standing
	Inferring
	Pending
	SessionTurn
	Ending
	Remembering
}

// Accepted is what a handle came with (queue.go, command.go). It is written when the handle
// is admitted and does not change, except that a waiting event takes in others like it, and
// a waiting memory handle gathers further turns.
type Accepted struct {
	ID       fsm.HandleID   `json:"id"`
	Kind     fsm.Kind       `json:"kind"`
	Request  fsm.RequestKey `json:"request,omitzero"` // user only
	Session  string         `json:"session,omitempty"`
	Origin   fsm.Origin     `json:"origin,omitzero"`
	Input    string         `json:"input"`
	Images   [][]byte       `json:"images,omitempty"`
	Context  []fsm.Message  `json:"context,omitempty"`  // the caller's own history
	Command  string         `json:"command,omitempty"`  // user only: the command, if it is one
	About    string         `json:"about,omitempty"`    // event only: what another must be about to join it
	Joined   int            `json:"joined,omitempty"`   // event only: how many have joined it
	Parent   fsm.HandleID   `json:"parent,omitempty"`   // subagent only
	Label    string         `json:"label,omitempty"`    // subagent only
	Home     string         `json:"home,omitempty"`     // subagent, schedule: the session that created it
	Schedule string         `json:"schedule,omitempty"` // schedule only, in the session that created it: which one (HND-70)
	Beside   bool           `json:"beside,omitempty"`   // init only: requests are served while it runs (LIF-14)
	Compacts bool           `json:"compacts,omitempty"` // memory only: it compresses its session's conversation (HND-67)
	Ahead    bool           `json:"ahead,omitempty"`    // of one that compresses: it only has the conversation read (HND-71)
	Typed    bool           `json:"typed,omitempty"`    // of one that reads ahead: a person is writing (HND-72)
	Hush     bool           `json:"hush,omitempty"`     // nobody asked: neither an answer that there is nothing to tell nor an error is sent (HND-63)
	Happened string         `json:"happened,omitempty"` // event only: what is sent if it fails (HND-68)
	Source   fsm.Source     `json:"source,omitzero"`    // of Input
}

// Standing is where a handle stands. State is set only by taking a row (fire.go). The rest
// is for a handle that is queued, parked or suspended: Resume is set as it leaves a
// phase in which it will go on, and cleared as it starts; the others are written by boots
// and by people.
type Standing struct {
	State     fsm.State `json:"state"`
	Resume    fsm.State `json:"resume,omitempty"`    // the phase to go on in; empty: begin
	Place     int       `json:"place,omitempty"`     // the place that its client was last told, plus one
	Postponed int       `json:"postponed,omitempty"` // how often it was (HND-69)
	Crashes   int       `json:"crashes,omitempty"`   // crashes in which it was active
	Poison    bool      `json:"poison,omitempty"`    // parked until a person lets it go on
	Doubt     string    `json:"doubt,omitempty"`     // why it is doubted
}

// Inferring belongs to the phases that ask the model: cognition, recalling, execution,
// compacting and summarizing. Inf is replaced by each inference that begins; Talk, from the
// first question on, takes over the conversation of each answering inference.
type Inferring struct {
	Rounds    int              `json:"rounds,omitempty"`    // cognition rounds that ended in a need
	Need      string           `json:"need,omitempty"`      // the last need
	Talk      fsm.Conversation `json:"talk,omitzero"`       // all messages of the finished inferences
	Inf       Inference        `json:"inf,omitzero"`        // the running or last inference
	Unthought bool             `json:"unthought,omitempty"` // an answer was written without thinking
}

// Pending is what any phase awaits: the one call, the handle's own time and the wait of a
// phase. Each is set as a phase is entered and cleared as it is left (fire.go), and none
// outlives a boot. Only Left stays while a handle waits.
type Pending struct {
	Await Await       `json:"await,omitzero"` // the one call in flight; those of a batch are in Inf.Batch
	Timer fsm.TimerID `json:"timer,omitempty"`
	Armed fsm.Millis  `json:"armed,omitempty"` // when Timer was armed
	Left  fsm.Millis  `json:"left,omitempty"`  // what was left of the time then; 0: all
	Wait  fsm.TimerID `json:"wait,omitempty"`  // the timer of a wait inside the phase
}

// SessionTurn is the turn as the session will keep it. Loading sets Loaded and Sess; the
// phases that infer add to it; saving writes it and is the last to read it. Without a
// session only Uses and Used matter.
type SessionTurn struct {
	Loaded    bool          `json:"loaded,omitempty"`    // Sess is the session's, to be written back
	Sess      fsm.Session   `json:"sess,omitzero"`       // the working copy
	TurnAt    int           `json:"turn_at,omitempty"`   // where the question stands in the conversation
	Turn      []fsm.Message `json:"turn,omitempty"`      // the turn's own messages, as they were
	Closing   []fsm.Message `json:"closing,omitempty"`   // what the turn ends with beyond them
	Condensed bool          `json:"condensed,omitempty"` // the conversation was compressed
	Rebased   bool          `json:"rebased,omitempty"`   // Sess.History is what others have written since
	Uses      int           `json:"uses,omitempty"`      // tool calls begun
	Used      []string      `json:"used,omitempty"`      // the tools that the turn ran, each once
	Notes     []string      `json:"notes,omitempty"`     // entries for HISTORY.md
	Learnt    string        `json:"learnt,omitempty"`    // what Sess.Memory has that MEMORY.md did not have when it was loaded; empty: nothing
	Tries     int           `json:"tries,omitempty"`     // loads or saves that failed
	Portion   int           `json:"portion,omitempty"`   // compacting: the messages that the model is shown
}

// Ending is what comes of the handle. It is zero until an inference answers, a cap is
// reached, or the handle is cancelled or fails; from then on Outcome is decided and does
// not change. There are two exceptions: Stop is set before that, and an answer takes it
// back; and a memory handle begins with the answers that it has gathered.
type Ending struct {
	Stop    bool        `json:"stop,omitempty"`    // to end at the next checkpoint
	Alone   bool        `json:"alone,omitempty"`   // subagent only: it was cancelled without its parent, which is reported (HND-64)
	Replied bool        `json:"replied,omitempty"` // its client has its reply
	Outcome fsm.Outcome `json:"outcome,omitempty"` // empty: undecided
	Failure string      `json:"failure,omitempty"` // why there is no answer
	Answer  string      `json:"answer,omitempty"`
}

// Remembering belongs to summarizing, embedding and storing, in this order. Before them it
// is zero, except for the turns that a memory handle has gathered; a report is its own
// summary (LIF-4).
type Remembering struct {
	Turns       int    `json:"turns,omitempty"` // memory only: the turns gathered
	Summary     string `json:"summary,omitempty"`
	Vector      []byte `json:"vector,omitempty"`
	VectorModel string `json:"vector_model,omitempty"`
	StoreTries  int    `json:"store_tries,omitempty"` // stores that failed
}

// Await is a call in flight; the zero value is none.
type Await struct {
	Call fsm.CallID   `json:"call,omitempty"`
	Kind fsm.CallKind `json:"kind,omitempty"`
}

// Derived returns the sources of a text that a model makes from messages, and from MEMORY.md
// if its prompt contains that (MSG-2).
func (h *Handle) Derived(c *fsm.Config, msgs []fsm.Message) fsm.Source {
	from := fsm.Joined(msgs) | fsm.FromModel
	if c.Prompts.Shows(fsm.OfMemory) {
		from |= h.Sess.MemorySource
	}
	return from
}

// InFlight returns the calls in flight, in the order in which they were asked: one, or
// those of a batch that have no answer yet (INV-2).
func (h *Handle) InFlight() []Await {
	if h.Await.Call != 0 {
		return []Await{h.Await}
	}
	var calls []Await
	for i := range h.Inf.Batch {
		if call := h.Inf.Batch[i].Call; call != 0 {
			calls = append(calls, Await{Call: call, Kind: h.readKind()})
		}
	}
	return calls
}

// Awaits returns the kind of a call in flight, or "" if it is not in flight.
func (h *Handle) Awaits(call fsm.CallID) fsm.CallKind {
	if h.Await.Call == call { // if both are 0, its kind is empty
		return h.Await.Kind
	}
	if h.Inf.Reading(call) >= 0 {
		return h.readKind()
	}
	return ""
}

// Busy reports whether a call is in flight.
func (h *Handle) Busy() bool { return h.Await.Call != 0 || h.Inf.Reads() > 0 }

// RunsTool reports whether a tool runs that has not been told to stop.
func (h *Handle) RunsTool() bool {
	return h.Await.Kind == fsm.CallTool || h.State != Stopping && h.Inf.Reads() > 0
}

// readKind returns what the calls of a batch in flight wait for: their answers or, once the
// handle is given up, their stops.
func (h *Handle) readKind() fsm.CallKind {
	if h.State == Stopping {
		return fsm.CallStop
	}
	return fsm.CallTool
}

// Timeout returns the bound on all of a handle's time.
func (h *Handle) Timeout(l fsm.Limits) fsm.Millis {
	switch h.Kind {
	case fsm.KindInit:
		return l.InitTimeout
	case fsm.KindFarewell:
		return l.ShutdownTimeout
	case fsm.KindSubagent:
		return l.SubagentTimeout
	default:
		return l.HandleTimeout
	}
}

// TimeoutSetting returns the name of the limit that Timeout returns.
func (h *Handle) TimeoutSetting() string {
	switch h.Kind {
	case fsm.KindInit:
		return "init_timeout"
	case fsm.KindFarewell:
		return "shutdown_timeout"
	case fsm.KindSubagent:
		return "subagent_timeout"
	default:
		return "handle_timeout"
	}
}

// Purpose returns what the handle's answering inferences are for.
func (h *Handle) Purpose() fsm.Purpose {
	switch h.Kind {
	case fsm.KindMemory:
		return fsm.PurposePrefill
	case fsm.KindInit:
		return fsm.PurposeInit
	case fsm.KindFarewell:
		return fsm.PurposeFarewell
	case fsm.KindSubagent:
		return fsm.PurposeSubagent
	default:
		return fsm.PurposeAnswer
	}
}

// Toolset returns what the handle's answering inferences offer.
func (h *Handle) Toolset() fsm.Toolset {
	if h.Kind == fsm.KindSubagent {
		return fsm.SubagentTools
	}
	return fsm.AllTools
}

// Waiting reports whether the handle holds no place among those that run.
func (h *Handle) Waiting() bool { return Waits(h.State) }

// Suspended reports whether the handle has given back its place in the middle of its work,
// and keeps its session: it waits for a person, or until the model can be asked again.
func (h *Handle) Suspended() bool { return h.AsksPerson() || h.State == Postponed }

// MayBePostponed reports whether the handle has no answer yet and nobody waits for it, so
// that it can come later (HND-69). A beat is not worth it: the next one comes anyway, and a
// greeting would block a person's session.
func (h *Handle) MayBePostponed() bool {
	if h.State != Cognition && h.State != Execution {
		return false
	}
	return h.Kind == fsm.KindEvent || h.Kind == fsm.KindSchedule && !h.Hush || h.Kind == fsm.KindInit && h.Beside
}

// AsksPerson reports whether the handle waits for a person.
func (h *Handle) AsksPerson() bool { return h.State == Approving || h.State == Held }

// attended reports whether the handle has a person to ask.
func (h *Handle) attended() bool { return h.Kind == fsm.KindUser || h.Kind == fsm.KindSystem }

// MayWait reports whether the handle may wait for a person (APR-4). The start and the
// end of an epoch never do.
func (h *Handle) MayWait(unattended bool) bool {
	return h.attended() || unattended && h.Kind != fsm.KindInit && h.Kind != fsm.KindFarewell
}

// Decided reports whether it is settled what the handle's client gets, so that neither a
// cancel nor a timeout changes that.
func (h *Handle) Decided() bool { return h.Outcome != "" }

// Answers reports whether the running inference is one that answers, so that its
// messages are the handle's own.
func (h *Handle) Answers() bool { return h.Inf.Purpose == h.Purpose() }

// Conversation returns the handle's conversation as it stands.
func (h *Handle) Conversation() fsm.Conversation {
	if h.Answers() {
		return h.Inf.Talk
	}
	return h.Talk
}

// UseKey names the use of a tool that has begun (TOL-8). The handle and the number of the
// use do not suffice: a crash may lose a start that was not synced, and then another call,
// or another handle, gets the same number.
func (h *Handle) UseKey(c fsm.ToolCall) string { return h.KeyOf(c, h.Uses) }

// KeyOf is UseKey for the use with the given number.
func (h *Handle) KeyOf(c fsm.ToolCall, use int) string {
	x := fsm.NewHasher(0)
	x.Str(h.Input)
	x.Str(c.Name)
	x.Str(c.Args)
	key := append(make([]byte, 0, 40), h.ID.Entry()...)
	key = strconv.AppendInt(append(key, '.'), int64(use), 10)
	return string(strconv.AppendUint(append(key, '.'), x.Sum(), 36))
}

// Asks returns what a person is asked about the handle, or false if nothing.
func (h *Handle) Asks() (fsm.AskPerson, bool) {
	q := fsm.AskPerson{Handle: h.ID, Request: h.Request, Session: h.Session, Key: h.PersonKey()}
	switch {
	case h.State == Approving:
		q.Question = fsm.QuestionApprove
	case h.State == Held:
		q.Question = fsm.QuestionUnknown
	case h.Poison && h.Doubt != "":
		q.Question, q.Text, q.Key = fsm.QuestionDoubt, h.Doubt, h.ID.Entry()
		return q, true
	case h.Poison:
		q.Question, q.Key = fsm.QuestionCrashes, h.ID.Entry()
		return q, true
	default:
		return fsm.AskPerson{}, false
	}
	c := h.Inf.Calls[h.Inf.Next]
	q.Tool, q.Args = c.Name, c.Args
	if h.State == Approving {
		q.Text = h.Inf.Why
	}
	return q, true
}

// PersonKey names what a person is asked about. It differs for each call.
func (h *Handle) PersonKey() string {
	switch {
	case h.Inf.Next >= len(h.Inf.Calls):
		return h.ID.Entry()
	case h.Inf.Asked && h.Inf.Attempt > 0: // by the tool, about this use; before a use begins it has the number of the previous one
		return h.UseKey(h.Inf.Calls[h.Inf.Next]) + AskedByTool
	default:
		return h.UseKey(h.Inf.Calls[h.Inf.Next])
	}
}

// AskedByTool is the end of the key of a question that a tool has led to (APR-19).
const AskedByTool = ".asks"

// PersonKey returns what [fsm.Decided] must name to decide about a handle, or "" if there
// is no such handle.
func PersonKey(s *Snapshot, id fsm.HandleID) string {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.ID == id {
			return h.PersonKey()
		}
	}
	return ""
}

// Claims reports whether a handle claims its session. The initial inference and the
// farewell do not: nothing else runs at the same time, and neither may wait for a handle
// that is served only after it, such as the report of a subagent of an earlier initial
// inference. An initial inference that runs beside others claims its session like them
// (LIF-14).
func (h *Handle) Claims() bool {
	return h.Kind != fsm.KindMemory && (h.Kind != fsm.KindInit || h.Beside) && h.Kind != fsm.KindFarewell
}

// Served reports whether the lifecycle lets a handle of this kind start.
func (h *Handle) Served(lifecycle fsm.State) bool {
	switch h.Kind {
	case fsm.KindInit:
		return lifecycle == Initializing && !h.Beside || lifecycle == Serving && h.Beside
	case fsm.KindFarewell:
		return lifecycle == Farewell
	default:
		return lifecycle == Serving
	}
}

// ParkedOrQueued reports whether the handle waits for its turn or for the next boot.
func (h *Handle) ParkedOrQueued() bool {
	return h.State == Queued || h.State == Idling || h.State == Parked
}

// Tells reports whether the handle's answer is a message to its origin (HND-40, HND-47, HND-63).
func (h *Handle) Tells() bool {
	return h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule || h.Kind == fsm.KindEvent && h.Origin.Channel != ""
}

// Impersonal reports whether no person speaks in the handle's session: it is that of an event
// or of a schedule.
func (h *Handle) Impersonal() bool {
	return h.Kind == fsm.KindEvent || h.Kind == fsm.KindSchedule && h.Session != h.Home
}

// RunOf reports whether the handle is a run of a schedule.
func (h *Handle) RunOf(schedule string) bool {
	return h.Kind == fsm.KindSchedule && (h.Schedule == schedule || h.Session == ScheduleSession(schedule))
}

// ScheduleSession is the own session of a schedule.
func ScheduleSession(schedule string) string { return "schedule:" + schedule }

// RecentShare is the part of the window that the earlier turns of such a session may take if
// the model's server has to read them (SES-24).
const RecentShare = 8

// Learns reports whether a handle of this kind is remembered with its session.
func (h *Handle) Learns() bool {
	return h.Kind == fsm.KindUser || h.Kind == fsm.KindEvent || h.Kind == fsm.KindSystem || h.Kind == fsm.KindSchedule
}

// Appended reports whether the handle's question follows a conversation as the model knows
// it, under the same system prompt and tools.
func (h *Handle) Appended() bool { return h.Kind == fsm.KindMemory && h.Sess.Version > 0 }

// Prefixed reports whether the running inference is a summary that offers tools only so
// that its prompt begins like the one before it (HND-49).
func (h *Handle) Prefixed() bool {
	return h.Inf.Purpose == fsm.PurposeSummary && h.Inf.Tools != fsm.NoTools
}

// IsMeant reports whether a cancel names the handle: by its request, or by its number if it
// has no request (HND-31). Work that shelly gives itself is not cancelled.
func (h *Handle) IsMeant(in fsm.CancelRequested) bool {
	switch h.Kind {
	case fsm.KindInit, fsm.KindFarewell, fsm.KindMemory:
		return false
	case fsm.KindUser:
		if in.Handle == 0 {
			return h.Request == in.Request
		}
	}
	return in.Handle != 0 && h.ID == in.Handle
}
