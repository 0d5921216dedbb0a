// Package rpc is a JSON-RPC 2.0 connection over lines, as clients that start an agent as a
// program speak it: each message is a line, and both ends ask.
//
//	c := rpc.New(handler, os.Stdout, rpc.Options{})
//	err := c.Serve(ctx, os.Stdin) // until the input ends
//
// Messages begin in the order of their lines: a handler sees a notification after all that was
// sent before it. What takes time goes on beside the lines that follow (FRT-45).
package rpc
