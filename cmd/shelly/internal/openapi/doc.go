// Package openapi describes what the daemon serves over HTTP, as OpenAPI 3.1 has it (COM-97).
//
//	described := &openapi.Served{Version: version}
//	options.Routes = append(options.Routes, described.Route())
//	h, err := comm.NewHTTP(front, options)
//	err = described.Of(h.Routes())
//
// The paths are those of the listener's own table of routes. What each takes and gives stands
// in a table here; a route without a row is an error. Schemas are made of the Go types that
// the answers are encoded from. What the protocols of others (OpenAI's, Ollama's, MCP's) say is
// in their own documents, and is only named.
package openapi
