// Package ollama lets clients of Ollama's API talk with the agent: a view of the same durable
// requests as every other (FRT-1).
//
//	GET  /, HEAD /          that there is a server
//	GET  /api/version, /api/tags, /api/ps
//	POST /api/show          the agent as a model
//	POST /api/chat          messages in, one answer, in lines or whole
//	POST /api/generate      a prompt in, likewise
//	POST /api/pull, /api/push, /api/create, /api/copy, DELETE /api/delete, POST /api/embed, /api/embeddings: refused in words
//
// A client sends the token in the header Authorization; one that cannot has it in its address,
// as OLLAMA_HOST=http://127.0.0.1:7433/ollama/TOKEN (FRT-15).
package ollama
