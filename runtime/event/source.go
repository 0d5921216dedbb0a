package event

import (
	"context"
	"errors"
	"strings"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

// Source observes something on the machine on which shelly runs.
type Source interface {
	// Watch reports to a sink until ctx ends. An error says why it cannot continue; it is
	// then called again, unless the error is [ErrNotHere].
	Watch(ctx context.Context, to Sink) error
}

// ErrNotHere means that this machine does not have what a source observes.
var ErrNotHere = errors.New("not on this machine")

// Sink takes a source's reports. It is safe for concurrent use and never waits.
type Sink interface {
	// Level reports a subject's number, in the unit of [Spec.Level], and what it means in words,
	// if it counts as crossed and if it does not.
	Level(subject string, value int64, crossed, clear string)
	// State reports a subject's state, and what it means in words.
	State(subject, state, text string)
	// File reports what happened to a file, by its absolute path.
	File(path string, what settle.What)
	// Touched reports that something about a file has changed that is no event, such as its
	// permissions, and when, in milliseconds since 1970: what was told counts up to then.
	Touched(at int64)
	// Lost reports that the system has dropped changes of files.
	Lost()
	// Seen reports what the source sees, in a few words: "12 folders".
	Seen(text string)
	// Told returns up to when changes of files were told, in milliseconds since 1970; 0: none
	// were. If the clock has been set back to before that, it also calls Lost (EVT-8).
	Told() int64
}

// Exemplar is a source that knows what it would report if the machine was in another state.
type Exemplar interface {
	// Example reports one such state to a sink; a source of numbers that of the given number, in
	// the unit of [Spec.Level].
	Example(number int64, to Sink) error
}

// Spec is a source as it is configured.
type Spec struct {
	Name   string // the source of its events, and of their session
	Kind   string // files, disk, memory, load, pressure, processes or units, as in the configuration
	Of     string // what it observes, with its thresholds: "/ below 5%, clear at 8%"; another Source has another one
	Source Source

	Do string     // what the operator wants done about an event; may be empty
	To fsm.Origin // the chat that the answer goes to; none: to none

	Rate settle.Rate
	Hold fsm.Millis // of a level or a state

	Level          settle.Level // if the source reports numbers
	Crossed, Clear string       // the events of a level: "low", "enough"

	Folder          string     // of files: the watched folder
	Except          string     // of files: the end of Of that says what is left out
	Settle, Longest fsm.Millis // of files
}

// Except is the beginning of [Spec.Except], if that is not empty.
const Except = ", but "

// continues reports whether a source of which of was observed is this one. What is left out of it may
// have changed: then what came since is found by the rules of now.
func (s *Spec) continues(of string) bool {
	whole := strings.TrimSuffix(s.Of, s.Except)
	return of == s.Of || s.Folder != "" && (of == whole || strings.HasPrefix(of, whole+Except))
}

// same reports whether two specs have the same configuration.
func (s *Spec) same(o *Spec) bool {
	a, b := *s, *o
	a.Source, b.Source = nil, nil
	return a == b
}
