package engine

import (
	"fmt"
	"math"
	"slices"

	"shelly/fsm"
)

// Divergence says that a replayed record decides otherwise with today's code
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

// Recovery is a machine as a start finds it (JRN-5).
type Recovery struct {
	Machine   *fsm.Machine
	Saved     uint64 // the record that the last snapshot stands for; 0: there is none
	Last      uint64 // the last record, or Saved
	Diverging []Divergence
}

// Recover folds a journal as a start does: the last snapshot, then every record behind
// it.
func Recover(j Reader) (Recovery, error) { return fold(j, func(Record) {}) }

// Doubts is what the boot that follows tells the machine (JRN-6).
func (r Recovery) Doubts() []fsm.Doubt { return doubts(r.Diverging) }

// fold recovers the machine, and calls each before it steps a record.
func fold(j Reader, each func(Record)) (Recovery, error) {
	index, snapshot, err := j.Snapshot(math.MaxUint64)
	if err != nil {
		return Recovery{}, fmt.Errorf("load the journal's snapshot: %w", err)
	}
	out := Recovery{Machine: fsm.New(), Saved: index, Last: index}
	if index > 0 {
		out.Machine = fsm.Restore(snapshot)
	}
	err = j.Replay(index, func(r Record) error {
		if r.Index != out.Last+1 {
			return fmt.Errorf("record %d follows record %d", r.Index, out.Last)
		}
		out.Last = r.Index
		each(r)
		handle := out.Machine.Concerns(r.Input)
		if got := fsm.HashEffects(out.Machine.Step(r.Input)); got != r.Effects {
			out.Diverging = append(out.Diverging, Divergence{Index: r.Index, Want: r.Effects, Got: got, Handle: handle})
		}
		return nil
	})
	if err != nil {
		return Recovery{}, fmt.Errorf("replay the journal: %w", err)
	}
	return out, nil
}

// doubts are the handles of diverging records, each with the first of them.
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
