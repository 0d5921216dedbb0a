package mock

import (
	"context"
	"slices"
	"time"

	"shelly/fsm"
)

// Brain decides what the scripted model says. It is called from many goroutines.
type Brain interface {
	// Answer answers a question. An error becomes status 500 with its text.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Question is one chat request.
type Question struct {
	Model      string // as the request has it
	Purpose    string // of the header X-Shelly-Purpose; "answer" without it
	Session    string // of the header X-Shelly-Session; "" without it
	System     string // the text of a system message that comes first, which is then not in Messages
	Messages   []fsm.Message
	Dropped    int      // how many of Messages, the first that are no system message, the window has no room for
	Tools      []string // the names of the tools offered, in order
	NumCtx     int      // 0 where the request has none
	NumPredict int      // 0 where the request has none
	// Temperature in thousandths as [fsm.Options] has it: 0 where the request has
	// none, -1 where it is exactly 0.
	Temperature int
}

// Answer is what the model says, or how the server fails. The zero value, like
// Empty, is an answer without text or calls.
type Answer struct {
	Thinking string // not sent where the request turns thinking off
	Text     string
	Calls    []fsm.ToolCall // each in a line of its own; an empty ID is filled in
	Length   bool           // done_reason is "length"
	Empty    bool           // nothing of the above is sent
	Pieces   []Piece        // what is streamed in place of Thinking and Text, which are these joined; nil: each of them whole

	// Every passes between two pieces.
	Every time.Duration

	tokens int // reported as eval_count; 0: an estimate

	// Delay passes before the first line.
	Delay time.Duration
	// PromptTokens is reported as prompt_eval_count; 0: an estimate.
	PromptTokens int

	// Status other than 0 and 200 refuses the request with Error as its text.
	Status int
	// RetryAfter is sent in whole seconds with a Status.
	RetryAfter time.Duration
	// Error without a Status ends the stream with an error line.
	Error string
	// Garbage is sent as a line, as it is, and ends the stream.
	Garbage string
	// Cut ends the stream after its content, without the last line.
	Cut bool
	// Hang sends what there is and then nothing until the client leaves.
	Hang bool
}

// Piece is a part of the thinking or of the text, in a line of its own.
type Piece struct{ Thinking, Text string }

// pieces are the lines of thinking and text that are streamed.
func (a *Answer) pieces() []Piece {
	pieces := a.Pieces
	if pieces == nil {
		pieces = []Piece{{Thinking: a.Thinking}, {Text: a.Text}}
	}
	return slices.DeleteFunc(slices.Clone(pieces), func(p Piece) bool { return p == (Piece{}) })
}
