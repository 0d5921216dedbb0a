// Package openai puts OpenAI's API in front of a server with Ollama's, as a real Ollama does
// (CLI-204):
//
//	handler := openai.Before(server)
//
// A request for /v1/… becomes one for /api/…, and its answer is converted to what OpenAI's clients
// expect: so both have the same model, script and log. The conversion is that of a real server, the
// package openai of Ollama. It serves /v1/chat/completions, /v1/completions, /v1/responses,
// /v1/embeddings, /v1/models and /v1/models/{name}; every other path is passed on unchanged.
//
// Ids are counted rather than random, so that a test can name them. One thing that a real server
// gets wrong is done better: an error in the middle of a stream is an event with OpenAI's error
// object, where a real server sends an empty chunk.
package openai
