// Package ollama asks a model through Ollama's native HTTP API.
//
//	c, err := ollama.New(ollama.Options{BaseURL: os.Getenv("OLLAMA_HOST")})
//	chat, embed, err := c.Choose(ctx)        // what is installed
//	c = c.With(chat, embed)
//	answer, err := c.Chat(ctx, ask, tools, func(ch ollama.Chunk) { … })
//
// A [Client] turns one [fsm.AskBrain] into one whole [fsm.BrainAnswered]; what
// streams in meanwhile goes to the caller's function and nowhere else. Every
// failure is an [*Error] whose class the machine knows (INF-6) and whose reason
// tells a person what to do.
//
// # Why chat has a reader of its own
//
// The other calls go through the client of github.com/ollama/ollama/api. Its
// Chat is not used, because it
//
//   - returns no error for a stream that ends without its last line, so that half
//     an answer would pass for a whole one,
//   - fails on a blank line, and fails the whole answer when a tool's arguments
//     come as a string,
//   - reads arguments into float64, which changes large integers, and re-encodes
//     them,
//   - sends a tool's schema without minimum, default, pattern, oneOf and
//     additionalProperties,
//   - sets 8 MB aside for each call.
//
// # What is always sent
//
// num_ctx and num_predict, the same each time (BRN-2): the server's own default window
// depends on its memory, and a change reloads the model. truncate: false and
// shift: false, so that the server refuses a conversation that is too long
// instead of silently dropping the user's question. Where an older server
// truncates anyway, the count of prompt tokens gives it away.
//
// # What a model can do
//
// Before a chat the server is asked what it has loaded. A model that is not there, or not
// with the window of its chats, is loaded first (BRN-18), and the window that came of it is
// the one that counts (BRN-17). What the model can do is asked once (BRN-13): one without
// tools reads about them in its prompt (BRN-16), one that cannot think is not asked to.
//
// # Time
//
// Five deadlines bound one chat; see [Timeouts]. A call is given up at once when
// the caller's context ends. To give up is to hang up: the API has no other way. A
// server up to at least 0.34 may then, rarely, keep the model busy forever
// (github.com/ollama/ollama/issues/17131); the calls after it end as
// [fsm.BrainLoading], and only a restart of the server helps.
package ollama
