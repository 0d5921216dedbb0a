// Package rpc is a JSON-RPC 2.0 connection over lines, for clients that start an agent as a
// program: each message is a line, and both ends may ask.
//
//	c := rpc.New(handler, os.Stdout, rpc.Options{})
//	err := c.Serve(ctx, os.Stdin) // until the input ends
//
// Messages are handled in the order of their lines: a handler sees a notification after
// everything that was sent before it. Work that takes time continues while further lines are
// read (FRT-45).
package rpc
