package format

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim/strict"
)

// Told is one input of a replay: what the machine was told, to the letter (SCN-45).
type Told struct {
	At     Duration `key:"at"`             // when, after clock.start, on the wall clock, which may go back; at once unless given
	Input  Input    `key:"input,required"` // what, as the journal writes it: kind and the keys of that kind, at apart
	Lost   bool     `key:"lost"`           // the record was not durable when the process died after it, so that the next boot begins without it; what it caused was seen all the same
	Unseen bool     `key:"unseen"`         // the process died before it did anything of what the input caused
}

// State is a machine's state in the wire form of the journal's snapshots.
type State struct{ state.Snapshot }

// Input is an input in the wire form of the journal, without its time.
type Input struct{ fsm.Input }

// Hash is the hash of a trace: sixteen hexadecimal digits, as shelly test --format json
// tells it.
type Hash uint64

// hashDigits is the length of a hash as it is written.
const hashDigits = 16

func (v *Hash) Read(d *strict.Decoder, n *strict.Node, path string) {
	text, ok := d.Text(n, path)
	if !ok {
		return
	}
	number, err := strconv.ParseUint(text, 16, 64)
	if len(text) != hashDigits || err != nil || strings.ToLower(text) != text {
		d.Add(n, path, fmt.Sprintf("wants a trace's hash: %d hexadecimal digits in lower case", hashDigits))
		return
	}
	*v = Hash(number)
}

func (v Hash) String() string { return fmt.Sprintf("%016x", uint64(v)) }
