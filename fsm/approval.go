package fsm

// ArgMatch is a pattern for the text of one argument of a call. In Like a star stands for any
// text, and a backslash takes the character after it as it is (APR-11).
type ArgMatch struct {
	Argument string `json:"argument"`
	Like     string `json:"like"`
}

// ApproveRule says whether a person decides about the calls of a tool whose arguments fit
// all of Match (APR-10).
type ApproveRule struct {
	Match []ArgMatch `json:"match"`
	Ask   bool       `json:"ask,omitempty"` // a person decides; false: the call starts without a question
}

// GrantScope is how far an approval goes.
type GrantScope string

// An approval is for the one call; for the later ones that it covers of the same session; or
// for those of every session.
const (
	GrantOnce    GrantScope = ""
	GrantSession GrantScope = "session"
	GrantAlways  GrantScope = "always"
)

// Grant is a person's leave for later calls of a tool, which start without a question
// (APR-12).
type Grant struct {
	Session string     `json:"session,omitempty"` // whose calls; empty: those of every session
	Tool    string     `json:"tool"`
	Match   []ArgMatch `json:"match,omitempty"` // of the arguments that it is about, one each; none: a call without any
	Any     bool       `json:"any,omitempty"`   // whatever the arguments are; Match is empty
	By      string     `json:"by,omitempty"`    // who gave it
	At      Millis     `json:"at,omitempty"`    // when
}

// SessionGrantsMax is how many grants of sessions are kept; beyond it the oldest goes (APR-18).
const SessionGrantsMax = 256
