package repair_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/datafolder"
	"shelly/runtime/exhaustive"
	"shelly/runtime/repair"
	"shelly/runtime/store"
	"shelly/runtime/store/table"
)

func now() time.Time { return time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC) }

// found returns the files of a store whose names match the pattern like, in order.
func found(t *testing.T, data, like string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(datafolder.Store(data), like))
	if err != nil || len(names) == 0 {
		t.Fatalf("no %s, %v", like, err)
	}
	slices.Sort(names)
	return names
}

func remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		must(t, os.Remove(name))
	}
}

func flip(t *testing.T, name string, at int64) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[at] ^= 4
	must(t, os.WriteFile(name, text, 0o600))
}

func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// cut cuts off the end of the last log that holds anything.
func cut(t *testing.T, data string) {
	t.Helper()
	logs := slices.DeleteFunc(found(t, data, "*.log"), func(name string) bool { return size(t, name) == 0 })
	last := logs[len(logs)-1]
	must(t, os.Truncate(last, size(t, last)/2))
}

func largest(t *testing.T, data, like string) string {
	t.Helper()
	return slices.MaxFunc(found(t, data, like), func(a, b string) int { return int(size(t, a) - size(t, b)) })
}

// damages are the ways in which a store is damaged, each with the expected result.
var damages = map[string]struct {
	do   func(t *testing.T, data string)
	all  bool // nothing is lost
	tail bool // the last records are lost
}{
	"marker gone":       {func(t *testing.T, data string) { remove(t, found(t, data, "marker.manifest.*")...) }, true, false},
	"both markers gone": {func(t *testing.T, data string) { remove(t, found(t, data, "marker.*")...) }, true, false},
	"manifest gone":     {func(t *testing.T, data string) { remove(t, found(t, data, "MANIFEST-*")...) }, true, false},
	"last manifest gone": {func(t *testing.T, data string) {
		remove(t, found(t, data, "MANIFEST-*")[len(found(t, data, "MANIFEST-*"))-1])
	}, true, false},
	"marker, manifest gone": {func(t *testing.T, data string) {
		remove(t, slices.Concat(found(t, data, "M*"), found(t, data, "marker.*"))...)
	}, true, false},
	"manifest flipped": {func(t *testing.T, data string) {
		name := found(t, data, "MANIFEST-*")
		flip(t, name[len(name)-1], 10)
	}, true, false},
	"table flipped": {func(t *testing.T, data string) {
		flip(t, largest(t, data, "*.sst"), size(t, largest(t, data, "*.sst"))/3)
	}, false, false},
	"table's end flipped": {func(t *testing.T, data string) {
		flip(t, largest(t, data, "*.sst"), size(t, largest(t, data, "*.sst"))-600)
	}, true, false},
	"log cut":  {cut, false, true},
	"log gone": {func(t *testing.T, data string) { remove(t, largest(t, data, "*.log")) }, false, true},
	"log cut, marker gone, table flipped": {func(t *testing.T, data string) {
		cut(t, data)
		remove(t, found(t, data, "marker.manifest.*")...)
		flip(t, largest(t, data, "*.sst"), size(t, largest(t, data, "*.sst"))/2)
	}, false, true},
}

// Whatever is damaged, what can be read is recovered, what is lost is reported, nothing is
// overwritten, a dry run writes nothing, and no mail is sent twice.
func TestJRN32ADamagedStoreIsRepaired(t *testing.T) {
	exhaustive.Test(t)
	first, second := used(t)
	for name, damage := range damages {
		for killed, used := range map[bool]folder{false: first, true: second} {
			t.Run(fmt.Sprintf("%s killed=%v", name, killed), func(t *testing.T) {
				f := used.copy(t)
				damage.do(t, f.data)
				r := repaired(t, f)
				if damage.all && (len(r.Lost)+len(r.Held)+len(r.LeftOut) > 0 || r.Requests < requests) {
					t.Errorf("something is lost: %+v", r)
				}
				if !damage.all && len(r.Lost)+len(r.Held) == 0 && !killed {
					t.Errorf("nothing is reported as lost: %+v", r)
				}
				if damage.tail && !r.Tail && !killed {
					t.Errorf("the loss of the last records is not reported: %+v", r)
				}
			})
		}
	}
}

// repaired repairs a folder and starts it, and checks what must hold whatever is damaged.
func repaired(t *testing.T, f folder) repair.Report {
	t.Helper()
	ctx, data := context.Background(), f.data
	before := tree(t, data)
	would, err := repair.Run(ctx, data, repair.Options{DryRun: true, Now: now})
	if diff := cmp.Diff(before, tree(t, data)); diff != "" {
		t.Fatalf("a dry run has written (-before +after)\n%.500s", diff)
	}
	r, failed := repair.Run(ctx, data, repair.Options{Now: now})
	if err != nil || failed != nil {
		t.Fatalf("got %v, %v; want no error", err, failed)
	}
	if r.Sound {
		return r
	}
	if want := filepath.Join(data, "damaged-20260131T090000Z"); r.Aside != want {
		t.Errorf("kept in %q; want %q", r.Aside, want)
	}
	for name, text := range tree(t, filepath.Join(r.Aside, "store")) {
		if before[filepath.Join("store", name)] != text {
			t.Errorf("%s of the damaged store was changed", name)
		}
	}
	would.Aside, would.DryRun = r.Aside, false
	if diff := cmp.Diff(would, r); diff != "" {
		t.Errorf("a dry run says something else (-dry +done)\n%s", diff)
	}
	again, err := repair.Run(ctx, data, repair.Options{Now: now})
	if err != nil || !again.Sound {
		t.Errorf("a repaired store is repaired again: %+v, %v", again, err)
	}
	begun(t, f, r)
	return r
}

// begun starts a repaired folder and checks that what is there is as it was, that what is in doubt
// waits, and that asking again does not do anything twice.
func begun(t *testing.T, f folder, r repair.Report) {
	t.Helper()
	d := start(t, f.data, f.sent)
	defer d.close()
	there := replies(t, d.store)
	unknown := map[string]bool{}
	for _, u := range slices.Concat(r.Answered, r.Doubted) {
		unknown[u.Request.ID] = true
	}
	for id, now := range there {
		was, ok := f.answered[id]
		if now.Done && !now.IsError && ok && cmp.Diff(was, now) != "" {
			t.Errorf("request %s differs: %s", id, cmp.Diff(was, now))
		}
		if now.Done && now.IsError && !unknown[id] && !slices.Contains(r.Lost, fmt.Sprintf("the reply to request %q of channel %q", id, "http")) {
			t.Errorf("request %s was answered with an error, and nothing says so: %+v", id, now)
		}
	}
	for _, u := range r.Doubted {
		i := slices.IndexFunc(d.engine.Machine().View().Handles, func(h state.Handle) bool { return h.ID == u.Handle })
		if i < 0 || !d.engine.Machine().View().Handles[i].Poison {
			t.Errorf("%+v does not wait for a person", u)
		}
	}
	for n := 1; n <= requests+1; n++ {
		if _, known := there[key(n).ID]; known {
			_, err := d.engine.Accept(d.at, fsm.Requested{Request: key(n), Session: fmt.Sprint("s", n%5), Text: fmt.Sprintf("send %d %s", n, bulk(n))})
			if err != nil && !errors.Is(err, engine.ErrConflict) {
				t.Error(err)
			}
		}
	}
	d.ask(1000)
	for what, n := range f.sent {
		if n > 1 {
			t.Errorf("mail %s was sent %d times", what, n)
		}
	}
	if d.sent[`{"n":"1000"}`] != 1 {
		t.Error("a new request is not worked at")
	}
}

// Arbitrary damage, in several places at once: what holds for each kind of damage holds.
func TestJRN32RandomDamageIsRepaired(t *testing.T) {
	exhaustive.Test(t)
	closed, killed := used(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			f := []folder{closed, killed}[seed%2].copy(t)
			data := f.data
			for range 1 + r.IntN(3) {
				all := found(t, data, "*[0-9g]*")
				name := all[r.IntN(len(all))]
				switch n := size(t, name); {
				case strings.HasSuffix(name, "LOCK"):
				case n == 0 || r.IntN(6) == 0 && !strings.HasSuffix(name, ".sst"):
					remove(t, name)
				case r.IntN(4) == 0:
					must(t, os.Truncate(name, r.Int64N(n)))
				default:
					flip(t, name, r.Int64N(n))
				}
			}
			repaired(t, f)
		})
	}
}

// A store that is intact, in use, gone or of a newer format is left as it is.
func TestJRN32WhatIsNotDamagedIsNotRepaired(t *testing.T) {
	f, _ := used(t)
	data := f.data
	ctx, o := context.Background(), repair.Options{Now: now}
	before := tree(t, data)
	if r, err := repair.Run(ctx, data, o); err != nil || !r.Sound {
		t.Errorf("a sound store: %+v, %v", r, err)
	}
	if diff := cmp.Diff(before, tree(t, data)); diff != "" {
		t.Errorf("a sound store is changed: %.300s", diff)
	}
	d := start(t, data, f.sent)
	if _, err := repair.Run(ctx, data, o); !errors.Is(err, store.ErrLocked) {
		t.Errorf("while it is in use: %v; want ErrLocked", err)
	}
	d.close()
	marker := filepath.Join(datafolder.Store(data), "marker.format-version.000099.999")
	must(t, os.WriteFile(marker, nil, 0o600))
	if _, err := repair.Run(ctx, data, o); !errors.Is(err, store.ErrNewerFormat) {
		t.Errorf("of a newer format: %v; want ErrNewerFormat", err)
	}
	must(t, os.RemoveAll(datafolder.Store(data)))
	if _, err := repair.Run(ctx, data, o); !errors.Is(err, store.ErrCorrupt) || strings.Contains(err.Error(), "journal repair") {
		t.Errorf("one that is gone: %v; want ErrCorrupt, and not the advice to repair it", err)
	}
	if _, err := repair.Run(ctx, t.TempDir(), o); !errors.Is(err, datafolder.ErrNone) {
		t.Errorf("one that never was: %v; want ErrNone", err)
	}
}

// flipBlock flips a bit in the last block that holds only keys of one kind.
func flipBlock(t *testing.T, data string, kind byte) {
	t.Helper()
	last, at := "", int64(0)
	for _, name := range found(t, data, "*.sst") {
		read, err := table.Open(context.Background(), vfs.Default, datafolder.Store(data), filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range read.Data() {
			if b.Keys.From != nil && b.Keys.From[0] == kind && b.Keys.To[0] == kind {
				last, at = name, int64(b.Offset)+50
			}
		}
		must(t, read.Close())
	}
	if last == "" {
		t.Fatalf("no table has a block of %c", kind)
	}
	flip(t, last, at)
}

// What follows from the journal is restored: the replies to requests whose records are damaged, and
// what the tools did.
func TestJRN32WhatTheJournalTellsIsMadeAgain(t *testing.T) {
	exhaustive.Test(t)
	used, _ := used(t)
	for _, kind := range []byte{'R', 'A'} {
		f := used.copy(t)
		flipBlock(t, f.data, kind)
		r := repaired(t, f)
		if r.Requests != requests || r.Derived == 0 || len(r.Answered)+len(r.Doubted)+len(r.LeftOut) > 0 {
			t.Errorf("%c: got %+v; want %d Requests, some Derived, none Answered, Doubted or LeftOut", kind, r, requests)
		}
	}
}

// If records after the last snapshot are lost, the journal ends before them. The indexes of lost
// records are not used again, what is known of requests from that time stays, and those that were
// unfinished are answered.
func TestJRN33WhatTheJournalKnowsNothingOfIsAnswered(t *testing.T) {
	_, f := used(t)
	s, err := datafolder.Open(f.data, store.Options{}) // this turns its log into a table
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Kept()
	must(t, errors.Join(err, s.Close()))
	s, err = datafolder.Open(f.data, store.Options{})
	must(t, errors.Join(err, s.Close()))
	flipBlock(t, f.data, 'J')
	r := repaired(t, f)
	if r.Last >= kept.Last || !r.Tail || len(r.Lost) == 0 {
		t.Errorf("%+v; want a journal that ends before record %d", r, kept.Last)
	}
	if len(r.Answered) != 1 || r.Answered[0].Request != key(requests+1) {
		t.Errorf("answered %+v; want %v", r.Answered, key(requests+1))
	}
	s, err = datafolder.OpenReadOnly(f.data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := s.Kept()
	if err != nil || after.Last < kept.Last {
		t.Errorf("the last record is %d, %v; want none below %d given again", after.Last, err, kept.Last)
	}
	must(t, s.Close())
}
