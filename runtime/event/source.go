package event

import (
	"context"
	"errors"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

// Source sees something of the machine that shelly runs on.
type Source interface {
	// Watch reports to a sink until ctx ends. An error says why it cannot see any more; it is
	// then tried again, unless it is an [ErrNotHere].
	Watch(ctx context.Context, to Sink) error
}

// ErrNotHere says that this machine does not have what a source looks at.
var ErrNotHere = errors.New("not on this machine")

// Sink takes what a source sees. It is safe for concurrent use and never waits.
type Sink interface {
	// Level reports a number of a subject, in the unit of [Spec.Level], and in words what it
	// means if it counts as crossed and if it does not.
	Level(subject string, value int64, crossed, clear string)
	// State reports the state of a subject, and in words what that means.
	State(subject, state, text string)
	// File reports what has become of a file, by its absolute path.
	File(path string, what settle.What)
	// Lost reports that the system has dropped changes of files.
	Lost()
	// Seen says how the source is, in a few words: "12 folders".
	Seen(text string)
	// Told is up to when changes of files were told, in milliseconds since 1970; 0: none were.
	Told() int64
}

// Spec is a source as it is configured.
type Spec struct {
	Name   string // the source of its events, and of their session
	Kind   string // files, disk, memory, load, pressure, process or unit
	Of     string // what it looks at, with its thresholds: "/ below 5%, clear at 8%"
	Source Source

	Do string     // what the operator wants done about an event; may be empty
	To fsm.Origin // the chat that the answer goes to; none: to none

	Rate settle.Rate
	Hold fsm.Millis // of a level or a state

	Level          settle.Level // where the source reports numbers
	Crossed, Clear string       // the events of a level: "low", "enough"

	Folder          string     // of files: what is watched
	Settle, Longest fsm.Millis // of files
}

// same reports whether two specs are of one configuration.
func (s *Spec) same(o *Spec) bool {
	a, b := *s, *o
	a.Source, b.Source = nil, nil
	return a == b
}
