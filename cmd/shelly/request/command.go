// Package request is shelly request: what was asked, what came of it, and what would have.
package request

// Command is what can be asked of requests that were made.
type Command struct {
	List    listCmd    `cmd:"" help:"List requests, the latest first."`
	Show    showCmd    `cmd:"" help:"Show what happened to a request, step by step."`
	Cancel  cancelCmd  `cmd:"" help:"Cancel a request that is not done."`
	Approve approveCmd `cmd:"" help:"Let a tool call run that waits for a person."`
	Deny    denyCmd    `cmd:"" help:"Refuse a tool call that waits for a person."`
	Resolve resolveCmd `cmd:"" help:"Let a request go on that is held."`
	Export  exportCmd  `cmd:"" help:"Write what happened to a request as a scenario."`
	Replay  replayCmd  `cmd:"" help:"Decide recorded steps again, or ask another model the questions."`
	Fork    forkCmd    `cmd:"" help:"Go on from a step with another model, prompt or tool result, and do nothing."`
}
