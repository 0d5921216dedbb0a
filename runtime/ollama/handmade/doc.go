// Package handmade makes tiny models that a real Ollama loads and runs, so that tests can use the
// real server and still know every answer. It is for tests.
//
//	script := handmade.Script{Default: "Hello.", Steps: map[string]handmade.Step{
//		"list:0": {Calls: []handmade.Call{{Name: "list_dir", Args: `{"path":"."}`}}},
//		"list:1": {Content: "The folder is listed."},
//	}}
//	err := handmade.Upload(ctx, "http://127.0.0.1:11434", "my-test", script)
//	defer handmade.Delete(ctx, "http://127.0.0.1:11434", "my-test")
//
// # How a step is chosen
//
// The first word in square brackets in the last user message names the step, and the number after
// the colon is how many tool results have come since: "please [list] this folder" begins list:0, and
// the result of its call list:1. If the script has no such step, the answer is Default.
//
// # How the model works
//
// The chat model has the llama architecture with one layer whose weights are all zero, so that the
// layer's output is just the embedding of the last token. Embeddings are one-hot, and the output
// matrix maps each to the one token that follows: the model is a table of successors. A step's text
// is cut into pieces, each a token of its own, chained one after another. The prompt's template ends
// with a token that begins the chain of the chosen step. Everything else is read byte by byte: each
// byte of the prompt is a token, so a conversation needs a window of many thousand tokens, which
// costs next to nothing.
//
// The embedding model has the bert architecture, and its layer is zero as well: the vector of a text
// is the mean of fixed random vectors of its letter pairs, so that texts with words in common are
// near each other.
//
// The template uses the range over integers of Go 1.24, so the server must be built with that
// version or later.
package handmade
