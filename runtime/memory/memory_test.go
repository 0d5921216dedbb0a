package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/memory"
	"shelly/runtime/store"
)

func TestMEM3RecallFindsKeywords(t *testing.T) {
	m := open(t, nil,
		entry("h1", 1, "The root disk of web1 is 92% full."),
		entry("h2", 2, "Backups run every night at 03:00; the backup disk is /dev/sdb."),
		entry("h3", 3, "nginx.service failed because port 80 was taken."),
		fsm.Entry{ID: "h4", At: 4, Session: "another", Summary: "The user likes tea.", Text: "Input: what do I drink?\nAnswer: you drink Darjeeling"},
	)
	for need, ids := range map[string][]string{
		"DISK web1":            {"h1", "h2"},
		"the backup disk":      {"h2", "h1"},
		"nginx":                {"h3"},
		"what is on port 80?":  {"h3"},
		"darjeeling":           {"h4"}, // in the text, not in the summary
		"the user's birthday":  {"h4"}, // "user's" has the part "user"
		"kubernetes":           nil,
		"what is in the of it": nil, // it has only function words
		"":                     nil,
	} {
		wantRecall(t, m, need, 5, ids...)
	}
}

func TestMEM5RecallWorksInScriptsWithoutSpaces(t *testing.T) {
	m := open(t, nil,
		entry("h1", 1, "根分区的磁盘已用92%，快满了。"),
		entry("h2", 2, "用户喜欢喝龙井茶"),
		entry("h3", 3, "备份盘是 /dev/sdb，每天凌晨三点备份"),
		entry("h4", 4, "ディスクがいっぱいです"),
		entry("h5", 5, "web1 的磁盘是 nvme0"),
	)
	for need, ids := range map[string][]string{
		"磁盘":          {"h5", "h1"},
		"磁盘空间":        {"h5", "h1"},
		"盘":           {"h5", "h1", "h3"},
		"龙井":          {"h2"},
		"ディスク":        {"h4"},
		"web1 磁盘":     {"h5", "h1"},
		"nvme0":       {"h5"},
		"NVME0 的 SDB": {"h5", "h3", "h1"},
		"网络":          nil,
	} {
		wantRecall(t, m, need, 5, ids...)
	}
}

// Who has no such keys leaves accents out; what is spelled alike comes first.
func TestMEM5RecallFindsOtherSpellings(t *testing.T) {
	m := open(t, nil,
		entry("h1", 1, "Müller aus der Gartenstraße liefert montags"),
		entry("h2", 2, "Mueller in der Gartenstrasse liefert freitags"),
		entry("h3", 3, "la réunion est au café de la gare"),
		entry("h4", 4, "a cafe near the station"),
		entry("h5", 5, "ещё один диск в Łódź"),
	)
	for need, ids := range map[string][]string{ // order-free: each for itself
		"Müller":        {"h1", "h2"},
		"mueller":       {"h2", "h1"},
		"Muller":        {"h1"},
		"GARTENSTRASSE": {"h2", "h1"},
		"Gartenstraße":  {"h1", "h2"},
		"café":          {"h3", "h4"},
		"cafe":          {"h4", "h3"},
		"reunion":       {"h3"},
		"lodz еще":      {"h5"},
	} {
		wantRecall(t, m, need, 5, ids...)
	}
}

// vectored returns a memory with vectors in three directions and one entry without a vector.
func vectored(t *testing.T) (*memory.Memory, *embedder) {
	e := &embedder{model: "m", vectors: map[string][]byte{
		"north": vector(0, 2), "east": vector(3, 0), "north-east": vector(1, 1), "south": vector(0, -1),
		"word and north": vector(0, 1), "zero": vector(0, 0), "nan": vector(0, float32(math.NaN())), "cut": {1, 2, 3},
	}}
	with := func(id, summary string, v []byte, model string) fsm.Entry {
		return fsm.Entry{ID: id, At: 1, Summary: summary, Vector: v, Model: model}
	}
	return open(t, e,
		with("n", "alpha", vector(0, 5), "m"),
		with("e", "beta", vector(5, 0), "m"),
		with("ne", "gamma", vector(2, 2.5), "m"),
		with("other", "delta", vector(0, 5), "another model"),
		with("deep", "epsilon", vector(0, 5, 0), "m"),
		with("none", "a word", nil, ""),
	), e
}

func TestMEM3RecallFindsNearVectors(t *testing.T) {
	m, _ := vectored(t)
	wantRecall(t, m, "north", 5, "n", "ne")
	wantRecall(t, m, "east", 5, "e", "ne")
	wantRecall(t, m, "north-east", 5, "ne", "e", "n") // e and n tie: the lower id
	wantRecall(t, m, "north-east", 1, "ne")
	wantRecall(t, m, "south", 5)
}

// An entry that both orders find ranks above one that only one of them finds.
func TestMEM3RecallJoinsBothOrders(t *testing.T) {
	e := &embedder{model: "m", vectors: map[string][]byte{"disk": vector(1, 0)}}
	m := open(t, e,
		fsm.Entry{ID: "vector first", At: 3, Summary: "storage", Vector: vector(1, 0), Model: "m"},
		fsm.Entry{ID: "both", At: 1, Summary: "a disk among many other words here", Vector: vector(2, 1), Model: "m"},
		fsm.Entry{ID: "word first", At: 2, Summary: "disk disk"},
		fsm.Entry{ID: "neither", At: 4, Summary: "tea", Vector: vector(0, 1), Model: "m"},
	)
	// Each is first in one order: a tie, so the newer comes first.
	wantRecall(t, m, "disk", 5, "both", "vector first", "word first")
	wantRecall(t, m, "disk", 2, "both", "vector first")
}

// MinCosine lies between a cosine a little above and one a little below.
func TestMEM3RecallHasAFloorOfCosine(t *testing.T) {
	height := func(cosine float64) float32 { return float32(math.Sqrt(1/(cosine*cosine) - 1)) }
	e := &embedder{model: "m", vectors: map[string][]byte{"need": vector(1, 0)}}
	m := open(t, e,
		fsm.Entry{ID: "above", Vector: vector(1, height(memory.MinCosine+0.01)), Model: "m"},
		fsm.Entry{ID: "below", Vector: vector(1, height(memory.MinCosine-0.01)), Model: "m"},
	)
	wantRecall(t, m, "need", 5, "above")
}

func TestMEM4AFailingEmbedderLeavesKeywords(t *testing.T) {
	m, _ := vectored(t)
	for _, need := range []string{"word", "word and zero", "word and nothing known"} {
		wantRecall(t, m, need, 5, "none")
	}
	for _, need := range []string{"zero", "nan", "cut"} { // vectors that point nowhere
		wantRecall(t, m, need, 5)
	}
	wantRecall(t, m, "word and north", 5, "n", "none", "ne")
}

func TestMEM3TiesGoToTheNewerThenToTheLowerID(t *testing.T) {
	m := open(t, nil, entry("b", 1, "disk"), entry("c", 2, "disk"), entry("a", 1, "disk"), entry("d", 2, "disk"))
	for range 10 {
		wantRecall(t, m, "disk", 10, "c", "d", "a", "b")
	}
}

func TestMEM3TopKBoundsWhatIsFound(t *testing.T) {
	var entries []fsm.Entry
	var ids []string
	for i := range 200 {
		entries = append(entries, entry(fmt.Sprint(i), fsm.Millis(1000-i), "disk"))
		ids = append(ids, fmt.Sprint(i))
	}
	m := open(t, nil, entries...)
	for _, topK := range []int{1, 5, 64, 65, 199, 200} {
		wantRecall(t, m, "disk", topK, ids[:topK]...)
	}
	wantRecall(t, m, "disk", 500, ids...)
	wantRecall(t, m, "disk", 0)
	wantRecall(t, m, "disk", -1)
}

func TestMEM2AnEntryReplacesTheOneWithItsID(t *testing.T) {
	m, _ := vectored(t)
	replaced := fsm.Entry{ID: "n", At: 9, Summary: "omega", Vector: vector(4, 0), Model: "m"}
	keep(t, m, replaced, replaced)
	wantRecall(t, m, "alpha", 5)
	wantRecall(t, m, "omega", 5, "n")
	wantRecall(t, m, "north", 5, "ne")
	wantRecall(t, m, "east", 5, "n", "e", "ne")
	keep(t, m, fsm.Entry{ID: "n", At: 10, Summary: "omega again"})
	wantRecall(t, m, "east", 5, "e", "ne") // n no longer has a vector
	found, err := m.Recall(t.Context(), fsm.Recall{Need: "omega", TopK: 5})
	if diff := cmp.Diff([]fsm.Memory{{ID: "n", Summary: "omega again"}}, found); diff != "" || err != nil {
		t.Errorf("error %v, found (-want +got):\n%s", err, diff)
	}
}

// Vectors of another model are not compared, but are found again when a need is embedded with that
// model.
func TestMEM3RecallFollowsTheEmbeddingModel(t *testing.T) {
	m, e := vectored(t)
	wantRecall(t, m, "north", 5, "n", "ne")
	e.model = "another model"
	wantRecall(t, m, "north", 5, "other")
	keep(t, m, fsm.Entry{ID: "late", At: 5, Vector: vector(0, 1), Model: "another model"})
	wantRecall(t, m, "north", 5, "late", "other")
	e.model = "m"
	wantRecall(t, m, "north", 5, "n", "ne")
	e.vectors["north"] = vector(0, 1, 0)
	wantRecall(t, m, "north", 5, "deep")
	e.model = "a third"
	wantRecall(t, m, "north", 5)
}

// A memory that is opened again finds what it found before, whatever models its entries' vectors
// are from, and if all are from one model it reads them once.
func TestAReopenedMemoryFindsWhatItFound(t *testing.T) {
	fs := vfs.NewMem()
	e := &embedder{model: "new", vectors: map[string][]byte{"north": vector(0, 2)}}
	for range 2 {
		s, err := store.Open("store", store.Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		m, err := memory.Open(s, memory.Options{Embedder: e})
		if err != nil {
			t.Fatal(err)
		}
		keep(t, m,
			fsm.Entry{ID: "a", At: 1, Summary: "磁盘 alpha", Vector: vector(0, 1), Model: "old"},
			fsm.Entry{ID: "b", At: 3, Summary: "beta", Vector: vector(0, 1), Model: "new"},
			fsm.Entry{ID: "c", At: 2, Summary: "alpha", Vector: vector(0, 1), Model: "old"},
		)
		wantRecall(t, m, "north", 5, "b")
		wantRecall(t, m, "alpha", 5, "c", "a")
		wantRecall(t, m, "磁盘", 5, "a")
		must(t, s.Close())
	}
}

func TestOpenTakesTheNewestEntrysModel(t *testing.T) {
	s := &shelf{entries: []fsm.Entry{
		{ID: "a", At: 1, Vector: vector(0, 1), Model: "old"},
		{ID: "b", At: 3, Vector: vector(0, 1), Model: "new"},
		{ID: "c", At: 2, Vector: vector(0, 1), Model: "old"},
		{ID: "d", At: 9, Summary: "no vector"},
	}}
	m, err := memory.Open(s, memory.Options{Embedder: &embedder{model: "new", vectors: map[string][]byte{"north": vector(0, 2)}}})
	if err != nil {
		t.Fatal(err)
	}
	reads := s.reads
	wantRecall(t, m, "north", 5, "b")
	if s.reads != reads {
		t.Errorf("a recall with the newest entry's model read the entries again")
	}
}

func TestABrokenStoreIsAnError(t *testing.T) {
	s := &shelf{broken: errors.New("the disk is gone")}
	if _, err := memory.Open(s, memory.Options{}); !errors.Is(err, s.broken) {
		t.Errorf("Open: %v; want the store's error", err)
	}
	s = &shelf{}
	e := &embedder{model: "m", vectors: map[string][]byte{"disk": vector(1)}}
	m, err := memory.Open(s, memory.Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, m, entry("h1", 1, "disk"))
	s.broken = errors.New("the disk is gone")
	if err := m.Store(t.Context(), entry("h1", 2, "tea")); !errors.Is(err, s.broken) {
		t.Errorf("Store: %v; want the store's error", err)
	}
	if _, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 5}); !errors.Is(err, s.broken) {
		t.Errorf("Recall that must read vectors: %v; want the store's error", err)
	}
	e.vectors = nil
	if _, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 5}); !errors.Is(err, s.broken) {
		t.Errorf("Recall that must read what it has found: %v; want the store's error", err)
	}
	wantRecall(t, m, "tea", 5)
}

func TestACancelledStoreWritesNothing(t *testing.T) {
	s := &shelf{}
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Store(ctx, entry("h1", 1, "disk")); !errors.Is(err, context.Canceled) || len(s.entries) != 0 {
		t.Errorf("Store: %v, %d entries; want the context's error and none", err, len(s.entries))
	}
}

func TestConcurrentUse(t *testing.T) {
	e := &embedder{model: "m", vectors: map[string][]byte{"disk": vector(1, 1)}}
	m := open(t, e)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 50 {
				id := fmt.Sprint(i % 10)
				err := m.Store(t.Context(), fsm.Entry{
					ID: id, At: fsm.Millis(worker), Summary: "disk", Vector: vector(1, 1), Model: fmt.Sprint("m", i%3)[:1+i%2],
				})
				found, recall := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 20})
				if err != nil || recall != nil || len(found) == 0 {
					t.Errorf("Store: %v, Recall: %v with %d entries", err, recall, len(found))
				}
			}
		})
	}
	wg.Wait()
	found, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 20})
	if err != nil || len(found) != 10 {
		t.Errorf("%d entries are found, error %v; want each of the 10 once", len(found), err)
	}
}

func TestMEM6ARecallCanBeOfItsOwnSessionAlone(t *testing.T) {
	m, err := memory.Open(&shelf{}, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, m,
		fsm.Entry{ID: "h1", Session: "a", Summary: "the disk of web1 is full"},
		fsm.Entry{ID: "h2", Session: "b", Summary: "the disk of web2 is full"})
	wantRecall(t, m, "disk", 5, "h1", "h2")
	found, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", Session: "b", TopK: 5, Own: true})
	if err != nil || len(found) != 1 || found[0].ID != "h2" {
		t.Errorf("found %v, %v", found, err)
	}
}
