package sim

import (
	"slices"
	"strings"
	"testing"
)

// SCN-49, JRN-11: what each fault of the journal leaves, told by how often the tool and
// the model were called for again: the steps are boot, request, call, tool's answer, reply.
func TestSCN24WhatAFaultOfTheJournalLeaves(t *testing.T) {
	for _, test := range []struct {
		kind       FaultKind
		nth        int
		asked, ran int
	}{
		{JournalFull, 2, 2, 1},  // the request, which is sent again
		{JournalFull, 4, 2, 2},  // the tool's answer: the call stays
		{JournalFsync, 2, 2, 1}, // the request
		{JournalFsync, 3, 3, 1}, // the reply: what is a second old stays
		{JournalTorn, 1, 3, 1},  // the call
		{JournalTorn, 2, 2, 2},  // the tool's answer
	} {
		p := roundTrip()
		p.Config.Switches.Remember = "off"
		p.Stubs[0].Decl.Effects = "none"
		p.Faults = []Fault{{Kind: test.kind, Nth: test.nth, After: 5000}}
		r := play(t, p, Options{})
		if got := replies(r); len(r.Asked) != test.asked || len(r.Ran) != test.ran || !slices.Equal(got, []string{"92 % full"}) {
			t.Errorf("%s %d: the model was asked %d times, the tool ran %d times, replies %q; want %d and %d", test.kind, test.nth, len(r.Asked), len(r.Ran), got, test.asked, test.ran)
		}
		if !slices.Equal(r.Struck, []string{string(test.kind)}) || len(r.Crashes) != 1 {
			t.Errorf("%s %d: struck %v, crashes %v", test.kind, test.nth, r.Struck, r.Crashes)
		}
	}
}

// SIM-11: a journal that always fails comes to no rest, and the run says so.
func TestSIM11AJournalThatAlwaysFailsIsAnError(t *testing.T) {
	p := roundTrip()
	p.Faults = []Fault{{Kind: JournalFull, Chance: 1000}}
	if _, err := Run(p, Options{}); err == nil || !strings.Contains(err.Error(), "no rest after 1000 crashes") {
		t.Errorf("the error is %v", err)
	}
}
