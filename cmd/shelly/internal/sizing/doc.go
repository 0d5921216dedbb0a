// Package sizing says what a model needs of a machine, and which settings suit both.
//
//	need  = weights + cache + room
//	cache = num_ctx × layers × heads × (key + value) × 2 bytes, once for each request at a time
//
// The weights are the model's file. The cache holds the keys and values of all tokens of
// the window, as f16, the server's default; of a model some of whose layers look at less
// than the window it is less. The room is for computing, a guess.
//
// What fits leaves a tenth of the memory free. Everything is a sum of what the server and
// the machine say; the server says what is really in memory once the model is loaded.
package sizing
