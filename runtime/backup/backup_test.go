package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/backup"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

func now() time.Time { return time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC) }

// folder is a data folder with an open store.
type folder struct {
	t     *testing.T
	dir   string
	store *store.Store
}

// newFolder returns a folder with n records, the first of which accepted a request that is not
// done, a MEMORY.md, and files that no backup holds.
func newFolder(t *testing.T, n uint64) *folder {
	t.Helper()
	f := &folder{t: t, dir: t.TempDir()}
	f.open()
	f.add(n)
	f.file("memory/MEMORY.md", "a fact\n")
	f.file("token", "secret\n")
	return f
}

func (f *folder) open() {
	f.t.Helper()
	s, err := store.Open(filepath.Join(f.dir, "store"), store.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.store = s
	f.t.Cleanup(func() { _ = s.Close() }) // it may already be closed
}

func (f *folder) close() {
	f.t.Helper()
	if err := f.store.Close(); err != nil {
		f.t.Fatal(err)
	}
}

// add makes the machine step n times.
func (f *folder) add(n uint64) {
	f.t.Helper()
	e, err := engine.Open(f.store, idle{})
	if err != nil {
		f.t.Fatal(err)
	}
	if e.Last() == 0 {
		err = e.Turn(fsm.Input{At: 1, Fact: fsm.Boot{Config: profile.Shelly()}})
		if err == nil {
			_, err = e.Accept(2, fsm.Requested{Request: fsm.RequestKey{Principal: "local", Channel: "http", ID: "m1"}, Text: "hello"})
		}
	}
	for err == nil && n > e.Last() {
		err = e.Turn(fsm.Input{At: fsm.Millis(e.Last()), Fact: fsm.TimerFired{Timer: 1 << 40}})
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// idle performs nothing.
type idle struct{}

func (idle) Perform(fsm.Effect) error { return nil }

func (f *folder) file(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) source() backup.Source {
	return backup.Source{Data: f.dir, Store: f.store, Version: "test", Now: now}
}

func (f *folder) backup() ([]byte, backup.Manifest) {
	f.t.Helper()
	var file bytes.Buffer
	m, err := backup.Write(f.t.Context(), &file, f.source())
	if err != nil {
		f.t.Fatal(err)
	}
	return file.Bytes(), m
}

// names lists the content of a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// records reads what a data folder holds.
func records(t *testing.T, dir string) (indexes []uint64) {
	t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(dir, "store"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Replay(0, func(r engine.Record) error {
		indexes = append(indexes, r.Index)
		return nil
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return indexes
}

func TestJRN24ABackupHoldsAllThatWasSyncedAndNothingSecret(t *testing.T) {
	f := newFolder(t, 10)
	file, m := f.backup()
	want := backup.Manifest{
		Format: backup.Format, Shelly: "test", Time: now(), Store: f.store.Name(), StoreFormat: store.Format,
		First: 1, Last: 10, Requests: 1, Unfinished: 1, Bytes: m.Bytes, Files: m.Files,
	}
	if diff := cmp.Diff(want, m); diff != "" || m.Bytes == 0 {
		t.Errorf("%d bytes (-want +got)\n%s", m.Bytes, diff)
	}
	var entries []string
	for r := tar.NewReader(bytes.NewReader(file)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(h.Name, "store/") {
			entries = append(entries, h.Name)
		}
	}
	if diff := cmp.Diff([]string{"manifest.json", "memory/MEMORY.md", "checksums"}, entries); diff != "" {
		t.Errorf("beside the store (-want +got)\n%s", diff)
	}
	if got, err := backup.Check(bytes.NewReader(file)); err != nil || !cmp.Equal(got, m) {
		t.Errorf("checked: %+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"memory", "store", "token"}, names(t, f.dir)); diff != "" {
		t.Errorf("left behind (-want +got)\n%s", diff)
	}
}

// What is written while a backup is being sent is not part of it.
func TestJRN24TheStoreIsWrittenWhileABackupIsSent(t *testing.T) {
	f := newFolder(t, 10)
	wrote := false
	var file bytes.Buffer
	m, err := backup.Write(t.Context(), writerFunc(func(p []byte) (int, error) {
		if !wrote {
			wrote = true
			f.add(5000)
			f.file("memory/MEMORY.md", "another fact, much longer than the first\n")
		}
		return file.Write(p)
	}), f.source())
	if err != nil || m.Last != 10 {
		t.Fatalf("up to %d, %v", m.Last, err)
	}
	to := t.TempDir()
	if _, err := backup.Restore(context.Background(), &file, to, backup.Options{Now: now}); err != nil {
		t.Fatal(err)
	}
	if got := records(t, to); len(got) != 10 {
		t.Errorf("%d records", len(got))
	}
}

// touching is a store for which a session is saved just after a checkpoint.
type touching struct {
	*store.Store
	f     *folder
	times int
}

func (s *touching) Checkpoint(dir string) error {
	err := s.Store.Checkpoint(dir)
	if s.times++; s.times == 1 {
		s.f.file("memory/MEMORY.md", "another fact\n")
		s.f.add(20)
	}
	return err
}

// The memory files in a backup hold no turn that the checkpoint does not.
func TestJRN24ACheckpointIsTakenAgainForFilesThatChange(t *testing.T) {
	f := newFolder(t, 10)
	s := &touching{Store: f.store, f: f}
	var file bytes.Buffer
	from := f.source()
	from.Store = s
	m, err := backup.Write(t.Context(), &file, from)
	if err != nil || s.times != 2 || m.Last != 20 || !bytes.Contains(file.Bytes(), []byte("another fact\n")) {
		t.Errorf("%d checkpoints, up to %d, %v", s.times, m.Last, err)
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

func TestABackupThatCannotBeWrittenEndsAndLeavesNothing(t *testing.T) {
	f := newFolder(t, 10)
	gone := errors.New("gone")
	if _, err := backup.Write(t.Context(), writerFunc(func([]byte) (int, error) { return 0, gone }), f.source()); !errors.Is(err, gone) {
		t.Errorf("got %v; want %v", err, gone)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Write(ctx, io.Discard, f.source()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
	if diff := cmp.Diff([]string{"memory", "store", "token"}, names(t, f.dir)); diff != "" {
		t.Errorf("left behind (-want +got)\n%s", diff)
	}
	f.file("checkpoint.tmp/store/000001.sst", "of a crash")
	if err := backup.Clear(f.dir); err != nil || len(names(t, filepath.Join(f.dir, "checkpoint.tmp"))) > 0 {
		t.Errorf("got %v; want nothing in the folder", err)
	}
}

func TestJRN25ARestoredFolderHoldsWhatWasBackedUp(t *testing.T) {
	f := newFolder(t, 10)
	file, m := f.backup()
	to := filepath.Join(t.TempDir(), "a", "b")
	got, err := backup.Restore(context.Background(), bytes.NewReader(file), to, backup.Options{Now: now})
	if diff := cmp.Diff(backup.Restored{Manifest: m}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"memory", "store"}, names(t, to)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(to, "memory", "MEMORY.md")); err != nil || string(text) != "a fact\n" {
		t.Errorf("got %q, %v; want %q", text, err, "a fact\n")
	}
	if got := records(t, to); len(got) != 10 {
		t.Errorf("%d records", len(got))
	}
}

// A link to a folder elsewhere is moved aside, too, and still leads there.
func TestJRN25ALinkIsMovedAside(t *testing.T) {
	f := newFolder(t, 10)
	file, _ := f.backup()
	for _, folder := range []string{"memory", "store"} {
		to := t.TempDir()
		data, place := filepath.Join(to, "data"), filepath.Join(to, "data", folder)
		for what, target := range map[string]string{"relative": "../elsewhere", "absolute": filepath.Join(to, "elsewhere")} {
			err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o700), os.MkdirAll(filepath.Join(to, "elsewhere"), 0o700))
			err = errors.Join(err, os.WriteFile(filepath.Join(to, "elsewhere", "old"), nil, 0o600), os.Symlink(target, place))
			if err != nil {
				t.Fatal(err)
			}
			got, err := backup.Restore(t.Context(), bytes.NewReader(file), data, backup.Options{Force: true, Now: now})
			if info, failed := os.Lstat(place); err != nil || failed != nil || !info.IsDir() {
				t.Errorf("%s, %s: %v, %v; want the restored folder in place of the link", folder, what, err, failed)
			}
			if _, err := os.Stat(filepath.Join(got.Aside, folder, "old")); got.Aside == "" || err != nil {
				t.Errorf("%s, %s: what was there is not in %q: %v", folder, what, got.Aside, err)
			}
		}
	}
}

// endless is a backup that stops coming in the midst, when its context ends.
type endless struct {
	file io.Reader
	end  func()
}

func (e endless) Read(p []byte) (int, error) {
	n, err := e.file.Read(p[:min(len(p), 1000)])
	if err == io.EOF {
		e.end()
		return 1, nil
	}
	return n, err
}

func TestJRN25AnInterruptedRestoreChangesNothing(t *testing.T) {
	f := newFolder(t, 20)
	file, _ := f.backup()
	to := t.TempDir()
	ctx, end := context.WithCancel(t.Context())
	_, err := backup.Restore(ctx, endless{bytes.NewReader(file[:len(file)/2]), end}, to, backup.Options{Now: now})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want that it was interrupted", err)
	}
	if left := names(t, to); len(left) > 0 {
		t.Errorf("left behind %q", left)
	}
}

// A restore by root would leave a store that the user of the folder cannot open.
func TestCFG16RootRestoresNothingIntoAnothersFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away, or write into another's")
	}
	file, _ := newFolder(t, 10).backup()
	to := t.TempDir()
	if err := os.Chown(to, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(context.Background(), bytes.NewReader(file), to, backup.Options{Now: now, Force: true}); !errors.Is(err, datafolder.ErrForeign) {
		t.Errorf("%v; want ErrForeign", err)
	}
	if left := names(t, to); len(left) > 0 {
		t.Errorf("left behind %q", left)
	}
}

func TestJRN25WhatIsThereStaysOrIsMovedAside(t *testing.T) {
	f := newFolder(t, 10)
	file, _ := f.backup()
	if _, err := backup.Restore(context.Background(), bytes.NewReader(file), f.dir, backup.Options{Now: now, Force: true}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("beside a daemon: %v", err)
	}
	f.add(20)
	f.close()
	if _, err := backup.Restore(context.Background(), bytes.NewReader(file), f.dir, backup.Options{Now: now}); !errors.Is(err, backup.ErrOccupied) {
		t.Errorf("without force: %v", err)
	}
	if got := records(t, f.dir); len(got) != 20 {
		t.Errorf("a refusal has left %d records", len(got))
	}
	for _, aside := range []string{"before-restore-20260131T090000Z", "before-restore-20260131T090000Z-2", "before-restore-20260131T090000Z-3"} {
		got, err := backup.Restore(context.Background(), bytes.NewReader(file), f.dir, backup.Options{Now: now, Force: true})
		if err != nil || got.Aside != filepath.Join(f.dir, aside) {
			t.Fatalf("got %q, %v; want %q", got.Aside, err, filepath.Join(f.dir, aside))
		}
	}
	for dir, want := range map[string]int{f.dir: 10, filepath.Join(f.dir, "before-restore-20260131T090000Z"): 20} {
		if got := records(t, dir); len(got) != want {
			t.Errorf("%s: %d records, want %d", dir, len(got), want)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "memory", "MEMORY.md")); err != nil || string(text) != "a fact\n" {
			t.Errorf("%s: got %q, %v; want %q", dir, text, err, "a fact\n")
		}
	}
}
