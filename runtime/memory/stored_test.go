package memory

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

// apart embeds each text as a different vector.
type apart struct{}

func (apart) Embed(_ context.Context, text string) ([]byte, string, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return wire(random(rand.New(rand.NewPCG(h.Sum64(), 1)), 8)), "m", nil
}

// However many vectors are compared or stored, fewer than a block of heads are in memory (MEM-7).
func TestMEM7VectorsThatAreInTheStoreAreNotAtHand(t *testing.T) {
	disk := vfs.NewMem()
	for range 3 {
		s, err := store.Open("data", store.Options{FS: disk})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Open(s, Options{Embedder: apart{}})
		if err != nil {
			t.Fatal(err)
		}
		for range 3*index.HeadRows + 5 {
			id := fmt.Sprint(m.Counts().Entries)
			vector, model, _ := apart{}.Embed(t.Context(), "text"+id)
			e := fsm.Entry{ID: id, Summary: "text" + id, Vector: vector, Model: model}
			if err := m.Store(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			found, err := m.Search(t.Context(), Query{Text: e.Summary, TopK: 5, Mode: Vector})
			if err != nil || len(found.Found) == 0 || found.Found[0].ID != e.ID {
				t.Fatalf("%s is not found first: %+v, %v", e.ID, found, err)
			}
			v := &m.vectors
			if n := len(v.slots) - v.numbers.from; n >= index.HeadRows || len(v.numbers.pieces) > 1 {
				t.Fatalf("of %d rows %d are in memory, in %d pieces", len(v.slots), n, len(v.numbers.pieces))
			}
		}
		m.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
