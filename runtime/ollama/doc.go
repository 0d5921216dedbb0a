// Package ollama asks a model through Ollama's native HTTP API.
//
//	c, err := ollama.New(ollama.Options{BaseURL: os.Getenv("OLLAMA_HOST")})
//	chat, embed, err := c.Choose(ctx)        // what is installed
//	c = c.With(chat, embed)
//	answer, err := c.Chat(ctx, ask, tools, func(ch ollama.Chunk) { … })
//
// A [Client] turns one [fsm.AskBrain] into one whole [fsm.BrainAnswered]; what streams in until then
// goes only to the caller's function. Every failure is an [*Error] whose class the machine knows
// (INF-6) and whose reason tells a person what to do.
//
// # Why chat has its own reader
//
// The other calls use the client of github.com/ollama/ollama/api. Its Chat is not used, because it
//
//   - returns no error for a stream that ends without its last line, so that half an answer would
//     pass for a whole one,
//   - fails on a blank line, and fails the whole answer if a tool's arguments are a string,
//   - decodes arguments into float64, which changes large integers, and re-encodes them,
//   - sends a tool's schema without minimum, default, pattern, oneOf and additionalProperties,
//   - allocates 8 MB for each call.
//
// # What is always sent
//
// num_ctx and num_predict, the same every time (BRN-2), because the server's default window depends
// on its memory, and a change reloads the model. truncate: false and shift: false, so that the
// server rejects a conversation that is too long instead of silently dropping the user's question.
// If an older server truncates anyway, its count of prompt tokens reveals it.
//
// # What a model can do
//
// Before a chat the server is asked what it has loaded. A model that is not loaded, or not with the
// window of its chats, is loaded first (BRN-18), and the window that it then has is the one that
// counts (BRN-17). What the model can do is asked once (BRN-13): a model without tools reads about
// them in its prompt (BRN-16), and one that cannot think is not asked to. How strict its template is
// no server says: one that refuses a conversation gets it in turns (BRN-46).
//
// # Time
//
// Five deadlines bound one chat; see [Timeouts]. A call is given up at once when the caller's
// context ends, by closing the connection: the API has no other way. Servers up to at least 0.34 may
// then, rarely, keep the model busy forever (github.com/ollama/ollama/issues/17131); later calls
// then end as [fsm.BrainLoading], and only a restart of the server helps. A load alone goes on without
// its caller (BRN-48), until [Client.Close].
package ollama
