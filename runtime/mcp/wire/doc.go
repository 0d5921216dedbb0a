// Package wire adds tasks to the protocol's library, which does not know them: those of
// 2025-11-25, and those of 2026-07-28, which are the extension io.modelcontextprotocol/tasks.
//
//	c := wire.NewClient(client)                  // before client.Connect
//	transport.Writer = wire.Writer(transport.Writer) // or wire.HTTP(req), of a request to a server
//	…
//	out, err := c.Call(ctx, session, params, …)  // a result, a task, or questions
//	task, err := c.Get(ctx, session, out.Task.ID)
//
// The library sends methods that it does not know, but neither adds a field to a standard one
// nor shows a field of an answer that it does not know. So a call is sent as a method of our
// own, with parameters and answer of our own, and gets its standard name on its way out, from
// [Writer] or [HTTP]. A server's side is the same the other way round: see [Incoming].
package wire
