// Package position encodes how far a client has followed a request as a text, which the client
// sends back to get the rest (COM-90).
package position

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Position is how far a client has followed a request. The zero value is nothing.
//
// Within one process the place in its list of events counts. A process that is killed loses
// the list; then what is durable counts: a record of the journal, and which of its events.
type Position struct {
	Epoch    int        // boots up to the process that sent the events
	Place    int        // of the last event in that process's list
	Record   uint64     // the journal record of the last event that comes from a record
	Nth      int        // which of that record's events it was, from 1
	Call     fsm.CallID // the model call that was streaming; 0: none was
	Text     int        // bytes of its text that were received
	Thinking int        // bytes of its thoughts that were received
}

// parts is how many numbers a position has.
const parts = 7

// String returns a position's numbers, separated by dots.
func (p Position) String() string {
	return fmt.Sprintf("%d.%d.%d.%d.%d.%d.%d", p.Epoch, p.Place, p.Record, p.Nth, p.Call, p.Text, p.Thinking)
}

// Parse reads a position from its text.
func Parse(text string) (Position, error) {
	words := strings.Split(text, ".")
	if len(words) != parts {
		return Position{}, fmt.Errorf("%s is not a position", wording.Quote(text))
	}
	var n [parts]uint64
	for i, word := range words {
		var err error
		if n[i], err = strconv.ParseUint(word, 10, strconv.IntSize-2); err != nil || word != strconv.FormatUint(n[i], 10) {
			return Position{}, fmt.Errorf("%s is not a position", wording.Quote(text))
		}
	}
	return Position{
		Epoch: int(n[0]), Place: int(n[1]), Record: n[2], Nth: int(n[3]), Call: fsm.CallID(n[4]), Text: int(n[5]), Thinking: int(n[6]),
	}, nil
}

// Before reports whether p lies before the nth event of a record, so that the event is new.
func (p Position) Before(record uint64, nth int) bool {
	return record > p.Record || record == p.Record && nth > p.Nth
}
