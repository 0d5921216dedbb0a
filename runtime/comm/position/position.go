// Package position says how far a client has followed a request, in a text that it gives back
// to hear the rest (COM-90).
package position

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
)

// Position is what a client has heard. The zero value is nothing.
//
// Within one process the place in its list of events counts. A process that is killed loses
// the list: then what is durable counts, a record of the journal and a place in what it tells.
type Position struct {
	Epoch    int        // boots up to the process that told it
	Place    int        // of the last event in that process's list
	Record   uint64     // of the journal, of the last event that a record tells
	Nth      int        // of the events that the record tells, from 1
	Call     fsm.CallID // the model call that was streaming; 0: none has
	Text     int        // bytes of its text that were heard
	Thinking int        // bytes of its thoughts, likewise
}

// parts is how many numbers a position has.
const parts = 7

// String is the text of a position: its numbers with dots between them.
func (p Position) String() string {
	return fmt.Sprintf("%d.%d.%d.%d.%d.%d.%d", p.Epoch, p.Place, p.Record, p.Nth, p.Call, p.Text, p.Thinking)
}

// Parse reads the text of a position.
func Parse(text string) (Position, error) {
	words := strings.Split(text, ".")
	if len(words) != parts {
		return Position{}, fmt.Errorf("%q is not a position", text)
	}
	var n [parts]uint64
	for i, word := range words {
		var err error
		if n[i], err = strconv.ParseUint(word, 10, 62); err != nil || word != strconv.FormatUint(n[i], 10) {
			return Position{}, fmt.Errorf("%q is not a position", text)
		}
	}
	return Position{
		Epoch: int(n[0]), Place: int(n[1]), Record: n[2], Nth: int(n[3]), Call: fsm.CallID(n[4]), Text: int(n[5]), Thinking: int(n[6]),
	}, nil
}

// Before reports whether an event that a record tells comes after what was heard.
func (p Position) Before(record uint64, nth int) bool {
	return record > p.Record || record == p.Record && nth > p.Nth
}
