// Package ollama lets clients of Ollama's API talk to the agent. Like every front it is a view of
// the same durable requests (FRT-1).
//
//	GET  /, HEAD /          that there is a server
//	GET  /api/version, /api/tags, /api/ps
//	POST /api/show          the agent as a model
//	POST /api/chat          messages in, one answer, in lines or whole
//	POST /api/generate      a prompt in, the same answer
//	POST /api/pull, /api/push, /api/create, /api/copy, DELETE /api/delete, POST /api/embed, /api/embeddings: refused with an explanation
//
// A client sends the token in the header Authorization; one that cannot puts it into the
// address, such as OLLAMA_HOST=http://127.0.0.1:7433/ollama/TOKEN (FRT-15).
package ollama
