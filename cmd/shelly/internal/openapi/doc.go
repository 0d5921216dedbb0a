// Package openapi describes what the daemon serves over HTTP, in the format of OpenAPI 3.1
// (COM-97).
//
//	described := &openapi.Served{Version: version}
//	options.Routes = append(options.Routes, described.Route())
//	h, err := comm.NewHTTP(front, options)
//	err = described.Of(h.Routes())
//
// The paths are those of the listener's own table of routes. What each takes and returns is in a
// table here; a route without a row is an error. Schemas are made from the Go types that the
// answers are encoded from. Other protocols (OpenAI's, Ollama's, MCP) have their own documents,
// to which this one refers.
package openapi
