package garbage

import (
	"runtime/debug"
	"testing"
)

func TestCFG17GarbageGathersBesideWhatIsHeld(t *testing.T) {
	for _, test := range []struct {
		held uint64
		want int
	}{
		{0, spareBytes * 100 / leastBytes},
		{8 << 20, 600},
		{spareBytes / 2, 200},
		{spareBytes, 100},
		{1 << 30, 100}, // a hundred thousand memories, or a world of millions of states: as usual
	} {
		got := percentFor(test.held)
		if got != test.want {
			t.Errorf("with %d bytes held the percentage is %d; want %d", test.held, got, test.want)
		}
		if gathers := test.held * uint64(got) / 100; gathers > max(test.held, spareBytes) {
			t.Errorf("with %d bytes held %d may gather", test.held, gathers)
		}
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
