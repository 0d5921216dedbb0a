package fsm

// ApproveRule says whether a person decides about the calls of a tool whose arguments fit
// all of Match (APR-10).
type ApproveRule struct {
	Match []ArgMatch `json:"match"`
	Ask   bool       `json:"ask,omitempty"` // a person decides; false: the call starts without a question
}

// ArgMatch is a pattern for the text of one argument of a call. In Like a star matches any
// text, and a backslash makes the next character literal (APR-11).
type ArgMatch struct {
	Argument string `json:"argument"`
	Like     string `json:"like"`
}

// AskPerson says that a handle waits for a person's decision. [Decided] answers an
// approval, [Resolved] the other questions; if neither comes, the handle's timer does.
type AskPerson struct {
	Handle   HandleID   `json:"handle"`
	Request  RequestKey `json:"request,omitzero"`
	Session  string     `json:"session,omitempty"`
	Question Question   `json:"question"`
	Tool     string     `json:"tool,omitempty"`
	Args     string     `json:"args,omitempty"`
	Key      string     `json:"key,omitempty"`
	Text     string     `json:"text,omitempty"` // why, if the question does not say it
}

func (e AskPerson) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(e.Session)
	x.Str(string(e.Question))
	x.Str(e.Tool)
	x.Str(e.Args)
	x.Str(e.Key)
	x.Str(e.Text)
}

// Question is what a person is asked about a handle.
type Question string

// May this tool run? What did this tool do? Should this handle go on although it was active
// in several crashes? Should it go on although its journal replays differently?
const (
	QuestionApprove Question = "approve"
	QuestionUnknown Question = "unknown"
	QuestionCrashes Question = "crashes"
	QuestionDoubt   Question = "doubt"
)

// Bounds of what a person's decision says, however it is given.
const (
	ReasonBytesMax = 2000 // of a refusal (APR-23)
	ByBytesMax     = 128  // who decides
)

// Decided is a person's decision about a tool call that waits for approval. Key is
// that of [AskPerson], so that a late decision cannot apply to a later call.
type Decided struct {
	Handle  HandleID `json:"handle"`
	Key     string   `json:"key"`
	Approve bool     `json:"approve,omitempty"`
	By      string   `json:"by,omitempty"`

	Grant  GrantScope `json:"grant,omitempty"`  // which later calls an approval is for, too (APR-12)
	Reason string     `json:"reason,omitempty"` // of a refusal, for the model (APR-23)
}

// Resolved is a person's decision about a held handle, whose tool has an unknown outcome or
// which was active in too many crashes. Text is what the model learns about the tool.
type Resolved struct {
	Handle HandleID `json:"handle"`
	Text   string   `json:"text,omitempty"`
}

// Grant is a person's permission for later calls of a tool: they start without a question
// (APR-12).
type Grant struct {
	Session string     `json:"session,omitempty"` // whose calls; empty: those of every session
	Tool    string     `json:"tool"`
	Match   []ArgMatch `json:"match,omitempty"` // one for each argument that it is about; none: a call without arguments
	Any     bool       `json:"any,omitempty"`   // any arguments will do; Match is empty
	By      string     `json:"by,omitempty"`    // who gave it
	At      Millis     `json:"at,omitempty"`    // when
}

// GrantScope is how far an approval goes.
type GrantScope string

// An approval covers this one call; this call and later ones like it in the same session;
// or those in every session.
const (
	GrantOnce    GrantScope = ""
	GrantSession GrantScope = "session"
	GrantAlways  GrantScope = "always"
)

// SessionGrantsMax is how many grants of sessions are kept; beyond it the oldest is dropped
// (APR-18).
const SessionGrantsMax = 256

// Revoked takes a grant back (APR-17).
type Revoked struct {
	Grant string `json:"grant"` // its id
	By    string `json:"by,omitempty"`
}
