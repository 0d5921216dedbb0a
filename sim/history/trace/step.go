package trace

import "shelly/fsm"

// Version is that of a step's JSON form. A field may join a version; one that goes or
// changes its meaning makes another.
const Version = 1

// Step is one step of a run (SIM-30).
type Step struct {
	N       int          `json:"n"`     // from 1
	Index   uint64       `json:"index"` // of its record
	Epoch   int          `json:"epoch"` // boots so far
	At      fsm.Millis   `json:"at"`    // of a daemon since the Unix epoch, of the simulator on its virtual clock
	Handle  fsm.HandleID `json:"handle,omitempty"`
	Input   Input        `json:"input"`
	Moves   []Move       `json:"moves,omitempty"`
	Effects []Effect     `json:"effects,omitempty"`
	Changes []Change     `json:"changes,omitempty"` // of the state, at most ChangesMax
	Left    int          `json:"left,omitempty"`    // changes beyond them
	Marks   []Mark       `json:"marks,omitempty"`
	Differs *Differs     `json:"differs,omitempty"` // nil: today's code decides as recorded
}

// Input is what the machine was told.
type Input struct {
	Kind   string      `json:"kind"`  // as the wire form names it
	Words  string      `json:"words"` // for people
	Call   fsm.CallID  `json:"call,omitempty"`
	Timer  fsm.TimerID `json:"timer,omitempty"`
	Fields []Field     `json:"fields,omitempty"` // of the wire form, flat, at most FieldsMax
	Left   int         `json:"left,omitempty"`   // fields beyond them
}

// Field is one value of an input: its path, such as calls[0].name, and the value as text.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Move is one transition of a table.
type Move struct {
	Table  string       `json:"table"`
	Handle fsm.HandleID `json:"handle,omitempty"` // 0: of the lifecycle
	Kind   fsm.Kind     `json:"kind,omitempty"`   // of the handle
	From   fsm.State    `json:"from"`
	On     string       `json:"on"`
	To     fsm.State    `json:"to"`
	Rule   string       `json:"rule,omitempty"` // of the row
}

// Effect is what the machine did about the input.
type Effect struct {
	Kind   string       `json:"kind"`
	Words  string       `json:"words"`
	Call   fsm.CallID   `json:"call,omitempty"` // that it asks for, or gives up
	Timer  fsm.TimerID  `json:"timer,omitempty"`
	Handle fsm.HandleID `json:"handle,omitempty"`
	Name   string       `json:"name,omitempty"`  // the purpose of a question or timer, the name of a tool or skill
	Minor  bool         `json:"minor,omitempty"` // bookkeeping that other steps tell as well
	Sent   *Sent        `json:"sent,omitempty"`  // of a question to the model
}

// Sent is what the model was sent: the first Kept messages of an earlier question, and
// then Messages.
type Sent struct {
	Ask      int       `json:"ask"`            // the number of the question in the run, from 1
	Base     int       `json:"base,omitempty"` // that of the earlier question; 0: none
	BaseStep int       `json:"base_step,omitempty"`
	Kept     int       `json:"kept,omitempty"`
	Messages []Message `json:"messages,omitempty"`
	Tokens   int       `json:"tokens,omitempty"` // of all, as estimated
}

// Message is one of the conversation. Its texts are cut at [Options.TextMax].
type Message struct {
	Role     string   `json:"role"`
	Text     string   `json:"text,omitempty"`
	Thinking string   `json:"thinking,omitempty"`
	Calls    []Field  `json:"calls,omitempty"` // the tool's name and its arguments
	Tool     string   `json:"tool,omitempty"`  // whose result it is
	Images   int      `json:"images,omitempty"`
	Sources  []string `json:"sources,omitempty"` // where the text came from (MSG-1)
}

// Change is a value of the state that another step finds different.
type Change struct {
	Of     string `json:"of,omitempty"`   // such as "handle 1"; empty: of the machine
	Path   string `json:"path,omitempty"` // empty: all of it came or went
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// MarkKind says what is remarkable about a step.
type MarkKind string

// The kinds of mark.
const (
	Fault     MarkKind = "fault"     // something failed, or the process died
	Invariant MarkKind = "invariant" // one that does not hold after the step
	Broken    MarkKind = "broken"    // an expectation that the step breaks
	Met       MarkKind = "met"       // an expectation that the step meets
)

// Mark is something remarkable about a step.
type Mark struct {
	Kind MarkKind `json:"kind"`
	Path string   `json:"path,omitempty"` // of the expectation, such as expect.replies[0]
	Text string   `json:"text,omitempty"`
}

// Differs says that today's code decides a step differently from the code that recorded
// it. The hashes are those of the effects, in hexadecimal.
type Differs struct {
	Recorded string `json:"recorded"`
	Today    string `json:"today"`
}

// Bad reports whether a mark is of something that went wrong.
func (m Mark) Bad() bool { return m.Kind != Met }
