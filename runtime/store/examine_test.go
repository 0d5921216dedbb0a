package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
	"shelly/runtime/store/table"
)

const examined = 150 // records of a store that is damaged

// large makes a store whose table has many blocks, with values of each kind.
func large(t *testing.T) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	for index := uint64(1); index <= examined; index++ {
		name := fmt.Sprintf("%04d", index)
		err := errors.Join(
			s.PutEntry(fsm.Entry{ID: "h" + name, Summary: name, Text: bulkOf(index)}),
			s.PutSession("s"+name, []byte(bulkOf(index)), [][]byte{[]byte(name)}),
			s.Append(engine.Batch{
				Records:  []engine.Record{record(index)},
				Requests: []engine.Request{{Key: fsm.RequestKey{Channel: "http", ID: "q" + name}, Text: bulkOf(index), Index: index}},
				Messages: []engine.Message{{Position: index, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "c"}, Text: bulkOf(index)}}},
				Audit:    []engine.Audit{{Position: index << 16, Audit: fsm.Audit{Session: "s", Result: bulkOf(index)}}},
			}, false),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	must(t, s.SaveSnapshot(examined-10, state.Snapshot{Lifecycle: state.Serving}))
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error {
		return errors.Join(db.Flush(), db.Compact(context.Background(), []byte{0}, []byte{0xff}, false))
	})
	return fs
}

// bulkOf returns a text that does not compress.
func bulkOf(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	text := make([]byte, 200)
	for i := range text {
		text[i] = byte('a' + r.IntN(26))
	}
	return string(text)
}

// tables returns the names of the tables of a store, the largest first.
func tables(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".sst") })
	slices.SortFunc(names, func(a, b string) int { return int(sizeOf(t, fs, b) - sizeOf(t, fs, a)) })
	return names
}

func sizeOf(t *testing.T, fs vfs.FS, name string) int64 {
	t.Helper()
	info, err := fs.Stat(fs.PathJoin(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// flipBit flips a bit of a file.
func flipBit(t *testing.T, fs vfs.FS, name string, at int64, bit int) {
	t.Helper()
	f, err := fs.OpenReadWrite(fs.PathJoin(dir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	_, err = f.ReadAt(one, at)
	one[0] ^= 1 << bit
	_, wrong := f.WriteAt(one, at)
	must(t, errors.Join(err, wrong, f.Close()))
}

// blocks returns the blocks of data of a table.
func blocks(t *testing.T, fs vfs.FS, name string) []table.Block {
	t.Helper()
	read, err := table.Open(context.Background(), fs, dir, name)
	if err != nil {
		t.Fatal(err)
	}
	data := read.Data()
	must(t, read.Close())
	return data
}

// examine opens a store read-only and examines it.
func examine(t *testing.T, fs vfs.FS) (store.Examination, error) {
	t.Helper()
	s, err := store.OpenReadOnly(dir, store.Options{FS: fs})
	if err != nil {
		return store.Examination{}, err
	}
	defer end(t, &s)
	x, err := s.Examine(context.Background())
	return x, errors.Join(err, x.Err())
}

func TestJRN30ASoundStoreIsReadWhole(t *testing.T) {
	x, err := examine(t, large(t))
	if err != nil {
		t.Fatal(err)
	}
	if x.Blocks < 20 || x.Values < 8*examined || x.Bytes < examined*500 {
		t.Errorf("%d blocks of %d bytes and %d values", x.Blocks, x.Bytes, x.Values)
	}
}

// Wherever a bit of a table is flipped, the damage is found: in a block of data, in the index, in
// the table's properties or in its last bytes.
func TestJRN30AnyFlippedBitOfATableIsFound(t *testing.T) {
	exhaustive.Test(t)
	fs := large(t)
	r := rand.New(rand.NewPCG(7, 7))
	whole := 0
	for _, name := range tables(t, fs) {
		size := sizeOf(t, fs, name)
		for i := range 60 {
			at, bit := r.Int64N(size), r.IntN(8)
			if i%2 == 0 {
				at = size - 1 - r.Int64N(min(size, 2500)) // everything but data is at the end
			}
			flipBit(t, fs, name, at, bit)
			x, err := examine(t, fs)
			if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), name) {
				t.Errorf("bit %d of byte %d of %s: %+v, %v; want ErrCorrupt and the table's name", bit, at, name, x, err)
			}
			if len(x.Damage) == 0 {
				whole++
			}
			flipBit(t, fs, name, at, bit)
		}
	}
	if _, err := examine(t, fs); err != nil {
		t.Errorf("with all bits as they were: %v", err)
	}
	t.Logf("%d of the flips make a table unreadable as a whole", whole)
}

// What a damaged block held is named: numbers exactly, the rest by the keys around it.
func TestJRN30WhatIsLostIsNamed(t *testing.T) {
	exhaustive.Test(t)
	fs := large(t)
	name := tables(t, fs)[0]
	var lost []string
	for _, block := range blocks(t, fs, name) { // all of them: Pebble decides in which block a kind begins
		flipBit(t, fs, name, int64(block.Offset)+100, 3)
		x, err := examine(t, fs)
		if text := fmt.Sprint(err); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(text, fmt.Sprintf("%s at byte %d", name, block.Offset)) ||
			!strings.Contains(text, "; lost: ") && !strings.Contains(text, "; it may have held: ") {
			t.Errorf("got %+v, %v; want damage of %s at byte %d, and what is lost or held", x, err, name, block.Offset)
		}
		lost = append(append(append(lost, x.Missing...), x.Held...), fmt.Sprint(err))
		flipBit(t, fs, name, int64(block.Offset)+100, 3)
	}
	all := strings.Join(lost, "\n")
	for _, want := range []string{
		"journal records up to ", "audit record ", `request "q0`, `of channel "http"`, `memory entries from "h0`, `sessions from "s0`, "messages",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing lost is named %q:\n%s", want, all)
		}
	}
}

// A table that cannot be compacted does not prevent writing and reading the rest, now and after the
// next start: of the records up to the journal's end, only those within the damage are refused.
func TestJRN30DamageInATableDoesNotEndTheStore(t *testing.T) {
	fs := large(t)
	flipBit(t, fs, tables(t, fs)[0], 100, 3) // among the first keys: of the audit
	last := uint64(examined)
	for range 3 {
		s := open(t, dir, store.Options{FS: fs})
		last++
		appendRecords(t, s, last, last, true)
		if err := s.CompactTables(); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("a compaction: %v; want ErrCorrupt", err)
		}
		if met := s.Damage(); len(met) != 1 || !strings.Contains(met[0], tables(t, fs)[0]) {
			t.Errorf("met %q; want the table's name, once", met)
		}
		if err := s.PutEntry(fsm.Entry{ID: "h1", Summary: "x"}); err != nil {
			t.Error(err)
		}
		if err := s.Err(); err != nil {
			t.Fatalf("the store has failed: %v", err)
		}
		wantLast(t, s, last)
		if _, err := s.Audit("", 0, 1); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("the damaged audit: %v; want ErrCorrupt", err)
		}
		if audit, err := s.Audit("", 100<<16, 5); err != nil || len(audit) != 5 {
			t.Errorf("the audit after it: %d, %v", len(audit), err)
		}
		end(t, &s)
	}
}

// What is forgotten while a table cannot be compacted is gone, and the error says what is left where,
// and not that somebody has cancelled it.
func TestJRN30WhatIsForgottenBesideDamageIsGone(t *testing.T) {
	fs := large(t)
	name := tables(t, fs)[0]
	flipBit(t, fs, name, 100, 3)
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	appendRecords(t, s, examined+1, examined+1, true)
	if err := s.CompactTables(); !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("a compaction: %v; want ErrCorrupt", err)
	}
	for _, id := range []string{"h0001", "h0002"} {
		err := s.ForgetEntries([]string{id})
		if !errors.Is(err, store.ErrCorrupt) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "not from a table that cannot be read: its files are not as they were written: "+name) {
			t.Errorf("%v; want ErrCorrupt that names %s", err, name)
		}
		if _, ok, err := s.Entry(id); ok || err != nil {
			t.Errorf("entry %s is there: %v, %v; want that it is gone", id, ok, err)
		}
	}
}

// A message about damage says once that there is damage, whatever it was found in.
func TestJRN30AMessageSaysOnceThatThereIsDamage(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	entry := func(i uint64) string { return fmt.Sprintf("h%04d", i) }
	for i := range uint64(40) { // with texts that are kept apart from them (JRN-34)
		must(t, s.PutEntry(fsm.Entry{ID: entry(i), Summary: bulkOf(i), Text: bulkOf(100+i) + bulkOf(200+i) + bulkOf(300+i)}))
	}
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error { return db.Flush() })
	name, met := tables(t, fs)[len(tables(t, fs))-1], ""
	for _, block := range blocks(t, fs, name) {
		flipBit(t, fs, name, int64(block.Offset)+10, 3)
		s, err := store.Open(dir, store.Options{FS: fs})
		for i := uint64(0); i < 40 && err == nil; i++ {
			_, _, err = s.Entry(entry(i))
		}
		if said := fmt.Sprint(err); err != nil && strings.Count(said, store.ErrCorrupt.Error()) != 1 {
			t.Errorf("the message is %q; want that it says %q once", said, store.ErrCorrupt)
		}
		met += fmt.Sprintln(err)
		if s != nil {
			end(t, &s)
		}
		flipBit(t, fs, name, int64(block.Offset)+10, 3)
	}
	if !strings.Contains(met, "a text that it holds cannot be read: its files are not as they were written: "+name) {
		t.Errorf("no text of an entry was damaged:\n%s", met)
	}
}

// However often damage is read, the log says it once, without the database's stack trace.
func TestJRN30TheLogSaysOnceWhatCannotBeRead(t *testing.T) {
	fs := large(t)
	flipBit(t, fs, tables(t, fs)[0], 100, 3)
	var log bytes.Buffer
	s := open(t, dir, store.Options{FS: fs, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	for range 5 {
		if _, err := s.Audit("", 0, 1); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("the damaged audit: %v; want ErrCorrupt", err)
		}
	}
	end(t, &s)
	said := log.String()
	if strings.Count(said, tables(t, fs)[0]+`"`) != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "shelly journal repair") || strings.Contains(said, "stack trace") {
		t.Errorf("the log says\n%s\nwant one line that names the table and what to do", said)
	}
}

// A damaged block is refused without Pebble's search for a flipped bit, which takes seconds for a
// large block, each time it is read: by the database, and by a reader of its tables.
func TestJRN30ADamagedBlockIsNotSearchedForAFlippedBit(t *testing.T) {
	fs := large(t)
	name := tables(t, fs)[0]
	bad := blocks(t, fs, name)[0]
	flipBit(t, fs, name, int64(bad.Offset)+100, 3)

	var log bytes.Buffer
	s, err := store.OpenReadOnly(dir, store.Options{FS: fs, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Audit("", 0, 1); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("the damaged audit: %v; want ErrCorrupt", err)
	}
	end(t, &s)

	read, err := table.Open(context.Background(), fs, dir, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range read.Entries(context.Background(), nil) {
		fmt.Fprintln(&log, err)
	}
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	if found := strings.Count(log.String(), "is not what was written"); found < 2 || strings.Contains(log.String(), "checksum mismatch") {
		t.Errorf("want the damage found by shelly, twice:\n%s", log.String())
	}
}

// If tables pile up because nothing compacts them, a write is refused before it would wait forever.
func TestJRN30AWriteNeverWaitsForACompactionThatDoesNotCome(t *testing.T) {
	exhaustive.Test(t)
	fs := large(t)
	flipBit(t, fs, tables(t, fs)[0], 100, 3)
	s := open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, examined+1, examined+1, true)
	if err := s.CompactTables(); !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("a compaction: %v; want ErrCorrupt", err)
	}
	var err error
	written := 0
	for ; err == nil && written < 2000; written++ {
		if err = s.PutEntry(fsm.Entry{ID: "h1", Summary: fmt.Sprint(written)}); err == nil {
			err = s.Flush()
		}
	}
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "too many of them to go on") || written < 500 {
		t.Errorf("after %d tables: %v", written, err)
	}
	_ = s.Close()
}

func wantLast(t *testing.T, s *store.Store, last uint64) {
	t.Helper()
	kept, err := s.Kept()
	if err != nil || kept.Last != last {
		t.Errorf("the last record is %d, %v; want %d", kept.Last, err, last)
	}
	if err := s.Replay(examined-10, func(engine.Record) error { return nil }); err != nil {
		t.Error(err)
	}
}

// The memory is read around its damage if Options.Damaged is set.
func TestJRN30MemoryEntriesAreReadAroundDamage(t *testing.T) {
	fs := large(t)
	name := tables(t, fs)[0]
	for _, block := range blocks(t, fs, name) {
		if block.Keys.From != nil && block.Keys.From[0] == 'E' && block.Keys.To[0] == 'E' {
			flipBit(t, fs, name, int64(block.Offset)+100, 3)
			break
		}
	}
	var heard []error
	for _, test := range []struct {
		damaged func(error)
		lost    bool
	}{{nil, true}, {func(err error) { heard = append(heard, err) }, false}} {
		s := open(t, dir, store.Options{FS: fs, Damaged: test.damaged})
		read := map[string]bool{}
		err := s.Entries(func(e fsm.Entry) error {
			read[e.ID] = true
			return nil
		})
		if test.lost != errors.Is(err, store.ErrCorrupt) {
			t.Errorf("got %v; want damage %t", err, test.lost)
		}
		if !test.lost && (len(read) < examined*3/4 || len(read) >= examined || !read["h0001"] || !read["h0150"]) {
			t.Errorf("%d of %d entries are read", len(read), examined)
		}
		end(t, &s)
	}
	if len(heard) == 0 || !strings.Contains(heard[0].Error(), "memory entries from") {
		t.Errorf("heard %v", heard)
	}
}
