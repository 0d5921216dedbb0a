package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// grow appends records first to last. Each accepts a request that is answered at once, and leaves
// an audit record; text gives the text in the record and in the reply. The time of each is its
// index. After every tenth there is a snapshot.
func grow(t testing.TB, s *store.Store, first, last uint64, text func() string) {
	t.Helper()
	for index := first; index <= last; index++ {
		at, key := fsm.Millis(index), fsm.RequestKey{ID: fmt.Sprint(index)}
		err := s.Append(engine.Batch{
			Records: []engine.Record{{Index: index, Input: fsm.Input{At: at, Fact: fsm.Requested{Request: key, Text: text()}}}},
			Requests: []engine.Request{{
				Key: key, Index: index, Accepted: at, Done: true, Replied: at, Reply: text(),
			}},
			Audit: []engine.Audit{{Position: engine.PositionOf(index, 1), At: at, Audit: fsm.Audit{Session: "s"}}},
		}, false)
		if index%10 == 0 {
			err = errors.Join(err, s.SaveSnapshot(index, state.Snapshot{Lifecycle: state.Serving, Now: at}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sight is what can be seen of a store's journal.
type sight struct {
	Kept     engine.Kept
	Records  int
	Requests int
	Audit    int
}

func look(s *store.Store) (v sight, err error) {
	v.Kept, err = s.Kept()
	replayed := s.Replay(v.Kept.First-1, func(engine.Record) error { v.Records++; return nil })
	requests, listed := s.Requests(math.MaxUint64, engine.ReadMax)
	audit, read := s.Audit("s", 0, engine.ReadMax)
	v.Requests, v.Audit = len(requests), len(audit)
	for _, r := range requests {
		if known, ok, err := s.Request(r.Key); err != nil || !ok || known != r {
			return v, fmt.Errorf("request %q is %+v, %v, %v", r.Key.ID, known, ok, err)
		}
	}
	return v, errors.Join(err, replayed, listed, read)
}

// cuts cuts the power before each operation of a file system that changes something.
type cuts struct {
	mu    sync.Mutex
	fs    *vfs.MemFS
	after []*vfs.MemFS // what is left, with nothing and with all of what was not synced
	ops   []string
}

func (c *cuts) String() string { return "cuts" }

func (c *cuts) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, percent := range []int{0, 100} {
		c.after = append(c.after, c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, 2))}))
		c.ops = append(c.ops, fmt.Sprintf("%d, %d %% of the rest kept", op.Kind, percent))
	}
	return nil
}

// What is damaged stays and keeps nothing else from being dropped, neither of its own kind nor of
// another. Once nothing else is left, the error names it (JRN-28).
func TestJRN28DamageKeepsNothingElse(t *testing.T) {
	message := func(channel string, position uint64) []byte {
		return append(append([]byte("P\x00\x00\x00"), byte(len(channel))), append([]byte(channel), number(position)...)...)
	}
	for _, test := range []struct {
		what   string
		damage func(*pebble.DB) error
		place  string
	}{
		{"a request", flip(append([]byte("R\x00\x00\x00\x00\x00\x00\x00\x00"), "2"...)), "the request of record 2"},
		{"the index of a request", flip(append([]byte("r"), number(2)...)), "the request of record 2"},
		{"an audit record", flip(append([]byte("A"), number(engine.PositionOf(2, 1))...)), "audit record"},
		{"a message", flip(message("c", 1)), "message 1"},
	} {
		t.Run(test.what, func(t *testing.T) {
			fs := vfs.NewMem()
			s := open(t, dir, store.Options{FS: fs})
			grow(t, s, 1, 25, func() string { return "text" })
			var sent []engine.Message
			for position := range uint64(3) {
				for _, channel := range []string{"c", "d"} {
					sent = append(sent, engine.Message{Position: position + 1, At: 1, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: channel}}})
				}
			}
			must(t, s.Append(engine.Batch{Messages: sent}, true))
			end(t, &s)
			edit(t, fs, dir, test.damage)
			s = open(t, dir, store.Options{FS: fs})
			defer end(t, &s)
			out, err := s.Trim(engine.Keep{Since: 22})
			must(t, err)
			whole := engine.Trimmed{Records: 20, Snapshots: 1, Requests: 21, Messages: 6, Audit: 21}
			if left := whole.Requests + whole.Messages + whole.Audit - out.Requests - out.Messages - out.Audit; left != 1 || out.Records != whole.Records {
				t.Errorf("%+v is dropped; want all but one of %+v", out, whole)
			}
			again, err := s.Trim(engine.Keep{Since: 22})
			if again != (engine.Trimmed{}) || !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), test.place) {
				t.Errorf("again %+v, %v; want nothing, and an error that names %s", again, err, test.place)
			}
		})
	}
}

// A power cut at any point of a trim, and of the compaction after it, leaves the old state or the
// new one, never a mixture (JRN-28; corpus/faults f021).
func TestJRN20AnInterruptedTrimIsWholeOrNotDone(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	text := strings.Repeat("x", 80<<10)
	grow(t, s, 1, 25, func() string { return text })
	end(t, &s)
	toggle := &cuts{fs: fs}
	switched := &errorfs.Toggle{Injector: toggle}
	s = open(t, dir, store.Options{FS: errorfs.Wrap(fs, switched)})
	before, err := look(s)
	if err != nil {
		t.Fatal(err)
	}
	switched.On()
	_, err = s.Trim(engine.Keep{Since: 22})
	s.Compacted()
	switched.Off()
	after, failed := look(s)
	must(t, errors.Join(err, failed))
	want := sight{engine.Kept{First: 21, Last: 25, Bytes: after.Kept.Bytes, Snapshots: []uint64{20}}, 5, 4, 4}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Fatalf("after the trim (-want +got):\n%s", diff)
	}
	end(t, &s)
	seen := map[string]int{}
	for i, fs := range toggle.after {
		s := open(t, dir, store.Options{FS: fs})
		got, err := look(s)
		switch {
		case err != nil:
			t.Errorf("cut %d (operation %s): %v", i, toggle.ops[i], err)
		case cmp.Equal(got, before):
			seen["before"]++
		case cmp.Equal(got, after):
			seen["after"]++
		default:
			t.Errorf("cut %d (operation %s): neither before nor after: %+v", i, toggle.ops[i], got)
		}
		end(t, &s)
	}
	t.Logf("%d cuts, what was there: %v", len(toggle.after), seen)
	if seen["before"] == 0 || seen["after"] < 10 {
		t.Errorf("the cuts miss the trim or the compaction: %v", seen)
	}
}

// A replay during a trim reads to the end; the next one is told what is gone.
func TestATrimDisturbsNoReplay(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem()})
	defer end(t, &s)
	grow(t, s, 1, 25, func() string { return "" })
	records := 0
	replay := func(engine.Record) error {
		if records++; records == 3 {
			_, err := s.Trim(engine.Keep{Since: 22})
			return err
		}
		return nil
	}
	if err := s.Replay(0, replay); err != nil || records != 25 {
		t.Errorf("%d records, %v; want 25", records, err)
	}
	if err := s.Replay(0, replay); !errors.Is(err, engine.ErrTrimmed) || !strings.Contains(err.Error(), "first one kept is 21") {
		t.Errorf("%v; want ErrTrimmed, with the first record", err)
	}
}

// The disk space of what was trimmed is freed soon, without another write.
func TestJRN20TheDiskGetsBackWhatIsTrimmed(t *testing.T) {
	exhaustive.Test(t)
	folder := filepath.Join(t.TempDir(), "store")
	s := open(t, folder, store.Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	grow(t, s, 1, 800, func() string { // 32 KiB that do not compress
		var b strings.Builder
		for b.Len() < 32<<10 {
			b.WriteByte(byte(' ' + rng.IntN(90)))
		}
		return b.String()
	})
	end(t, &s)
	full := size(t, folder)
	s = open(t, folder, store.Options{})
	keep := engine.Keep{Since: 745}
	for {
		dropped, err := s.Trim(keep)
		if err != nil {
			t.Fatal(err)
		}
		if dropped == (engine.Trimmed{}) {
			break
		}
	}
	s.Compacted()
	end(t, &s) // so that no file is still being removed
	if left := size(t, folder); full < 40<<20 || left > full/4 {
		t.Errorf("of %d MiB are left %d; an eighth is kept", full>>20, left>>20)
	} else {
		t.Logf("of %d MiB are left %d", full>>20, left>>20)
	}
}

func size(t *testing.T, folder string) (bytes int) {
	t.Helper()
	for _, data := range contents(t, folder) {
		bytes += len(data)
	}
	return bytes
}

// A list that is being read while what it names is dropped is that of before or of after, and nothing
// in it counts as missing.
func TestJRN20AListIsReadWhileATrimDropsIt(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem()})
	defer end(t, &s)
	const each = 4 * engine.TrimMax / 5
	for round := range uint64(5) {
		grow(t, s, round*each+1, (round+1)*each, func() string { return "x" })
		trimmed := make(chan struct{})
		var reading sync.WaitGroup
		reading.Go(func() {
			for done := false; !done; {
				select {
				case <-trimmed:
					done = true
				default:
				}
				audit, err := s.Audit("s", 0, engine.ReadMax)
				requests, failed := s.Requests(math.MaxUint64, engine.ReadMax)
				if err != nil || failed != nil {
					t.Errorf("the audit and the requests: %v, %v", err, failed)
				}
				if n, m := len(audit), len(requests); n != 0 && n != each || m != 0 && m != each {
					t.Errorf("%d audit records and %d requests; want none or %d of each", n, m, each)
				}
			}
		})
		_, err := s.Trim(engine.Keep{Since: math.MaxInt64})
		close(trimmed)
		reading.Wait()
		must(t, err)
	}
}
