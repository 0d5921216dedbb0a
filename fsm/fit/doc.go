// Package fit makes conversations fit the model's window (CTX-10): it shortens one that is
// to be answered, or that is asked about, and says how much of one leaves or is shown at a
// time (CTX-13). Everything is counted in tokens, as [fsm.Config.EstimateOf] estimates
// them; no argument is changed in place.
package fit
