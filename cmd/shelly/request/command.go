// Package request is shelly request: which requests there were, what happened to them, and what
// would have happened.
package request

// Command reads, decides about, replays and exports requests.
type Command struct {
	List    listCmd    `cmd:"" help:"List requests, latest first."`
	Show    showCmd    `cmd:"" help:"Show what happened to a request, step by step."`
	Cancel  cancelCmd  `cmd:"" help:"Cancel an unfinished request."`
	Approve approveCmd `cmd:"" help:"Allow a tool call that waits for approval."`
	Deny    denyCmd    `cmd:"" help:"Refuse a tool call that waits for approval."`
	Resolve resolveCmd `cmd:"" help:"Resume a held request."`
	Export  exportCmd  `cmd:"" help:"Write what happened to a request as a scenario."`
	Replay  replayCmd  `cmd:"" help:"Replay recorded steps, or ask another model the recorded questions."`
	Fork    forkCmd    `cmd:"" help:"Re-run a request from one step with another model, prompt or tool result. Nothing is executed."`
}
