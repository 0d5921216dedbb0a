// Package garbage decides when a process collects its garbage, and returns unused memory to the
// system.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// spareBytes is how much garbage may gather before a collection (CFG-17), if the process holds
// less than that; if it holds more, as much as it holds, as is usual.
const spareBytes = 48 << 20

// usualPercent is Go's own GOGC, with which it collects at leastBytes for the first time.
const (
	usualPercent = 100
	leastBytes   = 4 << 20
)

// Pace lets spareBytes gather from now on. A GOGC that is set is left alone. Call it first in a
// process: what a start makes soon becomes garbage, and collecting it takes longer than all
// else that a small command does.
func Pace() {
	if _, set := os.LookupEnv("GOGC"); !set {
		afterCollection(usualPercent)
	}
}

// afterCollection sets how much may gather until the next collection, now and after every
// collection, when it is known how much is held. Set is the GOGC that is set already.
func afterCollection(set int) {
	if percent := percentFor(heldBytes()); percent != set {
		debug.SetGCPercent(percent)
		set = percent
	}
	runtime.SetFinalizer(&collected{}, func(*collected) { afterCollection(set) })
}

// collected becomes garbage at once, and its finalizer so reports the next collection. It is
// not empty, because an empty value has no address of its own.
type collected struct{ _ [16]byte }

// percentFor returns the GOGC at which spareBytes may gather in addition to what is held, in
// steps of ten, so that it does not change each time.
func percentFor(held uint64) int {
	return max(usualPercent, int(spareBytes*100/max(held, leastBytes))/10*10)
}

// The metrics of how much the last collection found to be held, and of the heap's size.
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

// worthBytes is how much an idle daemon must be able to return for a collection to be
// worthwhile.
const worthBytes = 8 << 20

// afterStart returns the memory of the program's code that only a start needs.
var afterStart = sync.OnceFunc(giveProgramBack)

// GiveBack returns to the system the memory that the process does not need while idle. It is
// slow.
func GiveBack() {
	m := read(liveMetric, objectsMetric, freeMetric)
	if live, objects, free := m[0], m[1], m[2]; objects+free > live+worthBytes {
		debug.FreeOSMemory()
	}
	afterStart()
}
