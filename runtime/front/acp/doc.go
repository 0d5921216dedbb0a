// Package acp translates the Agent Client Protocol, version 1, with which editors talk to agents
// (FRT-45 to FRT-56): a prompt into a request, a request's events into updates, a question to a
// person into options, and a session's archive into the updates that repeat it.
//
//	request, err := acp.Prompt(params, place)
//	turn := acp.NewTurn(id, place)
//	for e := range events {
//		said := turn.Heard(e)
//		… // send said.Updates; ask said.Ask
//	}
//
// All of it is a view of events: nothing is decided or kept here. Package rpc is the
// connection; shelly acp (cmd/shelly/acp) connects both with the daemon.
//
// The protocol: https://agentclientprotocol.com/protocol/v1/overview
package acp
