package history

import (
	"cmp"
	"fmt"

	"shelly/fsm"
)

// memoryEffects and memoryFacts put what is about memory in words.
func memoryEffects() []effectRow {
	return []effectRow{
		fsm.OnEffect(func(t *teller, e fsm.Recall) string {
			t.begins(e, "memory")
			return "looks into memory for" + t.text(e.Need)
		}),
		fsm.OnEffect(func(t *teller, e fsm.Embed) string {
			t.begins(e, "the embedder")
			return "asks for the vector of" + t.text(e.Text)
		}),
		fsm.OnEffect(func(t *teller, e fsm.Store) string {
			t.begins(e, "memory")
			return "stores in memory" + t.text(e.Entry.Summary)
		}),
	}
}

func memoryFacts() []factRow {
	return []factRow{
		ofCall(func(t *teller, f fsm.Recalled, took string) string {
			found := "memory found nothing" + took
			if n := len(f.Entries); n > 0 {
				found = fmt.Sprintf("memory found %d%s:%s", n, took, t.text(f.Entries[0].Summary))
			}
			return t.failed(f.Error, "memory could not be searched", found)
		}),
		ofCall(func(t *teller, f fsm.Embedded, took string) string {
			return t.failed(f.Error, "there is no vector", "a vector came from "+cmp.Or(f.Model, "the embedder")+took)
		}),
		ofCall(func(t *teller, f fsm.Stored, took string) string {
			return t.failed(f.Error, "the memory could not be stored", "the memory was stored"+took)
		}),
	}
}
