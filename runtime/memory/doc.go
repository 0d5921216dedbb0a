// Package memory finds the entries that meet a need.
//
//	m := memory.Begin(store, memory.Options{…})    // reads the index, in the background
//	go m.Keep(ctx, memory.Upkeep{…})               // MEM-8: vectors for those without
//	err = m.Store(ctx, entry)                      // MEM-1, MEM-2: whole, one per id
//	found, err := m.Recall(ctx, fsm.Recall{Need: "disk of web1", TopK: 5}) // best first
//
// A recall looks in two ways and joins what they find:
//
//   - by keyword, over summary and text: BM25 over Unicode words without regard to
//     case, over the stems of English words, and over single characters and pairs
//     of them where a script writes no spaces (MEM-5)
//   - by vector, over summaries: the cosine with the vectors of the model and
//     dimension that the need was embedded with, the likely ones among many
//     (MEM-7)
//
// Both orders are joined by reciprocal rank. An entry that neither shares a
// keyword with the need nor has a cosine of at least [MinCosine] is not returned,
// so a need that memory does not meet is answered with nothing. Ties go to the
// newer entry, then to the lower id: equal inputs give equal orders (MEM-3).
//
// Without an embedder, or when it fails, recall goes by keyword alone (MEM-4).
//
// What entries are found by is kept in the store where that has a place for it ([Index]), in
// the layout of package index: at hand are a few numbers of each entry, the keywords of the
// latest ones, and the signs of all vectors. A vector is read when it is compared, from a file
// of copies, and does not stay. Elsewhere all of it is made from the entries when memory is
// opened, and stays. Vectors of another model than the present one stay with their entries until
// a need is embedded with it: they are then at hand before the store lets go of the others, so
// that no search reads rows of another model (MEM-16).
//
// Where to read: memory.go has the entries, load.go reads them, kept.go reads and writes their
// index, edit.go changes it with an entry, stored.go reads vectors and copies them, search.go looks for
// entries, in the orders of keyword.go (over words.go) and vector.go (over signs.go), which
// rank.go joins; list.go, bring.go and file.go are for people, upkeep.go for vectors that
// are missing.
//
// # Vectors
//
// In Go a product of two numbers takes about as long whatever their size, so that a
// byte a number saves memory and little time. What saves time is not to compare. Each
// vector therefore has a bit a number besides, its sign after the mean, and of many
// only those are compared whose bits are nearest to the need's; at a cosine of
// MinCosine that is far from chance. A scan by each way, measured in one process on
// two cores with 768 dimensions (BenchmarkVectors is the last):
//
//	vectors    float32, all    bytes, all    bits, then bytes
//	1,000           0.16 ms       0.19 ms                   –
//	10,000          1.3  ms       1.7  ms             0.45 ms
//	100,000        29    ms      22    ms             1.3  ms
//	bytes each       3,072           784                  880
//
// Of the ten best by exact cosines the search has 98 of 100 among its own ten best
// where vectors are made by topics (cosine 0.75 within a topic, 0.3 without), and all
// where they are noise and the need is near one of them; the rest are ties but for the
// rounding (TestMEM7NearSignsFindWhatComparingAllWould).
package memory
