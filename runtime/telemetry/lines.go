package telemetry

import (
	"log/slog"
	"time"

	"shelly/fsm"
)

// Lines writes a log line for each piece of work that is accepted, held or ended
// (OBS-4), with its ids and without its text.
type Lines struct {
	Silent
	Log *slog.Logger
}

// Accepted implements [Teller].
func (l Lines) Accepted(w *Work) {
	what := "accepted"
	if w.Resumed {
		what = "resumed"
	}
	l.Log.Info(what, ids(w)...)
}

// Held implements [Teller].
func (l Lines) Held(w *Work, e fsm.AskPerson, _ fsm.Millis) {
	l.Log.Warn("a request waits for a person", append(ids(w), "question", e.Question, "tool", e.Tool, "key", e.Key)...)
}

// Replied implements [Teller].
func (l Lines) Replied(w *Work, at fsm.Millis) { l.ended("answered", w, at) }

// Finished implements [Teller].
func (l Lines) Finished(w *Work, at fsm.Millis) {
	if !w.Replied {
		l.ended("ended", w, at)
	}
}

func (l Lines) ended(what string, w *Work, at fsm.Millis) {
	said := append(ids(w), "outcome", w.Outcome, "took", time.Duration(at-w.Since)*time.Millisecond)
	if w.Calls > 0 {
		said = append(said, "model_calls", w.Calls, "tokens_sent", w.Tokens.Prompt, "tokens_written", w.Tokens.Answer)
	}
	l.Log.Info(what, said...)
}

// ids returns the attributes that identify work.
func ids(w *Work) []any {
	said := []any{"handle", w.ID}
	if w.Request.ID != "" {
		said = append(said, "request", w.Request.ID, "channel", w.Request.Channel)
	}
	if w.Session != "" {
		said = append(said, "session", w.Session)
	}
	return append(said, "kind", w.Kind)
}
