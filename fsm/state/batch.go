package state

import (
	"slices"

	"shelly/fsm"
)

// Read is one call of a batch: the calls of one answer, without effects, that run at the
// same time (INF-44). The n-th Read is for the n-th call from [Inference.Next] on.
type Read struct {
	Call    fsm.CallID `json:"call,omitempty"`    // in flight; 0: not in flight
	Use     int        `json:"use,omitempty"`     // the number of the use, which is part of its key; 0: it gets the result of an equal call and never runs (INF-42)
	Attempt int        `json:"attempt,omitempty"` // its starts
	Began   fsm.Millis `json:"began,omitempty"`   // its first start
	Took    fsm.Millis `json:"took,omitempty"`    // from its first start to its last answer
	Done    bool       `json:"done,omitempty"`    // its last attempt has been answered
	Text    string     `json:"text,omitempty"`    // Done: what the tool answered
	Kept    fsm.Kept   `json:"kept,omitzero"`     // Done: Text is its beginning, until it is worded
	Shows   fsm.Part   `json:"shows,omitzero"`    // Done: the part of a kept result that it shows
	Failed  bool       `json:"failed,omitempty"`  // Done: the tool failed
	Nothing bool       `json:"nothing,omitempty"` // Failed: nothing happened
	Again   bool       `json:"again,omitempty"`   // Failed: it is started again once all have been answered

	Contained string `json:"contained,omitempty"` // Done: what contained its processes
}

// Shares reports whether the call gets the result of an equal one.
func (r *Read) Shares() bool { return r.Use == 0 }

// hash adds a call, without its name, times and texts.
func (r *Read) hash(x *fsm.Hasher) {
	x.Bool(r.Call != 0)
	x.Int(r.Use)
	x.Int(r.Attempt)
	x.Bool(r.Done)
	x.Bool(r.Text != "")
	x.Bool(r.Failed)
	x.Bool(r.Nothing)
	x.Bool(r.Again)
	if r.Kept.Ref != "" {
		x.Int(r.Kept.Bytes)
		x.Int(r.Kept.Tokens)
	}
	if r.Shows.Result != 0 {
		x.Int(r.Shows.Result)
		x.Int(r.Shows.From)
		x.Int(r.Shows.To)
	}
}

// Reads returns how many calls of the batch are in flight.
func (inf *Inference) Reads() int {
	n := 0
	for i := range inf.Batch {
		if inf.Batch[i].Call != 0 {
			n++
		}
	}
	return n
}

// Reading returns the index in the batch of a call in flight, or -1.
func (inf *Inference) Reading(call fsm.CallID) int {
	return slices.IndexFunc(inf.Batch, func(r Read) bool { return call != 0 && r.Call == call })
}

// ForgetRead removes a call of the batch from those in flight.
func (inf *Inference) ForgetRead(call fsm.CallID) {
	if k := inf.Reading(call); k >= 0 {
		inf.Batch[k].Call = 0
	}
}

// ForgetReads removes all of them.
func (inf *Inference) ForgetReads() {
	for k := range inf.Batch {
		inf.Batch[k].Call = 0
	}
}

// Attempts returns the starts of the call that runs; of several, the most.
func (inf *Inference) Attempts() int {
	n := inf.Attempt
	for k := range inf.Batch {
		n = max(n, inf.Batch[k].Attempt)
	}
	return n
}
