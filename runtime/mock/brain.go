package mock

import (
	"context"
	"slices"
	"time"

	"shelly/fsm"
)

// Brain decides what the scripted model says. Its methods may be called concurrently.
type Brain interface {
	// Answer answers a question. An error becomes a status 500 with its text.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Question is one chat request.
type Question struct {
	Purpose    string // from the header X-Shelly-Purpose; "answer" without it
	Session    string // from the header X-Shelly-Session; "" without it
	System     string // the text of a leading system message, which is then not in Messages
	Messages   []fsm.Message
	Dropped    int      // how many of Messages the window has no room for: the first ones other than system messages
	Tools      []string // the names of the tools offered, in order
	NumPredict int      // 0 if the request has none
	// Temperature is in thousandths, as in [fsm.Options]: 0 if the request has none, -1 if it is
	// exactly 0.
	Temperature int
}

// Answer is what the model says, or how the server fails. The zero value is an answer without text
// or calls, like one with Empty set.
type Answer struct {
	Thinking string // not sent if the request turns thinking off
	Text     string
	Calls    []fsm.ToolCall // each in its own line; an empty ID is filled in
	Length   bool           // done_reason is "length"
	Empty    bool           // none of the above is sent
	Pieces   []Piece        // what to stream instead of Thinking and Text, which are the pieces joined; nil: stream each whole

	// Every is the time between two pieces.
	Every time.Duration

	tokens int // reported as eval_count; 0: an estimate

	// Delay is the time before the first line.
	Delay time.Duration
	// PromptTokens is reported as prompt_eval_count; 0: an estimate.
	PromptTokens int

	// Status, unless 0 or 200, refuses the request, with Error as its text.
	Status int
	// RetryAfter is sent with a Status, in whole seconds.
	RetryAfter time.Duration
	// Error without a Status ends the stream with an error line.
	Error string
	// Garbage is sent verbatim as a line, and ends the stream.
	Garbage string
	// Cut ends the stream after its content, without the last line.
	Cut bool
	// Hang sends the content and then nothing until the client leaves.
	Hang bool
}

// Piece is a part of the thinking or of the text, in its own line.
type Piece struct{ Thinking, Text string }

// pieces returns the lines of thinking and text to stream.
func (a *Answer) pieces() []Piece {
	pieces := a.Pieces
	if pieces == nil {
		pieces = []Piece{{Thinking: a.Thinking}, {Text: a.Text}}
	}
	return slices.DeleteFunc(slices.Clone(pieces), func(p Piece) bool { return p == (Piece{}) })
}
