// Package sizing computes how much memory a model needs, and which settings suit the model and
// the machine.
//
//	need  = weights + cache + room
//	cache = num_ctx × layers × heads × (key + value) × 2 bytes, once for each request at a time
//
// The weights are the model's file. The cache holds the keys and values of all tokens of the
// window as f16, the server's default; it is smaller if some layers of the model see only a part
// of the window. The room for the computation is a guess.
//
// A model fits if a tenth of the memory stays free. All figures are computed from what the
// server and the machine report; once the model is loaded, the server reports its real size in
// memory.
package sizing
