package files_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
)

// log returns a log with records of many sizes, each synced, and how many there are.
func log(t *testing.T) (text []byte, number uint64, records int) {
	t.Helper()
	return written(t, pebble.Sync)
}

// written returns such a log whose records are written in one way.
func written(t *testing.T, how *pebble.WriteOptions) (text []byte, number uint64, records int) {
	t.Helper()
	fs := vfs.NewMem()
	db, err := pebble.Open(dir, &pebble.Options{FS: fs, Logger: quiet{}, FormatMajorVersion: pebble.FormatTableFormatV6})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set([]byte("first"), nil, pebble.Sync), db.Flush()); err != nil { // the first log has not yet the format
		t.Fatal(err)
	}
	const n = 60
	for i := range n {
		size := i * i
		if i == n/2 {
			size = 80_000 // over several blocks
		}
		if err := db.Set(fmt.Append(nil, i), bytes.Repeat([]byte{byte(i + 1)}, size), how); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil { // which also writes what was not synced
		t.Fatal(err)
	}
	folder, err := files.List(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	last := folder.Logs[len(folder.Logs)-1]
	_, number = files.Parse(last)
	if text, err = files.Bytes(fs, fs.PathJoin(dir, last)); err != nil {
		t.Fatal(err)
	}
	return text, number, n
}

// A damaged part of a log loses the records that lie in it and no others.
func TestJRN32ALogIsReadPastItsDamage(t *testing.T) {
	text, number, n := log(t)
	whole, damaged := files.ReadLog(text, number)
	if len(whole) != n || len(damaged) > 0 {
		t.Fatalf("%d records of %d, damaged %v", len(whole), n, damaged)
	}
	for at := 0; at < len(text)-4_000; at += 997 {
		flipped := slices.Clone(text)
		flipped[at] ^= 1
		records, damaged := files.ReadLog(flipped, number)
		if len(records) != n-1 || len(damaged) != 1 || at < damaged[0].From || at >= damaged[0].To {
			if len(records) == n && len(damaged) == 0 {
				continue // between the last chunk of a block and its end
			}
			t.Errorf("byte %d: %d records of %d, damaged %v", at, len(records), n, damaged)
		}
		for _, r := range records {
			if !slices.ContainsFunc(whole, func(w []byte) bool { return bytes.Equal(w, r) }) {
				t.Errorf("byte %d: a record of %d bytes that was never written", at, len(r))
			}
		}
	}
}

// What was synced and is damaged is told from what a crash has left, except near the end of the log,
// after which nothing can show it.
func TestJRN31ALaterChunkShowsWhatWasSynced(t *testing.T) {
	text, number, _ := log(t)
	loose, looseNumber, _ := written(t, pebble.NoSync)
	for at := 0; at < len(text)-20_000; at += 499 { // the last five records are shorter: a sync may be noted only after the next record
		flipped := slices.Clone(text)
		flipped[at] ^= 1
		if _, damaged := files.ReadLog(flipped, number); len(damaged) == 1 && !damaged[0].Synced {
			t.Errorf("byte %d of %d: what was synced and is damaged counts as the end of the log", at, len(text))
		}
		flipped = slices.Clone(loose)
		flipped[at] ^= 1
		if _, damaged := files.ReadLog(flipped, looseNumber); len(damaged) == 1 && damaged[0].Synced {
			t.Errorf("byte %d of %d: what was never synced counts as damage", at, len(loose))
		}
	}
}

// What an earlier log left in a file that is reused is not part of the log.
func TestJRN32AnEarlierLogIsNotRead(t *testing.T) {
	text, number, _ := log(t)
	if records, damaged := files.ReadLog(text, number+1); len(records)+len(damaged) > 0 {
		t.Errorf("%d records, damaged %v", len(records), damaged)
	}
	for _, cut := range []int{0, 5, 100, 20_000} {
		_, damaged := files.ReadLog(text[:cut], number)
		if len(damaged) > 0 {
			t.Errorf("cut at %d: damaged %v; want a log that ends", cut, damaged)
		}
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)           {}
func (quiet) Errorf(string, ...any)          {}
func (quiet) Fatalf(format string, _ ...any) { panic(format) }
