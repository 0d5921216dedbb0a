package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/memory"
	"shelly/runtime/store"
	"shelly/runtime/yardstick"
)

const benchDimensions = 768

// anywhere embeds every text as the same vector.
type anywhere []byte

func (v anywhere) Embed(context.Context, string) ([]byte, string, error) { return v, "m", nil }

// BenchmarkRecall measures a recall by keyword and vector. Its yardstick is one
// pass over the bytes of the vectors in the same process.
func BenchmarkRecall(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("entries=%d", size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			m := open(b, anywhere(randomVector(rng)))
			for i := range size {
				keep(b, m, randomEntry(rng, i))
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Recall(b.Context(), fsm.Recall{Need: "how full is the disk of web1", TopK: 5}); err != nil {
					b.Fatal(err)
				}
			}
			recall := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(recall)/float64(onePass(size)), "of-a-pass")
		})
	}
}

// BenchmarkOpen measures how long it takes to make the index. Its yardstick is splitting the
// entries at spaces.
func BenchmarkOpen(b *testing.B) {
	const size = 10_000
	rng := rand.New(rand.NewPCG(1, 2))
	s := &shelf{}
	for i := range size {
		s.entries = append(s.entries, randomEntry(rng, i))
	}
	for b.Loop() {
		if _, err := memory.Open(s, memory.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/entry")
	words := 0
	yardstick.Of(b, "splitting", func() {
		for _, e := range s.entries {
			words += len(strings.Fields(e.Summary)) + len(strings.Fields(e.Text))
		}
	})
	if words == 0 {
		b.Fatal("nothing was split")
	}
}

// BenchmarkReopen measures what a start, and a command on a stopped folder, wait for: a store with
// an index is opened for reading, and a need is recalled by keyword and vector (MEM-7). Its
// yardstick is one read of the whole index in the same process: "of-a-reading" is the ratio to
// that, and "of-all-entries" the ratio to a memory built from its entries.
func BenchmarkReopen(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("entries=%d", size), func(b *testing.B) {
			dir, made := indexedStore(b, size)
			need := anywhere(randomVector(rand.New(rand.NewPCG(5, 5))))
			var reading time.Duration
			b.ReportAllocs()
			for b.Loop() {
				reopen(b, dir, need)
				b.StopTimer()
				reading += readIndex(b, dir)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(reading), "of-a-reading")
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(made), "of-all-entries")
		})
	}
}

// indexedStore makes a store of random entries with its index, and returns how long it took to make
// the index.
func indexedStore(b *testing.B, size int) (dir string, made time.Duration) {
	b.Helper()
	dir = filepath.Join(b.TempDir(), "store")
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range size {
		must(b, s.PutEntry(randomEntry(rng, i)))
	}
	start := time.Now()
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	made = time.Since(start)
	m.Close()
	must(b, s.Close())
	return dir, made
}

func reopen(b *testing.B, dir string, need anywhere) {
	b.Helper()
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := memory.Open(s, memory.Options{Embedder: need})
	if err != nil {
		b.Fatal(err)
	}
	if found, err := m.Recall(b.Context(), fsm.Recall{Need: "disk word7", TopK: 5}); len(found) != 5 || err != nil {
		b.Fatalf("found %v, %v", found, err)
	}
	m.Close()
	must(b, s.Close())
}

// readIndex returns how long it takes to read the whole index once.
func readIndex(b *testing.B, dir string) time.Duration {
	b.Helper()
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	must(b, s.ReadIndex(nil, func(_, _ []byte) error { return nil }))
	took := time.Since(start)
	must(b, s.Close())
	return took
}

// onePass returns the shortest time of many passes over the bytes of n vectors.
func onePass(vectors int) time.Duration {
	data := make([]uint64, vectors*benchDimensions/2)
	for i := range data {
		data[i] = uint64(i)
	}
	best := time.Hour
	var sum uint64
	for range 50 {
		start := time.Now()
		sum += addUp(data)
		best = min(best, time.Since(start))
	}
	if sum == 0 {
		panic("the pass was left out")
	}
	return best
}

func addUp(data []uint64) uint64 {
	var s0, s1, s2, s3 uint64
	for ; len(data) >= 8; data = data[8:] {
		s0 += data[0] ^ data[4]
		s1 += data[1] ^ data[5]
		s2 += data[2] ^ data[6]
		s3 += data[3] ^ data[7]
	}
	return s0 + s1 + s2 + s3
}

func randomVector(rng *rand.Rand) []byte {
	of := make([]float32, benchDimensions)
	for i := range of {
		of[i] = float32(rng.NormFloat64())
	}
	return vector(of...)
}

// randomEntry returns an entry of some fifty words out of a thousand, few of them frequent.
func randomEntry(rng *rand.Rand, i int) fsm.Entry {
	e := fsm.Entry{ID: fmt.Sprint("h", i), At: fsm.Millis(i), Vector: randomVector(rng), Model: "m"}
	for n := range 50 {
		word := fmt.Sprint("word", int(rng.ExpFloat64()*100))
		if n == 0 {
			word = "disk"
		}
		if n < 15 {
			e.Summary += word + " "
		} else {
			e.Text += word + " "
		}
	}
	return e
}
