package fsm

// Handle states. A handle is one accepted piece of work.
const (
	Queued      State = "queued"
	Loading     State = "loading"
	Cognition   State = "cognition"
	Recalling   State = "recalling"
	Execution   State = "execution"
	Summarizing State = "summarizing"
	Embedding   State = "embedding"
	Storing     State = "storing"
	Stopping    State = "stopping"
	Parked      State = "parked"
	Done        State = "done"
	Failed      State = "failed"
)

// Handle events.
const (
	OnStart      Event = "start"      // its turn has come
	OnAsk        Event = "ask"        // ask the cognition question, or go on with it
	OnRecall     Event = "recall"     // go on with a recall
	OnAct        Event = "act"        // infer without the question
	OnSummarize  Event = "summarize"  // go on with the summary
	OnEmbed      Event = "embed"      // go on with the embedding
	OnStore      Event = "store"      // go on with the store
	OnNeed       Event = "need"       // the answer describes an information need
	OnRecalled   Event = "recalled"   // memory has answered, rounds are left
	OnEnough     Event = "enough"     // memory has answered, no round is left
	OnAnswer     Event = "answer"     // the answer is final
	OnReport     Event = "report"     // the initial inference has its report
	OnSummarized Event = "summarized" // a summary, or its stand-in
	OnEmbedded   Event = "embedded"   // a vector, or none
	OnStored     Event = "stored"     // stored, or given up
	OnSkip       Event = "skip"       // the time is up: the rest of memory is skipped
	OnFail       Event = "fail"       // the inference failed
	OnTimeout    Event = "timeout"    // the time is up before there is an answer
	OnAbort      Event = "abort"      // given up while a tool runs
	OnStopped    Event = "stopped"    // the tool has stopped, or its time to do so is up
	OnPark       Event = "park"       // kept for the next boot
	OnResume     Event = "resume"     // back in the queue
	OnAbandon    Event = "abandon"    // an initial inference or farewell that is not kept
)

// HandleTable is the table of one handle.
var HandleTable = Table{
	Name:    "handle",
	Initial: Queued,
	Final:   []State{Done, Failed},
	Rows: []Row{
		{Queued, OnStart, Loading, "HND-2"},
		{Queued, OnPark, Parked, "LIF-6"},
		{Parked, OnResume, Queued, "LIF-11"},

		{Loading, OnAsk, Cognition, "HND-4"},
		{Loading, OnAct, Execution, "LIF-3"},
		{Loading, OnRecall, Recalling, "HND-24"},
		{Loading, OnSummarize, Summarizing, "HND-24"},
		{Loading, OnEmbed, Embedding, "HND-24"},
		{Loading, OnStore, Storing, "HND-24"},

		{Cognition, OnAnswer, Summarizing, "HND-6"},
		{Cognition, OnNeed, Recalling, "HND-7"},
		{Cognition, OnFail, Failed, "HND-16"},
		{Cognition, OnTimeout, Failed, "HND-18"},
		{Cognition, OnAbort, Stopping, "HND-19"},
		{Cognition, OnPark, Parked, "LIF-8"},
		{Cognition, OnAbandon, Failed, "LIF-12"},

		{Recalling, OnRecalled, Cognition, "HND-8"},
		{Recalling, OnEnough, Execution, "HND-10"},
		{Recalling, OnTimeout, Failed, "HND-18"},
		{Recalling, OnPark, Parked, "LIF-8"},
		{Recalling, OnAbandon, Failed, "LIF-12"},

		{Execution, OnAnswer, Summarizing, "HND-6"},
		{Execution, OnReport, Embedding, "LIF-4"},
		{Execution, OnFail, Failed, "HND-16"},
		{Execution, OnTimeout, Failed, "HND-18"},
		{Execution, OnAbort, Stopping, "HND-19"},
		{Execution, OnPark, Parked, "LIF-8"},
		{Execution, OnAbandon, Failed, "LIF-12"},

		{Summarizing, OnSummarized, Embedding, "HND-12"},
		{Summarizing, OnSkip, Done, "HND-20"},
		{Summarizing, OnPark, Parked, "LIF-8"},
		{Summarizing, OnAbandon, Failed, "LIF-12"},

		{Embedding, OnEmbedded, Storing, "HND-13"},
		{Embedding, OnSkip, Done, "HND-20"},
		{Embedding, OnPark, Parked, "LIF-8"},
		{Embedding, OnAbandon, Failed, "LIF-12"},

		{Storing, OnStored, Done, "HND-14"},
		{Storing, OnSkip, Done, "HND-20"},
		{Storing, OnPark, Parked, "LIF-8"},
		{Storing, OnAbandon, Failed, "LIF-12"},

		{Stopping, OnStopped, Failed, "HND-19"},
	},
}

// Kind is what a handle was accepted for.
type Kind string

// The kinds of handle.
const (
	KindUser     Kind = "user"
	KindEvent    Kind = "event"
	KindInit     Kind = "init"
	KindFarewell Kind = "farewell"
)

// Handle is one accepted piece of work on its way through [HandleTable]. Only
// unfinished handles are kept.
type Handle struct {
	ID      HandleID   `json:"id"`
	Kind    Kind       `json:"kind"`
	Request RequestKey `json:"request,omitzero"` // user only
	Session string     `json:"session,omitempty"`
	Input   string     `json:"input"`

	State  State        `json:"state"`
	Resume State        `json:"resume,omitempty"` // the phase to go on in; empty: begin
	Rounds int          `json:"rounds,omitempty"` // cognition rounds that ended in a need
	Need   string       `json:"need,omitempty"`   // the last need
	Talk   Conversation `json:"talk,omitzero"`    // all messages of the finished inferences
	Inf    Inference    `json:"inf,omitzero"`     // the running or last inference
	Await  Await        `json:"await,omitzero"`   // the one call in flight

	Timer TimerID `json:"timer,omitempty"`
	Armed Millis  `json:"armed,omitempty"` // when Timer was armed
	Left  Millis  `json:"left,omitempty"`  // what was left of the time then; 0: all

	Answer      string `json:"answer,omitempty"`
	Summary     string `json:"summary,omitempty"`
	Vector      []byte `json:"vector,omitempty"`
	VectorModel string `json:"vector_model,omitempty"`
	StoreTries  int    `json:"store_tries,omitempty"` // stores that failed
}

// CallKind is what kind of answer a call waits for.
type CallKind string

// The kinds of call.
const (
	CallBrain  CallKind = "brain"
	CallTool   CallKind = "tool"
	CallStop   CallKind = "stop" // an aborted tool: only its stop is awaited
	CallRecall CallKind = "recall"
	CallEmbed  CallKind = "embed"
	CallStore  CallKind = "store"
)

// Await is a call in flight; the zero value is none.
type Await struct {
	Call CallID   `json:"call,omitempty"`
	Kind CallKind `json:"kind,omitempty"`
}

// timeout is the bound on all of a handle's time.
func (h *Handle) timeout(l Limits) Millis {
	switch h.Kind {
	case KindInit:
		return l.InitTimeout
	case KindFarewell:
		return l.ShutdownTimeout
	default:
		return l.HandleTimeout
	}
}

// purpose is what the handle's answering inferences are for.
func (h *Handle) purpose() Purpose {
	switch h.Kind {
	case KindInit:
		return PurposeInit
	case KindFarewell:
		return PurposeFarewell
	default:
		return PurposeAnswer
	}
}

// waiting reports whether the handle holds no slot.
func (h *Handle) waiting() bool { return h.State == Queued || h.State == Parked }

// start gives the handle at i its turn: a new one begins, a parked one goes on
// in the phase it was in (HND-24).
func (m *Machine) start(i int) {
	h := &m.s.Handles[i]
	m.move(h, OnStart)
	m.arm(h, TimerHandle, h.timeout(m.s.Config.Limits))
	resume := h.Resume
	h.Resume = ""
	switch resume {
	case "":
		m.begin(h)
	case Cognition:
		m.move(h, OnAsk)
		m.continueInference(i)
	case Execution:
		m.move(h, OnAct)
		m.continueInference(i)
	case Recalling:
		m.move(h, OnRecall)
		m.recall(h)
	case Summarizing:
		m.move(h, OnSummarize)
		m.summarize(h)
	case Embedding:
		m.move(h, OnEmbed)
		m.embed(h)
	case Storing:
		m.move(h, OnStore)
		m.store(h)
	}
}

// begin assembles the messages (HND-3): the system prompt, then the input,
// behind the cognition question unless this is the initial inference.
func (m *Machine) begin(h *Handle) {
	p := m.s.Config.Prompts
	first := Message{Role: RoleUser, Text: p.question(h.Input)}
	on := OnAsk
	if h.Kind == KindInit {
		first.Text, on = h.Input, OnAct
	}
	h.Talk = Conversation{}.add(Message{Role: RoleSystem, Text: p.Identity}, first)
	m.move(h, on)
	m.infer(h, h.purpose(), h.Talk, true)
}

// inferred goes on from a finished inference.
func (m *Machine) inferred(i int) {
	h := &m.s.Handles[i]
	if h.State == Summarizing {
		m.summarized(h)
		return
	}
	h.Talk = h.Inf.Talk
	if h.Inf.State != Completed {
		m.fail(i, OnFail, h.Inf.Result)
		return
	}
	if n, ok := need(h.Inf.Result); ok && h.State == Cognition {
		h.Rounds++
		h.Need = n
		m.move(h, OnNeed)
		m.recall(h)
		return
	}
	h.Answer = withoutMarker(h.Inf.Result)
	switch {
	case h.Answer == "":
		m.fail(i, OnFail, emptyAnswer)
	case h.Kind == KindInit:
		h.Summary = h.Answer // the report is the memory (LIF-4)
		m.move(h, OnReport)
		m.embed(h)
	default:
		m.move(h, OnAnswer)
		m.summarize(h)
	}
}

// recall looks for the handle's need in memory (HND-7).
func (m *Machine) recall(h *Handle) {
	call := m.await(h, CallRecall)
	m.emit(Recall{Call: call, Handle: h.ID, Session: h.Session, Need: h.Need, TopK: m.s.Config.Limits.RecallTopK})
}

// recalled injects what was found, or says that nothing was (HND-8, HND-9), and
// asks again; after the last round without the question (HND-10).
func (m *Machine) recalled(i int, in Recalled) {
	h := &m.s.Handles[i]
	text := remembered(h.Need, in.Entries)
	switch {
	case in.Error != "":
		text = recallBroken(h.Need, in.Error)
	case len(in.Entries) == 0:
		text = nothingRemembered(h.Need)
	}
	h.Talk = h.Talk.add(Message{Role: RoleUser, Text: text})
	if h.Rounds >= m.s.Config.Limits.MaxCognitionRounds {
		m.move(h, OnEnough)
	} else {
		m.move(h, OnRecalled)
	}
	m.infer(h, h.purpose(), h.Talk, true)
}

// summarize asks for a summary of the full messages (HND-12).
func (m *Machine) summarize(h *Handle) {
	talk := h.Talk.fork().add(Message{Role: RoleUser, Text: m.s.Config.Prompts.Summary})
	m.infer(h, PurposeSummary, talk, false)
}

// summarized takes the summary, or an extract where there is none (HND-21).
func (m *Machine) summarized(h *Handle) {
	h.Summary = extract(h.Input, h.Answer)
	if h.Inf.State == Completed {
		if s := withoutMarker(h.Inf.Result); s != "" {
			h.Summary = s
		}
	}
	m.move(h, OnSummarized)
	m.embed(h)
}

// embed asks for the summary's vector (HND-13).
func (m *Machine) embed(h *Handle) {
	call := m.await(h, CallEmbed)
	m.emit(Embed{Call: call, Handle: h.ID, Text: h.Summary})
}

// embedded takes the vector; without one the entry is found by keyword (HND-22).
func (m *Machine) embedded(h *Handle, in Embedded) {
	if in.Error == "" {
		h.Vector, h.VectorModel = in.Vector, in.Model
	}
	m.move(h, OnEmbedded)
	m.store(h)
}

// store writes the memory entry (HND-14). Its id is the handle's, so a store
// that is asked for again writes the same entry.
func (m *Machine) store(h *Handle) {
	call := m.await(h, CallStore)
	m.emit(Store{Call: call, Handle: h.ID, Entry: Entry{
		ID:      h.ID.entry(),
		Kind:    h.Kind,
		Session: h.Session,
		At:      m.s.Now,
		Summary: h.Summary,
		Text:    "Input: " + h.Input + "\nAnswer: " + h.Answer,
		Vector:  h.Vector,
		Model:   h.VectorModel,
	}})
}

// stored ends the handle, or tries the store again (HND-23).
func (m *Machine) stored(i int, in Stored) {
	h := &m.s.Handles[i]
	if in.Error != "" {
		h.StoreTries++
		if h.StoreTries < m.s.Config.Limits.MaxStoreAttempts {
			m.store(h)
			return
		}
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: "memory was not stored: " + in.Error})
	}
	m.finish(i, OnStored)
}

// finish ends a handle that has its answer (HND-15).
func (m *Machine) finish(i int, on Event) {
	h := &m.s.Handles[i]
	m.move(h, on)
	m.clearTimer(h)
	if h.Kind == KindUser {
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: h.Answer})
	}
	m.ended(i, ExitClean)
}

// fail ends a handle that has none (HND-16).
func (m *Machine) fail(i int, on Event, reason string) {
	h := &m.s.Handles[i]
	m.move(h, on)
	m.clearTimer(h)
	m.refuse(h, reason)
	code := ExitClean
	if on == OnTimeout {
		code = ExitTimeout
	}
	m.ended(i, code)
}

// refuse tells whoever is there to hear it that the handle has no answer.
func (m *Machine) refuse(h *Handle, reason string) {
	if h.Kind == KindUser {
		m.emit(Reply{Handle: h.ID, Request: h.Request, Text: "error: " + reason, IsError: true})
	} else {
		m.emit(Report{Handle: h.ID, Kind: h.Kind, Text: "error: " + reason})
	}
}

// ended takes a terminal handle out of the state and moves the lifecycle on
// where it waited for it.
func (m *Machine) ended(i int, code ExitCode) {
	kind := m.s.Handles[i].Kind
	m.remove(i)
	switch {
	case kind == KindInit && m.s.Lifecycle == Initializing:
		m.serve()
	case kind == KindFarewell:
		m.live(OnFarewelled)
		m.stop(code)
	}
}

// timeUp handles a fired handle timer by phase.
func (m *Machine) timeUp(i int) {
	h := &m.s.Handles[i]
	h.Timer = 0
	switch h.State {
	case Stopping:
		m.move(h, OnStopped)
		m.ended(i, ExitClean)
	case Summarizing, Embedding, Storing: // HND-20
		m.abortCall(h)
		m.giveUp(h)
		m.finish(i, OnSkip)
	default: // HND-18
		m.abort(i, "timed out after "+h.timeout(m.s.Config.Limits).String())
	}
}

// abort gives up a handle that has no answer. While a tool runs the handle
// answers and then keeps its slot until the tool has stopped (HND-19); the
// farewell does not wait, because the process is about to end.
func (m *Machine) abort(i int, reason string) {
	h := &m.s.Handles[i]
	tool := h.Await.Kind == CallTool
	m.abortCall(h)
	m.giveUp(h)
	switch {
	case tool && h.Kind != KindFarewell:
		m.clearTimer(h)
		m.refuse(h, reason)
		m.move(h, OnAbort)
		m.arm(h, TimerAbort, m.s.Config.Limits.AbortTimeout)
	case h.Kind == KindInit && m.s.Lifecycle == Draining:
		m.fail(i, OnAbandon, reason)
	default:
		m.fail(i, OnTimeout, reason)
	}
}

// park keeps a handle for the next boot with what was left of its time (HND-27).
// The inference stays as it is: its last call is asked again, or its outcome
// named unknown, when the handle goes on.
func (m *Machine) park(h *Handle) {
	if h.State != Queued {
		h.Resume = h.State
		spent := max(m.s.Now-h.Armed, 0)
		h.Left = max(h.Left-spent, 1)
	}
	m.move(h, OnPark)
}
