// Package openai puts OpenAI's API before a server of Ollama's, as a real Ollama does
// (CLI-204):
//
//	handler := openai.Before(server)
//
// A request for /v1/… becomes one for /api/…, and its answer is written as OpenAI's clients
// want it: so there is one model, one script and one log for both. The conversion is that of
// a real server, the package openai of Ollama. Served are /v1/chat/completions,
// /v1/completions, /v1/responses, /v1/embeddings, /v1/models and /v1/models/{name}; every
// other path goes on as it is.
//
// Ids are counted and not drawn, so that a test can name them. What a real server only gets
// wrong is done better: an error amid a stream is an event with OpenAI's error object, where a
// real server sends an empty chunk.
package openai
