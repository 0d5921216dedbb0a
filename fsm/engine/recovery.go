package engine

import (
	"fmt"
	"math"
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
)

// Divergence says that a replayed record decides differently with today's code
// (JRN-6).
type Divergence struct {
	Index uint64
	Want  uint64 // the hash in the journal
	Got   uint64

	Handle fsm.HandleID // the handle that the record is about; 0: none
}

func (d Divergence) String() string {
	return fmt.Sprintf("record %d: its step caused effects %x, and with today's code %x", d.Index, d.Want, d.Got)
}

// Recovery is the machine that a start recovers (JRN-5).
type Recovery struct {
	Machine   *machine.Machine
	Saved     uint64 // the record that the last snapshot follows; 0: there is no snapshot
	Last      uint64 // the last record, or Saved
	Diverging []Divergence
}

// Recover folds a journal as a start does: the last snapshot, then every record after
// it.
func Recover(j Reader) (Recovery, error) {
	r, _, err := recovered(j)
	return r, err
}

// recovered is Recover with the time of the first record after the snapshot.
func recovered(j Reader) (r Recovery, oldest fsm.Millis, err error) {
	m, at, err := machineAt(j, math.MaxUint64)
	if err != nil {
		return Recovery{}, 0, err
	}
	r = Recovery{Machine: m, Saved: at, Last: at}
	for f, err := range foldOn(j, m, at) {
		if err != nil {
			return Recovery{}, 0, err
		}
		if r.Last == at {
			oldest = f.Input.At
		}
		r.Last = f.Index
		if got := fsm.HashEffects(f.Caused); got != f.Effects {
			r.Diverging = append(r.Diverging, Divergence{Index: f.Index, Want: f.Effects, Got: got, Handle: f.Concerns})
		}
	}
	return r, oldest, nil
}

// Doubts returns what the following boot tells the machine (JRN-6).
func (r Recovery) Doubts() []fsm.Doubt { return doubts(r.Diverging) }

// doubts returns the handles of diverging records, each with its first one.
func doubts(diverging []Divergence) []fsm.Doubt {
	var list []fsm.Doubt
	for _, d := range diverging {
		known := d.Handle == 0 || slices.ContainsFunc(list, func(o fsm.Doubt) bool { return o.Handle == d.Handle })
		if !known {
			list = append(list, fsm.Doubt{Handle: d.Handle, Text: d.String()})
		}
	}
	return list
}
