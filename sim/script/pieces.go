package script

import (
	"fmt"
	"shelly/fsm"
)

// How long a client waits for an answer (BRN-8): the defaults of the real client.
const (
	LoadMax       = 300 * fsm.Second  // for the model to be loaded
	FirstTokenMax = 3600 * fsm.Second // for the first piece after that
	IdleMax       = 60 * fsm.Second   // for each further piece
)

// LoadingReason is what a client says of a model that has not begun within
// FirstTokenMax. It is worded as the real client words it.
const LoadingReason = "the model gave no first token within 1h0m0s (timeouts.first_token); if it stays so, restart the Ollama server"

// TruncatedReason is what a client says of a prompt that fills its context window
// of n tokens. It is worded as the real client words it.
func TruncatedReason(window int) string {
	return fmt.Sprintf("the conversation filled the whole context window of %d tokens, so the server has dropped a part of it: raise num_ctx", window)
}

// Stream is how an answer comes in pieces (SCN-27): the first when the line's time
// is over. The answer, or its failure, comes with the last.
type Stream struct {
	Chunks int        // how many pieces thinking and text are each cut into, or
	Texts  []string   // these are the text's pieces, and thinking is one before them
	Every  fsm.Millis // from one piece to the next
}

// Piece is a part of an answer: of its thinking or of its text.
type Piece struct{ Thinking, Text string }

// Pieces are the parts in which the answer to ask comes, all of its thinking
// before its text; none where it comes whole.
func (l Line) Pieces(ask fsm.AskBrain) []Piece {
	if l.Stream == nil {
		return nil
	}
	texts := l.Stream.Texts
	if texts == nil {
		texts = cut(l.text(ask), l.Stream.Chunks)
	}
	var pieces []Piece
	for _, part := range cut(l.thinking(ask), l.Stream.Chunks) {
		pieces = append(pieces, Piece{Thinking: part})
	}
	for _, part := range texts {
		pieces = append(pieces, Piece{Text: part})
	}
	return pieces
}

// cut cuts text into n parts of about the same length at characters' edges: one
// where n is 0, and no more than it has characters.
func cut(text string, n int) []string {
	if text == "" {
		return nil
	}
	runes := []rune(text)
	n = min(max(n, 1), len(runes))
	parts := make([]string, n)
	for i := range parts {
		parts[i] = string(runes[i*len(runes)/n : (i+1)*len(runes)/n])
	}
	return parts
}
