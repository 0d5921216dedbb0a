// Package memory finds the entries that answer a need.
//
//	m := memory.Begin(store, memory.Options{…})    // reads the index, in the background
//	go m.Keep(ctx, memory.Upkeep{…})               // MEM-8: vectors for entries without
//	err = m.Store(ctx, entry)                      // MEM-1, MEM-2: whole, one per id
//	found, err := m.Recall(ctx, fsm.Recall{Need: "disk of web1", TopK: 5}) // best first
//
// A recall searches in two ways and fuses the results:
//
//   - by keyword, over summary and text: BM25 over Unicode words, ignoring case, over the stems of
//     English words, and, in scripts without spaces, over single characters and pairs of them
//     (MEM-5)
//   - by vector, over summaries: the cosine with vectors of the model and dimension that the need
//     was embedded with; where there are many, only with the likely ones (MEM-7)
//
// The two orders are fused by reciprocal rank. An entry that shares no keyword with the need and
// has no cosine of at least [MinCosine] is not returned, so the answer to a need about which
// memory has nothing is empty. Ties go to the newer entry, then to the lower id: equal
// inputs give equal orders (MEM-3).
//
// Without an embedder, or when it fails, recall is by keyword alone (MEM-4).
//
// If the store has a place for the index of the entries ([Index]), it is kept there, in the layout
// of package index. Only a few numbers of each entry, the keywords of the latest entries and the
// signs of all vectors are then in memory; a vector is read from a file of copies whenever it is
// compared. With any other store the whole index is built from the entries when the memory is
// opened, and stays in memory. Vectors of a model other than the present one stay with their
// entries until a need is embedded with that model. They are then brought into memory before the
// store drops the other rows, so that no search reads rows of another model (MEM-16).
//
// Where to read: memory.go has the entries, load.go reads them, kept.go reads and writes their
// index, edit.go changes the index with an entry, stored.go reads vectors and their copies, and
// search.go searches, in the orders of keyword.go (with words.go) and vector.go (with signs.go),
// which rank.go fuses; list.go, bring.go and file.go are for people, upkeep.go for missing vectors.
//
// # Vectors
//
// In Go a product of two numbers takes about as long whatever their size, so one byte per number
// saves memory but little time. Time is saved by comparing fewer vectors: each vector also has one
// bit per number, its sign relative to the mean, and among many vectors only those are compared
// whose bits are nearest to the need's; at a cosine of MinCosine, bits agree far more often than by
// chance. Times for a scan in each way, measured in one process on two cores with 768 dimensions
// (the last is BenchmarkVectors):
//
//	vectors    float32, all    bytes, all    bits, then bytes
//	1,000           0.16 ms       0.19 ms                   –
//	10,000          1.3  ms       1.7  ms             0.45 ms
//	100,000        29    ms      22    ms             1.3  ms
//	bytes each       3,072           784                  880
//
// Of the ten best by exact cosine, 98 in 100 are among the search's own ten best where vectors are
// made by topic (cosine 0.75 within a topic, 0.3 between topics), and all where vectors are noise
// and the need is near one of them; the rest are ties apart from rounding
// (TestMEM7NearSignsFindWhatComparingAllWould).
package memory
