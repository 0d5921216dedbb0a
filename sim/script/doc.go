// Package script is what a plan's model says: scripts of lines, one script for each purpose
// and session, and which call gets which line.
//
//	line, err := script.NewPlayer(scripts).Answer(ask)
//
// A [Line] answers one call, whole or in [Piece]s. A [Hand] gives the lines to calls in
// their order, as the simulator does; a [Player] serves them to clients about which it knows
// only what they send, as the mock server and the demo brain do. [Quiet] answers calls for
// which a script needs no line.
package script
