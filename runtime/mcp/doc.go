// Package mcp offers the tools of servers that speak the Model Context Protocol
// (TOL-90 to TOL-97), through the protocol's own library.
//
//	servers := mcp.New(mcp.Options{Sandbox: keeper, Workspace: dir, Changed: reload, …})
//	servers.Use(list)              // returns at once
//	servers.Wait(ctx)              // for those that are quick
//	added := servers.Tools(names)  // what is there now
//	defer servers.Close()
//
// A server is a program, which runs in the sandbox and speaks over its standard input
// and output, or an address, which is reached through package egress. It is kept up:
// one that ends is started again, after waits that grow. Its tools stay offered while it
// is down.
//
// No server is trusted to behave. What it may cost is one call: each has a time-out, a
// line and an answer have a greatest length, a list a greatest number of pages and
// tools, and lines that are no messages are dropped. A server that floods, or answers
// two calls in a row with nothing, is ended and started again.
package mcp
