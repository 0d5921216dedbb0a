// Package mcp offers the tools of servers that speak the Model Context Protocol
// (TOL-90 to TOL-97), through the protocol's own library.
//
//	servers := mcp.New(mcp.Options{Sandbox: keeper, Workspace: dir, Changed: reload, …})
//	servers.Use(list)              // returns at once
//	servers.Wait(ctx)              // for the quick ones
//	added := servers.Tools(names)  // the tools that are there now
//	defer servers.Close()
//
// A server is a program, which runs in the sandbox and speaks over its standard input
// and output, or an address, which is reached through package egress. It is kept up:
// a server that ends is restarted, after growing waits. Its tools stay offered while it
// is down.
//
// No server is trusted to behave. A bad one may cost a call, but no more: each call has a
// time-out, lines, answers and lists are bounded, and lines that are not messages are
// dropped. A server that floods, or leaves two calls in a row unanswered, is ended and
// restarted.
package mcp
