package settle_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

func gathering() settle.Files {
	return settle.Files{Settle: 2 * fsm.Second, Longest: 30 * fsm.Second, Rate: settle.Rate{Max: 3, Window: minute}}
}

func TestEVT5FilesAreReportedOnceTheyAreQuiet(t *testing.T) {
	f := gathering()
	f.See(0, "/in/a", settle.Created)
	f.See(1500, "/in/a", settle.Written)
	if _, ok := f.Take(3499); ok {
		t.Error("the file was reported while it was being written")
	}
	b, ok := f.Take(3500)
	if !ok || b.Files() != 1 || b.Named[0] != "/in/a" || b.Whats[0] != settle.Created || b.To != 1500 {
		t.Errorf("told is %+v", b)
	}
	if _, ok := f.Due(); ok {
		t.Error("the file is due twice")
	}
}

func TestEVT5NothingWaitsForLongerThanTheLongest(t *testing.T) {
	f := gathering()
	for now := fsm.Millis(0); now <= 30*fsm.Second; now += fsm.Second {
		f.See(now, "/in/log", settle.Written)
		if _, ok := f.Take(now); ok != (now == 30*fsm.Second) {
			t.Errorf("at %v: %v", now, ok)
		}
	}
}

func TestEVT5ChangesOfAFileComeToOne(t *testing.T) {
	c, w, r, d := settle.Created, settle.Written, settle.Removed, settle.Went
	for _, x := range []struct {
		changes []settle.What
		want    settle.What
	}{
		{[]settle.What{c, w, w}, c}, {[]settle.What{c, w, r}, ""}, {[]settle.What{w, w}, w},
		{[]settle.What{w, r}, r}, {[]settle.What{r, c}, w}, {[]settle.What{r, c, r}, r}, {[]settle.What{c, r, c}, c}, {[]settle.What{r, r}, r},
		{[]settle.What{d, r}, d}, {[]settle.What{r, d}, d}, {[]settle.What{d, c}, w}, {[]settle.What{c, d}, ""},
	} {
		f := gathering()
		for _, what := range x.changes {
			f.See(0, "/in/a", what)
		}
		b, ok := f.Take(minute)
		if ok != (x.want != "") || ok && b.Whats[0] != x.want {
			t.Errorf("%v come to %v (%v), want %q", x.changes, b.Whats, ok, x.want)
		}
	}
}

// What waits to be told of a folder that goes, goes with it; one that has come since the last
// event goes without a word.
func TestEVT5AFolderThatGoesTakesItsFilesAlong(t *testing.T) {
	type change struct {
		path string
		what settle.What
	}
	for _, x := range []struct {
		changes []change
		want    []string
	}{
		{[]change{{"/in/a/x", settle.Created}, {"/in/a/y", settle.Written}, {"/in/a.txt", settle.Written}, {"/in/a", settle.Went}}, []string{"/in/a", "/in/a.txt"}},
		{[]change{{"/in/a", settle.Came}, {"/in/a/x", settle.Created}, {"/in/a", settle.Went}, {"/in/b", settle.Came}, {"/in/b/x", settle.Created}}, []string{"/in/b/x"}},
		{[]change{{"/in/a", settle.Came}, {"/in/a", settle.Went}, {"/in/a", settle.Removed}}, nil},
		{[]change{{"/in/a", settle.Went}, {"/in/a", settle.Came}, {"/in/a", settle.Went}}, []string{"/in/a"}},
	} {
		f := gathering()
		for _, c := range x.changes {
			f.See(0, c.path, c.what)
		}
		if b, ok := f.Take(minute); ok != (x.want != nil) || !slices.Equal(b.Named, x.want) {
			t.Errorf("%v come to %q (%v), want %q", x.changes, b.Named, ok, x.want)
		}
	}
	f := gathering()
	f.See(0, "/in/a", settle.Came)
	f.See(0, "/in/a/x", settle.Created)
	f.Take(minute)
	f.See(minute, "/in/a", settle.Removed)
	if b, _ := f.Take(2 * minute); !slices.Equal(b.Named, []string{"/in/a"}) {
		t.Errorf("a removed folder whose file was reported is reported as %q", b.Named)
	}
}

func TestEVT5TheRateHoldsBackAndLosesNothing(t *testing.T) {
	f := gathering()
	for i := range 4 {
		f.See(fsm.Millis(i)*5*fsm.Second, fmt.Sprint("/in/", i), settle.Created)
		if _, ok := f.Take(fsm.Millis(i)*5*fsm.Second + 2*fsm.Second); ok != (i < 3) {
			t.Errorf("event %d: %v", i, ok)
		}
	}
	f.See(20*fsm.Second, "/in/4", settle.Created)
	at, _ := f.Due()
	b, ok := f.Take(at)
	if at != 2*fsm.Second+minute || !ok || b.Files() != 2 {
		t.Errorf("at %v: %+v", at, b)
	}
}

// A hundred thousand changes are one event and a bounded memory (EVT-5).
func TestEVT5ABurstIsOneEventInABoundedMemory(t *testing.T) {
	f := gathering()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 100_000 {
		f.See(fsm.Millis(i/10), fmt.Sprintf("/in/folder/file-%06d", i), settle.Created)
	}
	f.Lose(10 * fsm.Second)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	b, ok := f.Take(12 * fsm.Second)
	if !ok || b.Files() != settle.PathsMax || b.Further() != 100_000-settle.PathsMax || !b.Lost || len(b.Named) != settle.NamedMax {
		t.Errorf("told: %d files, %d more, lost %v, %d named", b.Files(), b.Further(), b.Lost, len(b.Named))
	}
	if _, ok := f.Take(minute); ok {
		t.Error("there is a second event")
	}
}

// Whatever changes, each change is in an event: named, or counted, unless the file appeared and
// went again; and no window has more events than the rate allows. Some events are refused.
func TestEVT5EveryFileIsReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := settle.Files{
			Settle: fsm.Millis(rapid.Int64Range(1, 20).Draw(t, "settle")), Longest: fsm.Millis(rapid.Int64Range(20, 60).Draw(t, "longest")),
			Rate: settle.Rate{Max: rapid.IntRange(1, 3).Draw(t, "max"), Window: fsm.Millis(rapid.Int64Range(1, 100).Draw(t, "window"))},
		}
		there, told := map[string]bool{}, map[string]bool{} // what the disk has, and what one knows who heard the events
		var times []fsm.Millis
		now := fsm.Millis(0)
		take := func(refused bool) {
			b, ok := f.Take(now)
			if ok && refused {
				f.Return(&b)
			}
			if !ok || refused {
				return
			}
			times = append(times, now)
			if len(b.Named) != b.Files() {
				t.Fatalf("%d are named of %d", len(b.Named), b.Files())
			}
			for i, path := range b.Named {
				told[path] = b.Whats[i] != settle.Removed
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += fsm.Millis(rapid.Int64Range(0, 30).Draw(t, "pause"))
			path := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "path")
			switch {
			case !there[path]:
				f.See(now, path, settle.Created)
				there[path] = true
			case rapid.Bool().Draw(t, "removed"):
				f.See(now, path, settle.Removed)
				there[path] = false
			default:
				f.See(now, path, settle.Written)
			}
			take(rapid.Bool().Draw(t, "refused"))
		}
		for at, ok := f.Due(); ok; at, ok = f.Due() {
			now = max(now, at)
			take(false)
		}
		for path, is := range there {
			if told[path] != is {
				t.Fatalf("%s is there: %v, and was told to be: %v", path, is, told[path])
			}
		}
		for i := f.Rate.Max; i < len(times); i++ {
			if times[i]-times[i-f.Rate.Max] < f.Rate.Window {
				t.Fatalf("more than %d events in %v: %v", f.Rate.Max, f.Rate.Window, times)
			}
		}
	})
}

func TestEVT5WhatIsNotNamedIsCountedOfEachKind(t *testing.T) {
	b := settle.Batch{
		Count: map[settle.What]int{settle.Created: 1, settle.Written: 10, settle.Removed: 100},
		More:  map[settle.What]int{settle.Created: 2, settle.Written: 20, settle.Removed: 200},
	}
	if b.Files() != 111 || b.Further() != 222 {
		t.Errorf("got %d and %d further; want 111 and 222", b.Files(), b.Further())
	}
}

// What was refused and what has changed since come to one event, as if nothing had been taken.
func TestEVT1ChangesAreCombinedWithThoseThatWereRefused(t *testing.T) {
	f := gathering()
	f.See(0, "/in/d", settle.Came)
	for _, path := range []string{"/in/d/x", "/in/e/x", "/in/a", "/in/b"} {
		f.See(0, path, settle.Created)
	}
	f.Lose(0)
	b, ok := f.Take(minute)
	if !ok || b.Files() != 4 {
		t.Fatalf("taken are %+v, %t", b, ok)
	}
	f.See(minute, "/in/d", settle.Went) // which had only come
	f.See(minute, "/in/e", settle.Went)
	f.See(minute, "/in/a", settle.Removed)
	f.See(minute, "/in/c", settle.Written)
	for i := range 2 * settle.PathsMax {
		f.See(minute, fmt.Sprintf("/in/z/%04d", i), settle.Created)
	}
	f.Return(&b)
	if at, _ := f.Due(); at != 30*fsm.Second {
		t.Errorf("due at %v; want at the longest after the first of all", at)
	}
	b, ok = f.Take(2 * minute)
	if !ok || !slices.Equal(b.Named[:3], []string{"/in/b", "/in/c", "/in/e"}) || b.Named[3] != "/in/z/0000" || !b.Lost {
		t.Errorf("told are %q, lost %t, %t", b.Named, b.Lost, ok)
	}
	if b.Files() > settle.PathsMax || b.Files()+b.Further() != 3+2*settle.PathsMax {
		t.Errorf("%d files and %d further changes are told", b.Files(), b.Further())
	}
}
