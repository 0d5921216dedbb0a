package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/store"
)

// entry is an entry of a tar file.
type entry struct {
	tar.Header
	content string
}

func entries(t testing.TB, file []byte) (list []entry) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(file)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, entry{*h, string(content)})
	}
}

func packed(t testing.TB, list []entry) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for _, e := range list {
		if e.Typeflag == tar.TypeReg {
			e.Size = int64(len(e.content))
		}
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestJRN25NoDamageIsRestored(t *testing.T) {
	f := newFolder(t, 10)
	file, m := f.backup()
	parts := entries(t, file)
	last := len(parts) - 1
	for name, test := range map[string]struct {
		change func([]entry) []entry
		says   string
	}{
		"nothing":           {func([]entry) []entry { return nil }, "it ends before manifest.json"},
		"no checksums":      {func(l []entry) []entry { return l[:last] }, "it ends before checksums"},
		"a file less":       {func(l []entry) []entry { return append(l[:1:1], l[2:]...) }, "is where " + m.Files[0].Name + " belongs"},
		"a file more":       {func(l []entry) []entry { return append(l, l[1]) }, "something follows checksums"},
		"another content":   {func(l []entry) []entry { l[last-1].content = "a lie.\n"; return l }, "the checksum of memory/MEMORY.md"},
		"a longer content":  {func(l []entry) []entry { l[last-1].content += "x"; return l }, "memory/MEMORY.md has 8 bytes; at most 7 are allowed"},
		"a shorter content": {func(l []entry) []entry { l[last-1].content = "x"; return l }, "memory/MEMORY.md has 1 byte, but the manifest says 7"},
		"fewer checksums":   {func(l []entry) []entry { l[last].content = l[last].content[:66]; return l }, "the checksum of"},
		"a way out":         {func(l []entry) []entry { l[1].Name = "../../x"; return l }, `"../../x" leads out of the data folder`},
		"a way out, within": {func(l []entry) []entry { l[1].Name = "store/../../x"; return l }, `leads out of the data folder`},
		"an absolute name":  {func(l []entry) []entry { l[1].Name = "/etc/x"; return l }, `leads out of the data folder`},
		"a token":           {func(l []entry) []entry { l[1].Name = "token"; return l }, `"token" does not belong in a backup`},
		"a link": {func(l []entry) []entry {
			l[1] = entry{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: l[1].Name, Linkname: "/etc"}}
			return l
		}, "is not a plain file"},
		"a folder": {func(l []entry) []entry {
			l[1] = entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: "store/"}}
			return l
		}, "is not a plain file"},
		"no manifest":        {func(l []entry) []entry { return l[1:] }, "belongs"},
		"an odd manifest":    {func(l []entry) []entry { l[0].content = "x"; return l }, "manifest.json: "},
		"an empty manifest":  {func(l []entry) []entry { l[0].content = "{}"; return l }, "manifest.json: it has no format"},
		"a file twice":       {replaced("memory/MEMORY.md", m.Files[0].Name), "twice"},
		"a manifest's way":   {replaced("memory/MEMORY.md", "memory/../../x"), "leads out of the data folder"},
		"a manifest's total": {replaced(`"bytes": `, `"bytes": 1`), "of the manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := packed(t, test.change(append([]entry{}, parts...)))
			to := filepath.Join(t.TempDir(), "data")
			_, err := backup.Restore(context.Background(), bytes.NewReader(damaged), to, backup.Options{Now: now})
			if !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q", err, test.says)
			}
			if left := names(t, to); len(left) > 0 {
				t.Errorf("left behind %q", left)
			}
		})
	}
}

// replaced replaces text in the manifest.
func replaced(old, by string) func([]entry) []entry {
	return func(l []entry) []entry {
		l[0].content = strings.Replace(l[0].content, old, by, 1)
		return l
	}
}

func TestJRN25ABackupThatWasCutIsNeverRestored(t *testing.T) {
	f := newFolder(t, 10)
	file, _ := f.backup()
	whole := len(file) - 2*512 // without the end mark
	to := t.TempDir()
	for size := 0; size < whole-512; size += 512 {
		if _, err := backup.Restore(context.Background(), bytes.NewReader(file[:size+size%511]), to, backup.Options{Now: now}); !errors.Is(err, backup.ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", size, len(file), err)
		}
	}
	for _, cut := range []int{1, 511, 513, 1023} { // within the end mark
		if _, err := backup.Check(bytes.NewReader(file[:len(file)-cut])); !errors.Is(err, backup.ErrDamaged) || !strings.HasSuffix(err.Error(), "it ends right after checksums") {
			t.Errorf("%d bytes less: %v; want where it ends", cut, err)
		}
	}
	if left := names(t, to); len(left) > 0 {
		t.Errorf("left behind %q", left)
	}
}

func TestJRN25ABackupEndsAtItsEnd(t *testing.T) {
	f := newFolder(t, 10)
	file, _ := f.backup()
	if _, err := backup.Check(bytes.NewReader(append(file, make([]byte, 10240)...))); err != nil {
		t.Errorf("zeros follow: %v", err)
	}
	to := filepath.Join(t.TempDir(), "data")
	_, err := backup.Restore(context.Background(), bytes.NewReader(append(file, 'x')), to, backup.Options{Now: now})
	if !errors.Is(err, backup.ErrDamaged) || len(names(t, to)) > 0 {
		t.Errorf("a byte follows: %v", err)
	}
}

// A backup made by newer code is refused with a specific error.
func TestJRN15ABackupOfANewerShellyIsRefused(t *testing.T) {
	f := newFolder(t, 10)
	file, _ := f.backup()
	for _, change := range []func([]entry) []entry{
		replaced(`"format": 1`, `"format": 2, "later": {}`),
		replaced(`"time": "`, `"format": 2, "time": "later `),
		replaced(`"store_format": `, `"store_format": 9`),
	} {
		_, err := backup.Check(bytes.NewReader(packed(t, change(entries(t, file)))))
		if !errors.Is(err, backup.ErrNewer) || errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), "use the newer one") {
			t.Errorf("got %v; want %v, and %q", err, backup.ErrNewer, "use the newer one")
		}
	}
}

// A backup of a journal in which newer code decided is no damaged one.
func TestJRN15ABackupOfALaterEditionIsRefused(t *testing.T) {
	f := newFolder(t, 10)
	later := fsm.Boot{Config: fsm.Config{Edition: fsm.PresentEdition + 1}}
	if err := f.store.Append(engine.Batch{Records: []engine.Record{{Index: 11, Input: fsm.Input{At: 11, Fact: later}}}}, true); err != nil {
		t.Fatal(err)
	}
	file, _ := f.backup()
	to := t.TempDir()
	_, err := backup.Restore(context.Background(), bytes.NewReader(file), to, backup.Options{Now: now})
	if !errors.Is(err, engine.ErrNewer) || errors.Is(err, backup.ErrDamaged) || len(names(t, to)) > 0 {
		t.Errorf("got %v, left behind %q; want %v", err, names(t, to), engine.ErrNewer)
	}
}

func TestJRN25ABackupWhoseJournalCannotBeFoldedIsRefused(t *testing.T) {
	f := newFolder(t, 10)
	f.close()
	s, err := store.Open(filepath.Join(f.dir, "store"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.store = s
	t.Cleanup(func() { _ = s.Close() })
	file, _ := f.backup()
	for want, change := range map[string]func([]entry) []entry{
		"its store cannot be opened":      manifestOfStore,
		"its journal ends with record 10": replaced(`"last": 10`, `"last": 11`),
		"but the manifest says \"x":       replaced(`"store": "`, `"store": "x`),
	} {
		list := summed(change(entries(t, file)))
		to := t.TempDir()
		_, err = backup.Restore(context.Background(), bytes.NewReader(packed(t, list)), to, backup.Options{Now: now})
		if !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if left := names(t, to); len(left) > 0 {
			t.Errorf("left behind %q", left)
		}
	}
}

// manifestOfStore damages the file that lists the files of the store.
func manifestOfStore(list []entry) []entry {
	for i := range list {
		if strings.HasPrefix(list[i].Name, "store/MANIFEST") {
			list[i].content = strings.Repeat("x", len(list[i].content))
		}
	}
	return list
}

// A daemon that has started during a restore keeps its data.
func TestJRN25ARestoreIsNotFinishedBesideADaemon(t *testing.T) {
	f := newFolder(t, 20)
	f.file("restore.tmp/new/store/x", "x")
	f.file("restore.tmp/ready", `{"aside":"before"}`)
	if _, err := backup.Finish(f.dir); !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v; want %v", err, store.ErrLocked)
	}
	if diff := cmp.Diff([]string{"memory", "restore.tmp", "store", "token"}, names(t, f.dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestJRN31ALossAfterARestoreIsNoticed(t *testing.T) {
	file, _ := newFolder(t, 10).backup()
	for name, halves := range map[string]int64{"a log that was cut": 1, "an empty log": 0} {
		to := t.TempDir()
		if _, err := backup.Restore(context.Background(), bytes.NewReader(file), to, backup.Options{Now: now}); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(to, "store")
		for _, log := range slices.DeleteFunc(names(t, dir), func(name string) bool { return filepath.Ext(name) != ".log" }) {
			path := filepath.Join(dir, log)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()*halves/2); err != nil {
				t.Fatal(err)
			}
		}
		for _, open := range []func(string, store.Options) (*store.Store, error){store.OpenReadOnly, store.Open} {
			s, err := open(dir, store.Options{})
			if err == nil {
				t.Errorf("%s: it opens, and closes with %v", name, s.Close())
			}
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("%s: got %v; want %v", name, err, store.ErrCorrupt)
			}
		}
	}
}

// Wherever a crash interrupts a restore, the folder then holds the old data or the new.
func TestJRN25ACrashLeavesTheOldDataOrTheNew(t *testing.T) {
	const aside = "before-restore-20260131T090000Z"
	mv := func(t *testing.T, dir, from, to string) {
		t.Helper()
		to = filepath.Join(dir, to)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(filepath.Join(dir, from), to)); err != nil {
			t.Fatal(err)
		}
	}
	moves := [][2]string{
		{"store", aside + "/store"}, {"restore.tmp/new/store", "store"},
		{"memory", aside + "/memory"}, {"restore.tmp/new/memory", "memory"},
	}
	for crash := -1; crash <= len(moves); crash++ {
		f := newFolder(t, 20)
		f.close()
		restored := newFolder(t, 10)
		restored.close()
		for _, name := range []string{"store", "memory"} {
			if err := os.MkdirAll(filepath.Join(f.dir, "restore.tmp", "new"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(restored.dir, name), filepath.Join(f.dir, "restore.tmp", "new", name)); err != nil {
				t.Fatal(err)
			}
		}
		want := 20
		if crash >= 0 {
			f.file("restore.tmp/ready", `{"aside":"`+aside+`"}`)
			want = 10
		}
		for i := range max(0, crash) {
			mv(t, f.dir, moves[i][0], moves[i][1])
		}
		if pending := backup.Pending(f.dir); errors.Is(pending, backup.ErrPending) != (crash >= 0) {
			t.Errorf("after move %d: %v", crash, pending)
		}
		finished, err := backup.Finish(f.dir)
		if err != nil || finished != (crash >= 0) {
			t.Fatalf("after move %d: %v, %v", crash, finished, err)
		}
		if got := records(t, f.dir); len(got) != want {
			t.Errorf("after move %d: %d records, want %d", crash, len(got), want)
		}
		entries := []string{"memory", "store", "token"}
		if crash >= 0 {
			entries = append([]string{aside}, entries...)
			if got := records(t, filepath.Join(f.dir, aside)); len(got) != 20 {
				t.Errorf("after move %d: %d records aside", crash, len(got))
			}
		}
		if diff := cmp.Diff(entries, names(t, f.dir)); diff != "" {
			t.Errorf("after move %d (-want +got)\n%s", crash, diff)
		}
	}
}

// Whatever the bytes of a backup are, only its own folders are written, and what is restored is
// what some backup held (JRN-25).
func FuzzRestore(f *testing.F) {
	f.Add([]byte{})
	f.Add(packed(f, []entry{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "manifest.json"}, content: `{"format":1}`}}))
	manifest := `{"format":1,"bytes":2,"files":[{"name":"memory/MEMORY.md","bytes":2}]}`
	sums := newSums()
	sums.add("manifest.json", manifest)
	sums.add("memory/MEMORY.md", "hi")
	f.Add(packed(f, []entry{
		{Header: tar.Header{Typeflag: tar.TypeReg, Name: "manifest.json"}, content: manifest},
		{Header: tar.Header{Typeflag: tar.TypeReg, Name: "memory/MEMORY.md"}, content: "hi"},
		{Header: tar.Header{Typeflag: tar.TypeReg, Name: "checksums"}, content: sums.String()},
	}))
	f.Add(packed(f, []entry{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "../x"}, content: "x"}}))
	above := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := filepath.Join(above, "a", "data")
		_, err := backup.Restore(context.Background(), bytes.NewReader(data), dir, backup.Options{Now: now})
		if _, checked := backup.Check(bytes.NewReader(data)); checked != nil && err == nil {
			t.Errorf("restored although %v", checked)
		}
		if got := names(t, above); !cmp.Equal(got, []string{"a"}) {
			t.Errorf("%q in the folder above", got)
		}
		if got := names(t, filepath.Join(above, "a")); !cmp.Equal(got, []string{"data"}) {
			t.Errorf("%q beside the data folder", got)
		}
		if got := names(t, dir); err != nil && len(got) > 0 {
			t.Errorf("a failure has left %q", got)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	})
}

// JRN-30: a table with a flipped bit is neither accepted as intact for a backup, nor restored from
// a backup that has it.
func TestJRN30ADamagedTableIsNeitherKeptNorRestored(t *testing.T) {
	f := newFolder(t, 600)
	f.close()
	f.open() // what was in the log is now in a table
	file, _ := f.backup()
	list := entries(t, file)
	for i := range list {
		if strings.HasSuffix(list[i].Name, ".sst") {
			list[i].content = flipped(list[i].content)
		}
	}
	damaged := packed(t, summed(list))
	if _, err := backup.Check(bytes.NewReader(damaged)); err != nil {
		t.Fatalf("its checksums: %v", err)
	}
	to := filepath.Join(t.TempDir(), "data")
	_, err := backup.Restore(context.Background(), bytes.NewReader(damaged), to, backup.Options{Now: now})
	if !errors.Is(err, backup.ErrDamaged) || !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), ".sst at byte ") {
		t.Errorf("restored: %v", err)
	}
	if left := names(t, to); len(left) > 0 {
		t.Errorf("left behind %q", left)
	}

	tables, err := filepath.Glob(filepath.Join(f.dir, "store", "*.sst"))
	if err != nil || len(tables) != 2 {
		t.Fatalf("got %q, %v; want 2 of them", tables, err)
	}
	last := tables[1] // the first is of a new store
	text, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	f.file(filepath.Join("store", filepath.Base(last)), flipped(string(text)))
	if m, err := backup.Write(t.Context(), io.Discard, f.source()); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("kept by the daemon: %+v, %v", m, err)
	}
	f.close()
	still, err := store.OpenReadOnly(filepath.Join(f.dir, "store"), store.Options{})
	if err == nil {
		_, err = backup.Write(t.Context(), io.Discard, backup.Source{Data: f.dir, Still: still, Now: now})
		err = errors.Join(err, still.Close())
	}
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("kept from the folder: %v", err)
	}
}

// flipped returns a text with a flipped bit among its first bytes.
func flipped(text string) string {
	b := []byte(text)
	b[100] ^= 4
	return string(b)
}
