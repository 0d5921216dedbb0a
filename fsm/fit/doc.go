// Package fit makes conversations fit the model's window (CTX-10): it shortens one that is
// answered, or that is asked about, and says how much of one leaves or is shown at a time
// (CTX-13). All is counted in tokens, as [fsm.Config.EstimateOf] estimates them; nothing that
// it is given is changed in place.
package fit
