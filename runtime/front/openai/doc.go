// Package openai lets clients of OpenAI's API talk with the agent: a view of the same durable
// requests as every other (FRT-1).
//
//	POST   /v1/chat/completions        messages in, one answer, streamed or not
//	POST   /v1/responses               {input, …}: with background it returns at once
//	GET    /v1/responses/{id}          from the record; ?stream=true&starting_after=N: the rest
//	POST   /v1/responses/{id}/cancel
//	DELETE /v1/responses/{id}          refused: a record goes when retention says so
//	GET    /v1/models, /v1/models/{id}
//
// The model is the agent, "shelly". Ids hold the id of the request, so that a client gets its
// answer from the record alone after a kill; the header Idempotency-Key is that id. What is
// asked of the agent that it does not do is refused in words (FRT-3).
package openai
