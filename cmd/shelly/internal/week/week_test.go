//go:build linux

package week_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/datafolder"
	"shelly/runtime/tool/file/change"
)

var (
	hours   = flag.Int("hours", 24, "hours of virtual time")
	perHour = flag.Int("per-hour", 8, "requests of each hour")
)

// The bounds of JRN-35, in bytes.
const (
	logsBytes    = 4*(4<<20) + 1<<20 // of the store's logs, with what was written last
	sessionBytes = 64 << 10          // of one session: enough to fill a window of 8,192 tokens, with the names of its results
	smallBytes   = 4 << 10           // of a request with its reply, of a message, or of an entry of the memory without its vector
	lumpBytes    = 1 << 20           // of dropped data that is too little to be compacted
	heapBytes    = 24 << 20          // of the heap while the daemon is idle
)

// JRN-35: the resources that a daemon uses are bounded, even if it works day and night. Its data
// folder and its memory stay within what its limits allow, and neither grows from one period of
// retention to the next. It has no more goroutines than at first, and no file that it no longer
// needs. The time is virtual, the disk is real.
func TestJRN35WhatIsTakenIsBounded(t *testing.T) {
	w := &world{rng: rand.New(rand.NewPCG(1, 1)), data: t.TempDir(), workspace: t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.open()
		_, _, err := w.daemon.Schedule(w.Context(), fsm.ScheduleChanged{
			Change: fsm.ScheduleAdd, Text: "how is it going?", Cron: "*/20 * * * *", Origin: fsm.Origin{Channel: "cli", Chat: "direct"},
		})
		w.must(err)
		var all []taken
		for hour := range *hours {
			w.hour(hour)
			now := w.measure()
			all = append(all, now)
			if hour%24 == 5 || hour == *hours-1 {
				t.Logf("hour %3d: %s", hour+1, now)
			}
			w.within(now)
		}
		w.rests(all)
		if w.errors == 0 || w.errors > w.asked/10 {
			t.Errorf("%d of %d requests were answered with an error; want some, but at most a tenth", w.errors, w.asked)
		}
	})
	w.T = t
	w.nothingLeft()
}

// taken is what the idle daemon uses: int64 fields are in bytes, int fields are counts.
type taken struct {
	store, tables, changes, rest int64 // of the data folder
	usage                        int64 // of the store, as a status reports it
	heap                         int64
	goroutines, files            int

	sessions, entries, requests int // how many are kept
	journal, texts              int64
	added                       int64 // of the journal, since the hour before
}

func (k taken) String() string {
	return fmt.Sprintf("store %d KiB with tables %d, changes %d, the rest %d, heap %d; %d goroutines, %d files; journal %d KiB with %d of this hour, kept results %d, %d requests, %d sessions, %d memories",
		k.store>>10, k.tables>>10, k.changes>>10, k.rest>>10, k.heap>>10, k.goroutines, k.files, k.journal>>10, k.added>>10, k.texts>>10, k.requests, k.sessions, k.entries)
}

// measure waits until the daemon is idle, and returns what it uses.
func (w *world) measure() (k taken) {
	synctest.Wait()
	w.must(filepath.WalkDir(w.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch size := info.Size(); filepath.Dir(path) {
		case datafolder.Store(w.data):
			if k.store += size; filepath.Ext(path) == ".sst" {
				k.tables += size
			}
		case filepath.Join(w.data, "changes"):
			k.changes += size
		default:
			k.rest += size
		}
		return nil
	}))
	usage, err := w.store.Usage()
	w.must(err)
	kept, err := w.store.Kept()
	w.must(err)
	list, err := w.sessions.List()
	w.must(err)
	texts, err := w.store.Texts()
	w.must(err)
	w.must(w.store.Replay(max(w.last, kept.First-1), func(r engine.Record) error {
		size, err := engine.Size(r)
		k.added += size
		return err
	}))
	w.last = kept.Last
	requests, before := 0, uint64(math.MaxUint64)
	for {
		page, err := w.store.Requests(before, 100)
		w.must(err)
		if len(page) == 0 {
			break
		}
		requests, before = requests+len(page), page[len(page)-1].Index
	}
	open, err := os.ReadDir("/proc/self/fd")
	w.must(err)
	runtime.GC()
	runtime.GC() // the second collection frees what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	k.usage, k.journal, k.sessions, k.entries, k.requests = int64(usage.Bytes), kept.Bytes, len(list), w.memory.Counts().Entries, requests
	k.texts, k.heap, k.goroutines, k.files = texts.Bytes, int64(m.HeapAlloc)-unmanaged(), atWork(), len(open)
	return k
}

// unmanaged returns how many bytes of the heap are tables that Pebble fills in memory. It has them
// outside the heap, but within it in every other process that has the race detector; there may be
// one or three of 4 MiB at any time.
func unmanaged() (bytes int64) {
	n, _ := runtime.MemProfile(nil, false)
	found := make([]runtime.MemProfileRecord, 2*n)
	n, _ = runtime.MemProfile(found, false)
	for _, r := range found[:n] {
		for frames := runtime.CallersFrames(r.Stack()); ; {
			frame, more := frames.Next()
			if strings.HasSuffix(frame.Function, "pebble/v2/internal/manual.New") {
				bytes += r.InUseBytes()
			}
			if !more {
				break
			}
		}
	}
	return bytes
}

// atWork returns how many goroutines that the test started still run. It does not count the
// runtime's own, because for a moment after a collection one runs cleanups, nor those that wait
// for a call of the daemon, which are as many as calls have ever run at once.
func atWork() (n int) {
	stacks := make([]byte, 1<<20)
	for stack := range bytes.SplitSeq(stacks[:runtime.Stack(stacks, true)], []byte("\n\n")) {
		if bytes.Contains(stack, []byte(", synctest bubble ")) && !bytes.Contains(stack, []byte("daemon.(*crew).await(")) {
			n++
		}
	}
	return n
}

// within compares what is used with what the limits allow.
func (w *world) within(k taken) {
	w.Helper()
	// The journal with what the last hour has added; an eighth is for data that was dropped but is
	// not compacted yet.
	journal := keptBytes + k.added
	tables := (journal+k.texts+int64(k.sessions)*sessionBytes+int64(k.requests)*smallBytes+int64(k.entries)*(smallBytes+5*dimensions))*9/8 + lumpBytes
	for _, c := range []struct {
		what      string
		got, most int64
	}{
		{"journal", k.journal, journal},
		{"store", k.store, tables + logsBytes},
		{"store as a status reports it", k.usage, tables + logsBytes},
		{"changes", k.changes, change.BytesMax + change.CountMax*smallBytes},
		{"log, the marks and the memory files", k.rest, logBytes + smallBytes},
		{"heap", k.heap, heapBytes},
	} {
		if c.got > c.most {
			w.Errorf("%s: %d bytes, of at most %d: %s", c.what, c.got, c.most, k)
		}
	}
}

// rests compares the last third of all hours with the third before it: nothing may have grown.
func (w *world) rests(all []taken) {
	w.Helper()
	n := len(all) / 3
	middle, last := all[n:2*n], all[2*n:]
	most := func(of []taken, what func(taken) int64) int64 {
		return what(slices.MaxFunc(of, func(a, b taken) int { return int(what(a) - what(b)) }))
	}
	for _, c := range []struct {
		what  string
		of    func(taken) int64
		slack int64 // how much more the last third may use, if the other had quieter hours
	}{
		{"tables without sessions and memory", func(k taken) int64 {
			return k.tables - int64(k.sessions)*smallBytes - int64(k.entries)*(smallBytes/2+dimensions)
		}, lumpBytes},
		{"what an hour adds to the journal, which is bounded beyond that", func(k taken) int64 { return k.added }, keptBytes / 4},
		{"requests", func(k taken) int64 { return int64(k.requests) }, int64(*perHour)},
		{"open files", func(k taken) int64 { return int64(k.files) }, 8},
		{"goroutines", func(k taken) int64 { return int64(k.goroutines) }, 0},
		{"heap", func(k taken) int64 { return k.heap }, 4 << 20},
	} {
		if was, is := most(middle, c.of), most(last, c.of); is > was+c.slack {
			w.Errorf("%s: up to %d in the last third of the time, but only %d in the third before", c.what, is, was)
		}
	}
}

// nothingLeft checks that the closed store has no more files than it needs.
func (w *world) nothingLeft() {
	w.Helper()
	folder := datafolder.Store(w.data)
	db, err := pebble.Open(folder, &pebble.Options{ReadOnly: true, Logger: silent{}})
	w.must(err)
	levels, err := db.SSTables()
	w.must(err)
	needed := 0
	for _, level := range levels {
		needed += len(level)
	}
	w.must(db.Close())
	for pattern, most := range map[string]int{"*.sst": needed, "*.log": 4, "MANIFEST-*": 2} { // order-free: each by itself
		names, err := filepath.Glob(filepath.Join(folder, pattern))
		w.must(err)
		if len(names) > most {
			w.Errorf("%d files %s are left, but at most %d are needed: %v", len(names), pattern, most, names)
		}
	}
}

type silent struct{}

func (silent) Infof(string, ...any)      {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
