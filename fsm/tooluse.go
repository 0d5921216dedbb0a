package fsm

// RunTool starts a tool; [ToolAnswered] answers. The step that emits it is the
// start marker of an unsafe tool.
type RunTool struct {
	Asked
	Session string      `json:"session,omitempty"`
	Name    string      `json:"name"`
	Args    string      `json:"args"`
	Effects ToolEffects `json:"effects"`
	Origin  Origin      `json:"origin,omitzero"`
	Attempt int         `json:"attempt,omitempty"` // from 1; a start after a crash is the same attempt
	Key     string      `json:"key"`               // names this use of the tool; the same when it is started again after a crash (TOL-8)
	Keep    Keep        `json:"keep,omitzero"`     // what becomes of a long result (TXT-1)

	Approved bool   `json:"approved,omitempty"` // a person or a grant lets this call run (APR-19)
	Source   Source `json:"source,omitzero"`    // where Args came from
	Waits    bool   `json:"waits,omitempty"`    // the attempt is being worked on, as its probe says, and is only waited for (INF-56)
}

// hash leaves Approved out: older builds started approved calls without it. Source is in no
// hash (MSG-3).
func (e RunTool) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Name)
	x.Str(e.Args)
	x.Str(string(e.Effects))
	x.Origin(e.Origin)
	x.Int(e.Attempt)
	x.Str(e.Key)
	if e.Keep != (Keep{}) { // older builds hashed no such share
		x.Int(e.Keep.Tokens)
		x.Str(e.Keep.Owner)
	}
	if e.Waits { // older builds hashed no such start
		x.Bool(true)
	}
}

// ToolAnswered answers [RunTool].
type ToolAnswered struct {
	Answered
	Text    string `json:"text,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Nothing bool   `json:"nothing,omitempty"` // it failed and says that nothing happened, so another attempt is safe
	Invalid bool   `json:"invalid,omitempty"` // it failed because the call is wrong, so another attempt is pointless
	Asks    string `json:"asks,omitempty"`    // it did nothing, and a person has to approve it first, for this reason (APR-19)
	Kept    Kept   `json:"kept,omitzero"`     // Text is its beginning, or all of it (TXT-2)

	Contained string `json:"contained,omitempty"` // what contained the processes that the tool started (TOL-43)
}

// AbortCall gives up a call. An aborted tool is answered by [ToolStopped]; any
// other aborted call needs no answer.
type AbortCall struct {
	Call CallID `json:"call"`
}

func (e AbortCall) hash(x *Hasher) { x.Word(uint64(e.Call)) }

// ToolStopped says that an aborted tool has stopped, whatever it had done.
type ToolStopped struct {
	Answered
}

// RunProbe asks a tool what became of a call whose outcome is unknown (INF-52); [Probed]
// answers. It changes nothing, and runs only when nothing works on the call any more.
type RunProbe struct {
	Asked
	Session string `json:"session,omitempty"`
	Name    string `json:"name"`
	Args    string `json:"args"`
	Key     string `json:"key"`     // the call's, as in [RunTool]
	Attempt int    `json:"attempt"` // the call's last one
}

func (e RunProbe) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Name)
	x.Str(e.Args)
	x.Str(e.Key)
	x.Int(e.Attempt)
}

// Probed answers [RunProbe]. Any answer but the four counts as [ProbeUnsure].
type Probed struct {
	Answered
	Answer ProbeAnswer `json:"answer"`
	Text   string      `json:"text,omitempty"`   // done: the call's result; else the reason for the answer
	Failed bool        `json:"failed,omitempty"` // done: the tool has failed
}

// ProbeAnswer is what a probe says of a call whose outcome is unknown (INF-53).
type ProbeAnswer string

// The call has done its work; it has done nothing and will not; it is still worked on, and can
// be waited for again (INF-56); or the probe cannot tell.
const (
	ProbeDone    ProbeAnswer = "done"
	ProbeNever   ProbeAnswer = "never"
	ProbeWorking ProbeAnswer = "working"
	ProbeUnsure  ProbeAnswer = "unsure"
)

// Audit is the record of one tool call that has ended (TOL-9).
type Audit struct {
	Handle   HandleID    `json:"handle"`
	Session  string      `json:"session,omitempty"`
	Key      string      `json:"key"` // of the use; empty: the call was not run
	Tool     string      `json:"tool"`
	Args     string      `json:"args"`
	Message  string      `json:"message"` // the handle's input
	Result   string      `json:"result"`
	Failed   bool        `json:"failed,omitempty"`
	Unknown  bool        `json:"unknown,omitempty"` // it is not known whether it ran
	Probe    ProbeAnswer `json:"probe,omitempty"`   // what a probe has said of it
	Attempts int         `json:"attempts"`
	Duration Millis      `json:"duration"` // from the first start to the end

	Contained string `json:"contained,omitempty"` // what contained the processes of its last attempt (TOL-43)
	From      Caller `json:"from,omitzero"`       // whose work it was; records of older builds have none
}

// Ran reports whether the call was started at all.
func (a *Audit) Ran() bool { return a.Attempts > 0 }

// Caller is whose work a tool call was.
type Caller struct {
	Kind    Kind       `json:"kind"`             // of the handle
	Request RequestKey `json:"request,omitzero"` // a user's: which one, and how it came
	Origin  Origin     `json:"origin,omitzero"`  // where the conversation takes place
	Parent  HandleID   `json:"parent,omitempty"` // a subagent's: the handle that started it
}

func (e Audit) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(e.Session)
	x.Str(e.Key)
	x.Str(e.Tool)
	x.Str(e.Args)
	x.Str(e.Message)
	x.Str(e.Result)
	x.Bool(e.Failed)
	x.Int(e.Attempts)
	x.Word(uint64(e.Duration))
	if e.Probe != "" { // older builds hashed no such answer
		x.Str(string(e.Probe))
	}
	if e.Contained != "" { // older records have none
		x.Str(e.Contained)
	}
}
