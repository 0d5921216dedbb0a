// Package mcpserver offers the agent to clients of the Model Context Protocol (FRT-30 to
// FRT-35): to ask it, to look at what was asked, to decide what a person is asked, and to
// cancel.
//
//	front := mcpserver.New(daemon, mcpserver.Options{…})
//	options.Routes = append(options.Routes, front.Routes()...) // POST /mcp
//
// It speaks streamable HTTP without sessions, so that there is nothing that a restart could
// lose: a task's id is that of its request, and what is said of it is read from the request's
// record and from where its handle stands. shelly mcp carries the same over standard input and
// output.
package mcpserver
