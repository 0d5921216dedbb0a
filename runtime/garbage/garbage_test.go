package garbage

import (
	"runtime/debug"
	"testing"
)

func TestCFG17GarbageGathersBesideWhatIsHeld(t *testing.T) {
	for _, test := range []struct {
		held, spare uint64
		want        int
	}{
		{0, spareBytes, spareBytes * 100 / leastBytes},
		{8 << 20, spareBytes, 600},
		{spareBytes / 2, spareBytes, 200},
		{spareBytes, spareBytes, 100},
		{1 << 30, spareBytes, 100}, // a hundred thousand memories: as usual
		{spareBytes, walkBytes, 400},
		{1 << 30, walkBytes, 100}, // a world of millions of states
	} {
		got := percentFor(test.held, test.spare)
		if got != test.want {
			t.Errorf("with %d bytes held the percentage is %d; want %d", test.held, got, test.want)
		}
		if gathers := test.held * uint64(got) / 100; gathers > max(test.held, test.spare) {
			t.Errorf("with %d bytes held %d may gather", test.held, gathers)
		}
	}
}

// What is set after each collection follows how much a walk lets gather.
func TestCFG17AWalkLetsMoreGather(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	defer spare.Store(spare.Load())
	Pace()
	Walk()
	if got := percentFor(spareBytes, spare.Load()); got != 400 {
		t.Errorf("with %d bytes held the percentage is %d; want 400", uint64(spareBytes), got)
	}
}

func TestCFG17WhoSetsGOGCIsHeeded(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "77")
	Pace()
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("it is %d", got)
	}
}

// An idle daemon has given back the memory of a burst of work.
func TestCFG17AtRestMemoryIsGivenBack(t *testing.T) {
	kept := make([][]byte, 0, 1<<10)
	for range 1 << 10 {
		kept = append(kept, make([]byte, 64<<10))
	}
	if len(kept) != 1<<10 {
		t.Fatal("nothing was made")
	}
	kept = nil
	GiveBack()
	if m := read(liveMetric, objectsMetric, freeMetric); m[1]+m[2] > m[0]+worthBytes {
		t.Errorf("%d bytes are held, and %d of objects and %d free are not given back", m[0], m[1], m[2])
	}
}
