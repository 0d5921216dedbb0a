// Package client is the command line's way to a running daemon, and the two files
// by which they find each other.
//
// The daemon writes both into its data folder, readable only by its owner: "token"
// once, and "endpoint.json" at each start. A client reads them for each call,
// so that it finds a daemon that was restarted on another port.
//
//	c := client.New(dir, client.Options{})
//	reply, err := c.Ask(ctx, client.AskRequest{Text: "what is in this folder?"}, show)
//
// A request has an id before it is sent. If a connection breaks, nobody has to
// know how far it got: the client sends the same id or attaches to it again, and shelly
// does it once.
package client
