// Package server is the machine that a local model runs on, in virtual time: how
// long it loads, what of a prompt its slots still hold, how fast it reads and
// writes, and what it refuses (SIM-20 to SIM-23).
//
//	s := server.New(server.Config{Reads: 25, Writes: 8, Slots: 1, Window: 8192, Loads: 8000})
//	for _, served := range s.Ask(now, server.Call{ID: 7, Model: "m", Prompt: prompt, Answer: answer}) {
//		// the call 7 writes its first token at served.First and its last at served.Last
//	}
//	next := s.End(served.Last, 7) // those that waited for the slot begin
//
// It knows no clock: its driver says what time it is, so that the simulator and the mock
// server can share it. It serves calls in the order in which they were asked, and draws no
// random numbers.
//
// It is a leaf: it may be imported from below sim and from runtime.
package server
