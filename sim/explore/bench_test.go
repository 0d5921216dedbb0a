package explore

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"shelly/runtime/garbage"
)

// BenchmarkExplore walks a world to its end, with one worker and with two. Its yardstick is a
// plain search in the same run: breadth first through a toy world, with a map that has a text
// of 64 bytes for each state. of-plain is the ratio of their unique states a second; B/state is
// what the walk keeps of each state at its end.
func BenchmarkExplore(b *testing.B) {
	garbage.Pace() // as in the program
	for _, world := range []Bounds{SmallWorld(), turnWorld(), faultsWorld(), crowdWorld()} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("world=%s/workers=%d", world.Name, workers), func(b *testing.B) {
				world.Workers, world.Together = workers, atOnce
				benchWalk(b, world)
			})
		}
	}
}

func benchWalk(b *testing.B, world Bounds) {
	var plain, whole time.Duration
	unique, searched, kept := 0, 0, uint64(0)
	for b.Loop() {
		start := time.Now()
		searched += search()
		plain += time.Since(start)
		before := heap()
		start = time.Now()
		x := walked(world)
		x.liveness()
		whole += time.Since(start)
		unique += x.out.Unique
		kept = (heap() - before) / uint64(x.out.Unique)
		runtime.KeepAlive(x)
	}
	rate := float64(unique) / whole.Seconds()
	b.ReportMetric(rate, "states/s")
	b.ReportMetric(rate/(float64(searched)/plain.Seconds()), "of-plain")
	b.ReportMetric(float64(kept), "B/state")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// atOnce runs do for 0 to n-1 at the same time.
func atOnce(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// search walks the states of three counters that go up and down, and returns how many there
// are.
func search() int {
	const most = 40
	key := func(s [3]byte) string {
		var text [64]byte
		text[0], text[20], text[40] = s[0], s[1], s[2]
		return string(text[:])
	}
	seen, queue := map[string]struct{}{key([3]byte{}): {}}, [][3]byte{{}}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for i := range from {
			for _, by := range []int{-1, 1} {
				v := int(from[i]) + by
				if v < 0 || v > most {
					continue
				}
				to := from
				to[i] = byte(v)
				if _, known := seen[key(to)]; !known {
					seen[key(to)] = struct{}{}
					queue = append(queue, to)
				}
			}
		}
	}
	return len(seen)
}
