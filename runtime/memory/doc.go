// Package memory finds the entries that meet a need.
//
//	m, err := memory.Open(store, embedder)         // reads every entry once
//	err = m.Store(ctx, entry)                      // MEM-1, MEM-2: whole, one per id
//	found, err := m.Recall(ctx, fsm.Recall{Need: "disk of web1", TopK: 5}) // best first
//
// A recall looks in two ways and joins what they find:
//
//   - by keyword, over summary and text: BM25 over Unicode words without regard to
//     case, over the stems of English words, and over single characters and pairs
//     of them where a script writes no spaces (MEM-5)
//   - by vector, over summaries: the cosine with every vector of the model and
//     dimension that the need was embedded with, exactly
//
// Both orders are joined by reciprocal rank. An entry that neither shares a
// keyword with the need nor has a cosine of at least [MinCosine] is not returned,
// so a need that memory does not meet is answered with nothing. Ties go to the
// newer entry, then to the lower id: equal inputs give equal orders (MEM-3).
//
// Without an embedder, or when it fails, recall goes by keyword alone (MEM-4).
//
// The index is in memory and made from the entries when memory is opened. A
// vector takes 4 bytes for each dimension; those of another model than the present
// one stay on disk until a need is embedded with it.
package memory
