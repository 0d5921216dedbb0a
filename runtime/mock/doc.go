// Package mock is a server with Ollama's HTTP API, and with OpenAI's as Ollama serves it, that plays
// a scripted model, for tests and for "shelly mock".
//
//	server := mock.New(mock.Options{Model: "demo", EmbedDims: 64, Brain: brain})
//	http.ListenAndServe("127.0.0.1:11434", server)
//
// A [Brain] decides what the model says; the server gives it the form that a real server uses: paths,
// status codes, streamed lines, tool calls in lines of their own, the texts of errors. It also
// misbehaves on request: see [Answer].
//
// It serves /, /api/version, /api/tags, /api/show, /api/ps, /api/pull, /api/chat, /api/generate,
// /api/embed and /api/embeddings; creating, copying or deleting a model is refused with an error
// that says why. Package openai, below, derives /v1 from these. Tests check the answers against
// those of a real server (package transcript). Embeddings are made from the words of a text and are
// the same on every machine.
package mock
