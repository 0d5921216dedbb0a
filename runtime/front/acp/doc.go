// Package acp speaks the Agent Client Protocol, version 1, by which editors talk with agents
// (FRT-45 to FRT-56): what a prompt says as a request, what happens to a request as updates,
// what a person is asked as options, and what was said in a session as it is sent again.
//
//	request, err := acp.Prompt(params, place)
//	turn := acp.NewTurn(id, place)
//	for e := range events {
//		said := turn.Heard(e)
//		… // send said.Updates; ask said.Ask
//	}
//
// All of it is a view of events: nothing is decided or kept here. Package rpc is the
// connection; shelly acp (cmd/shelly/acp) brings the two together with the daemon.
//
// The protocol: https://agentclientprotocol.com/protocol/v1/overview
package acp
