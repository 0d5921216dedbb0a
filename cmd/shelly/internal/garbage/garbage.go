// Package garbage says when a process collects its garbage, and gives back what it does not need.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// spareBytes is how much garbage may gather before it is collected (CFG-17), where what the
// process holds is less; else it is as much as that, as is usual.
const spareBytes = 48 << 20

// walkBytes is as much in a process that walks a world, which makes garbage with each step.
const walkBytes = 4 * spareBytes

// spare is which of the two the process goes by.
var spare atomic.Uint64

// usualPercent is Go's own GOGC, with which it collects at leastBytes for the first time.
const (
	usualPercent = 100
	leastBytes   = 4 << 20
)

// Pace lets spareBytes gather from now on. GOGC, where it is set, is left alone. It comes first
// in a process, since what a start makes is garbage soon, and looking through it takes longer
// than all else that a small command does.
func Pace() {
	spare.Store(spareBytes)
	if _, set := os.LookupEnv("GOGC"); !set {
		afterCollection(usualPercent)
	}
}

// Walk lets walkBytes gather after the next collection.
func Walk() { spare.Store(walkBytes) }

// afterCollection sets how much may gather until the next collection, now and after each, which
// has just found out how much is held. It is called with what is set already.
func afterCollection(set int) {
	if percent := percentFor(heldBytes(), spare.Load()); percent != set {
		debug.SetGCPercent(percent)
		set = percent
	}
	runtime.SetFinalizer(&collected{}, func(*collected) { afterCollection(set) })
}

// collected is garbage at once, and so tells of the next collection. It is not empty: what is
// has no address of its own.
type collected struct{ _ [16]byte }

// percentFor is the GOGC at which as much as may be spared gathers beside what is held, in tens,
// so that it is not changed each time.
func percentFor(held, spare uint64) int {
	return max(usualPercent, int(spare*100/max(held, leastBytes))/10*10)
}

// The metrics of what the last collection has found to be held, and of what lies on the heap.
const (
	liveMetric    = "/gc/heap/live:bytes"
	objectsMetric = "/memory/classes/heap/objects:bytes"
	freeMetric    = "/memory/classes/heap/free:bytes"
)

func heldBytes() uint64 { return read(liveMetric)[0] }

func read(names ...string) []uint64 {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	values := make([]uint64, len(names))
	for i := range samples {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			values[i] = samples[i].Value.Uint64()
		}
	}
	return values
}

// worthBytes is how much a daemon at rest must have to give back for it to be worth a collection.
const worthBytes = 8 << 20

// afterStart gives back what only a start needs of the program.
var afterStart = sync.OnceFunc(giveProgramBack)

// GiveBack returns to the system what the process does not need at rest. It takes its time.
func GiveBack() {
	m := read(liveMetric, objectsMetric, freeMetric)
	if live, objects, free := m[0], m[1], m[2]; objects+free > live+worthBytes {
		debug.FreeOSMemory()
	}
	afterStart()
}
