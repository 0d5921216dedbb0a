// Package wire adds tasks to the protocol's library, which does not have them: those of protocol
// version 2025-11-25, and those of 2026-07-28, which are the extension
// io.modelcontextprotocol/tasks.
//
//	c := wire.NewClient(client)                  // before client.Connect
//	transport.Writer = wire.Writer(transport.Writer, answered) // or a wire.Sender for requests to a server
//	…
//	out, err := c.Call(ctx, session, params, …)  // a result, a task, or questions
//	task, err := c.Get(ctx, session, out.Task.ID)
//
// The library can send methods that it does not know, but cannot add a field to a standard one,
// and hides unknown fields of an answer. So a call is sent as a private method, with its own
// parameter and answer types, and [Writer] or [Sender] gives it its standard name on the way out.
// A server does the same in reverse: see [Incoming].
//
// The library also ends a session for what should cost one call, such as a stream of events that
// holds something else. [Sender] keeps that from it.
package wire
