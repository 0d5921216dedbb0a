package store_test

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/store"
)

func TestOpenMakesAFolderForItsOwnerAlone(t *testing.T) {
	above := filepath.Join(t.TempDir(), "a")
	s := open(t, filepath.Join(above, "b"), store.Options{})
	defer end(t, &s)
	for _, dir := range []string{above, filepath.Join(above, "b")} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o700 {
			t.Errorf("%s has mode %o; want 700", dir, got)
		}
	}
}

func TestCFG8OpenRefusesAFolderInUse(t *testing.T) {
	for name, options := range map[string]store.Options{"disk": {}, "memory": {FS: vfs.NewMem()}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			first := open(t, dir, options)
			_, err := store.Open(dir, options)
			if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), dir) {
				t.Errorf("the second Open: %v; want ErrLocked with the folder's name", err)
			}
			end(t, &first)
			again := open(t, dir, options)
			end(t, &again)
		})
	}
}

func TestCFG8ARefusedOpenChangesNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "store")
	s := open(t, folder, store.Options{})
	defer end(t, &s)
	appendRecords(t, s, 1, 3, true)
	before := contents(t, folder)
	if _, err := store.Open(folder, store.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Fatalf("the second Open: %v; want ErrLocked", err)
	}
	if diff := cmp.Diff(before, contents(t, folder)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
}

// Failing to make a lock file is not the same as finding a held lock.
func TestOpenTellsAMissingRightFromALock(t *testing.T) {
	refused := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpLock {
			return &os.PathError{Op: "open", Path: op.Path, Err: syscall.EACCES}
		}
		return nil
	})
	_, err := store.Open(dir, store.Options{FS: errorfs.Wrap(vfs.NewMem(), refused)})
	if !errors.Is(err, os.ErrPermission) || errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open: %v; want the missing right, not ErrLocked, and the folder's name", err)
	}
}

// CFG-8, CLI-3: without locks nothing would keep a second process out, so the folder is not opened, and
// what to do is said.
func TestCFG8AFolderThatCannotBeLockedIsNotOpened(t *testing.T) {
	for _, why := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		without := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpLock {
				return why
			}
			return nil
		})
		_, err := store.Open(dir, store.Options{FS: errorfs.Wrap(vfs.NewMem(), without)})
		if err == nil || errors.Is(err, store.ErrLocked) || store.Advice(err) == "" ||
			!strings.HasPrefix(err.Error(), "cannot lock the data folder "+dir+": "+why.Error()+": its file system has no locks") {
			t.Errorf("%v: %v", why, err)
		}
	}
}

func TestOpenSaysWhatToDoWhereItMayNotWrite(t *testing.T) {
	refused := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate {
			return &os.PathError{Op: "open", Path: op.Path, Err: syscall.EACCES}
		}
		return nil
	})
	_, err := store.Open(dir, store.Options{FS: errorfs.Wrap(vfs.NewMem(), refused)})
	if want := "give this user access to it"; !errors.Is(err, os.ErrPermission) || strings.Count(err.Error(), want) != 1 {
		t.Errorf("got %v; want it to say once %q", err, want)
	}
}

func TestOpenOfAFileIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := store.Open(file, store.Options{})
	if err == nil || errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), file) {
		t.Errorf("Open: %v; want an error that is not ErrLocked and names the file", err)
	}
}

func TestJRN15ANewerFormatIsRefusedAndLeftUntouched(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "store")
	s := open(t, folder, store.Options{})
	appendRecords(t, s, 1, 3, true)
	end(t, &s)
	edit(t, vfs.Default, folder, func(db *pebble.DB) error {
		return db.Set([]byte("Mformat"), binary.BigEndian.AppendUint32(nil, store.Format+1), pebble.Sync)
	})
	before := contents(t, folder)

	_, err := store.Open(folder, store.Options{})
	if !errors.Is(err, store.ErrNewerFormat) || !strings.Contains(err.Error(), folder) {
		t.Fatalf("Open: %v; want ErrNewerFormat with the folder's name", err)
	}
	if diff := cmp.Diff(before, contents(t, folder)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
	_, err = store.Open(folder, store.Options{})
	if !errors.Is(err, store.ErrNewerFormat) {
		t.Errorf("Open again: %v; want ErrNewerFormat, the lock given back", err)
	}
}

func TestOpenRefusesAStrangeDatabase(t *testing.T) {
	for name, change := range map[string]func(*pebble.DB) error{
		"no format":    func(db *pebble.DB) error { return db.Set([]byte("x"), nil, pebble.Sync) },
		"short format": func(db *pebble.DB) error { return db.Set([]byte("Mformat"), []byte{1}, pebble.Sync) },
		"format 0":     func(db *pebble.DB) error { return db.Set([]byte("Mformat"), make([]byte, 4), pebble.Sync) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			edit(t, fs, dir, change)
			if _, err := store.Open(dir, store.Options{FS: fs}); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("Open: %v; want ErrCorrupt", err)
			}
		})
	}
}

// A crash between making the database and writing its format leaves an empty
// one.
func TestOpenTakesAnEmptyDatabase(t *testing.T) {
	fs := vfs.NewMem()
	edit(t, fs, dir, func(*pebble.DB) error { return nil })
	s := open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 1, 2, true)
	end(t, &s)
	s = open(t, dir, store.Options{FS: fs})
	wantRecords(t, s, 2)
	end(t, &s)
}

// A store of format 1 keeps all that it had, and what its format lacks is empty.
func TestJRN15AnOlderFormatIsTaken(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	appendRecords(t, s, 1, 3, true)
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error {
		return errors.Join(
			db.Set([]byte("Mformat"), binary.BigEndian.AppendUint32(nil, 1), pebble.Sync),
			db.Delete([]byte("Mname"), pebble.Sync),
		)
	})
	s = open(t, dir, store.Options{FS: fs})
	wantRecords(t, s, 3)
	name := s.Name()
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	edit(t, after, dir, func(db *pebble.DB) error {
		value, closer, err := db.Get([]byte("Mformat"))
		if err != nil {
			return err
		}
		if got := binary.BigEndian.Uint32(value); got != store.Format {
			t.Errorf("it has format %d now; want %d", got, store.Format)
		}
		return closer.Close()
	})
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	wantRecords(t, s, 3)
	if s.Name() != name || name == "" {
		t.Errorf("it is called %q, then %q; want one name", name, s.Name())
	}
}

func TestEachStoreHasANameOfItsOwn(t *testing.T) {
	fs := vfs.NewMem()
	a, b := open(t, "a", store.Options{FS: fs}), open(t, "b", store.Options{FS: fs})
	if a.Name() == b.Name() {
		t.Errorf("two stores are called %q", a.Name())
	}
	end(t, &a)
	end(t, &b)
}

func TestJRN14SpaceHasAReserve(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs, ReserveBytes: 1000})
	defer end(t, &s)
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1000, TotalBytes: 5000})
	if err := s.Space(); err != nil {
		t.Errorf("Space at the reserve: %v; want none", err)
	}
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 999, TotalBytes: 5000})
	if err := s.Space(); !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("Space below the reserve: %v; want ErrNoSpace", err)
	}
	disk := open(t, t.TempDir(), store.Options{ReserveBytes: 1 << 62})
	defer end(t, &disk)
	if err := disk.Space(); !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("Space on a real disk with a reserve of exabytes: %v; want ErrNoSpace", err)
	}
}

func TestCOM53TheLogThatIsBeingWrittenTakesSpace(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem()})
	defer end(t, &s)
	before, err := s.Usage()
	if err != nil {
		t.Fatal(err)
	}
	appendRecords(t, s, 1, 100, true)
	after, err := s.Usage()
	if err != nil || after.Bytes < before.Bytes+1000 {
		t.Errorf("%d bytes, and %d after 100 records: %v", before.Bytes, after.Bytes, err)
	}
}

func TestMethodsAfterCloseAreErrors(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem(), Logger: slog.New(slog.DiscardHandler)})
	must(t, errors.Join(s.Close(), s.Close()))
	_, _, request := s.Request(fsm.RequestKey{})
	_, _, snapshot := s.Snapshot(math.MaxUint64)
	_, messages := s.Messages(fsm.Origin{}, 0, 1)
	_, audit := s.Audit("", 0, 1)
	_, none := s.Audit("", 0, 0)
	_, session := s.Session("s")
	_, archived := s.LastArchived("s")
	_, requests := s.Requests(1, 1)
	_, _, text := s.Text(engine.TextKey{})
	_, texts := s.Texts()
	_, kept := s.Kept()
	_, trim := s.Trim(engine.Keep{})
	_, usage := s.Usage()
	_, _, entry := s.Entry("e")
	_, forgotten := s.Forgotten("e")
	_, index := s.LastIndex(nil)
	_, examine := s.Examine(t.Context())
	for name, err := range map[string]error{
		"Append":       s.Append(engine.Batch{}, true),
		"Replay":       s.Replay(0, nil),
		"Request":      request,
		"SaveSnapshot": s.SaveSnapshot(1, state.Snapshot{}),
		"Snapshot":     snapshot,
		"PutEntry":     s.PutEntry(fsm.Entry{}),
		"Entries":      s.Entries(nil),
		"Messages":     messages,
		"Audit":        audit,
		"Audit of 0":   none,
		"Session":      session,
		"PutSession":   s.PutSession("s", nil, nil),
		"Sessions":     s.Sessions(nil),
		"Archived":     s.Archived("s", 0, 1, nil),
		"LastArchived": archived,
		"Archives":     s.Archives(nil),
		"DropArchived": s.DropArchived("s", 1),
		"Requests":     requests,
		"Text":         text,
		"Texts":        texts,
		"Kept":         kept,
		"Trim":         trim,
		"Usage":        usage,
		"Entry":        entry,
		"Forgotten":    forgotten,
		"Forget":       s.ForgetEntries([]string{"e"}),
		"SyncEntries":  s.SyncEntries(),
		"LastIndex":    index,
		"ReadIndex":    s.ReadIndex(nil, nil),
		"ReadIndexAt":  s.ReadIndexAt(nil, nil),
		"WriteIndex":   s.WriteIndex(nil),
		"DropIndex":    s.DropIndex(),
		"Examine":      examine,
		"Checkpoint":   s.Checkpoint("copy"),
		"Rest":         s.Rest(),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: %v; want ErrClosed", name, err)
		}
	}
}

// edit changes the database behind the store's back.
func edit(t *testing.T, fs vfs.FS, dir string, change func(*pebble.DB) error) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{
		FS: fs, Logger: quiet{}, FormatMajorVersion: pebble.FormatTableFormatV6,
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, errors.Join(change(db), db.Close()))
}

type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(format) }

// contents returns the content of each file in dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range list {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = string(data)
	}
	return files
}

func record(index uint64) engine.Record {
	return engine.Record{Index: index, Input: fsm.Input{At: fsm.Millis(index), Fact: fsm.TimerFired{Timer: 1}}, Effects: index}
}

// appendRecords appends records first to last, one batch each, or fails t.
func appendRecords(t *testing.T, s *store.Store, first, last uint64, sync bool) {
	t.Helper()
	for index := first; index <= last; index++ {
		must(t, s.Append(engine.Batch{Records: []engine.Record{record(index)}}, sync))
	}
}

// wantRecords fails t unless the store replays records 1 to last.
func wantRecords(t *testing.T, s *store.Store, last uint64) {
	t.Helper()
	var want, got []engine.Record
	for index := uint64(1); index <= last; index++ {
		want = append(want, record(index))
	}
	err := s.Replay(0, func(r engine.Record) error {
		got = append(got, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
