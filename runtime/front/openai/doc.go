// Package openai lets clients of OpenAI's API talk to the agent. Like every front it is a view of
// the same durable requests (FRT-1).
//
//	POST   /v1/chat/completions        messages in, one answer, streamed or not
//	POST   /v1/responses               {input, …}; with background: true it returns at once
//	GET    /v1/responses/{id}          from the record; ?stream=true&starting_after=N: the rest
//	POST   /v1/responses/{id}/cancel
//	DELETE /v1/responses/{id}          refused: retention decides how long a record is kept
//	GET    /v1/models, /v1/models/{id}
//	POST   /v1/completions, /v1/embeddings and other routes of that API: refused with an explanation
//
// The model is the agent, "shelly". Ids hold the id of the request, so that a client gets its
// answer from the record alone after a kill; the header Idempotency-Key sets that id. Features
// that the agent does not have are refused with an explanation (FRT-3).
package openai
