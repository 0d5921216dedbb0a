// Package mcpserver offers the agent to clients of the Model Context Protocol (FRT-30 to
// FRT-35): they can ask it, look at requests, answer questions to a person, and cancel.
//
//	front := mcpserver.New(daemon, mcpserver.Options{…})
//	options.Routes = append(options.Routes, front.Routes()...) // POST /mcp
//
// It speaks streamable HTTP without sessions, so that a restart can lose nothing: a task's id is
// its request's, and its status is read from the request's record and its handle's standing.
// shelly mcp carries the same over standard input and output.
package mcpserver
