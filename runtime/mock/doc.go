// Package mock is a server that speaks Ollama's HTTP API, and OpenAI's as Ollama does, and
// plays a scripted model, for tests and for "shelly mock".
//
//	server := mock.New(mock.Options{Model: "demo", EmbedDims: 64, Brain: brain})
//	http.ListenAndServe("127.0.0.1:11434", server)
//
// A [Brain] decides what the model says; the server gives it the shape that a
// real server has: paths, status codes, streamed lines, tool calls in lines of
// their own, the texts of errors. It also misbehaves on request: see [Answer].
//
// Served are /, /api/version, /api/tags, /api/show, /api/ps, /api/pull, /api/chat,
// /api/generate, /api/embed and /api/embeddings; to create, copy or delete a model is
// refused in words. Package openai, below, makes /v1 of them. What it answers is held to what a real server did (package
// transcript). Embeddings are made of the words of a text and are the same on every
// machine.
package mock
