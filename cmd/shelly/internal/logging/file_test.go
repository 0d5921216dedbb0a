package logging

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/runtime/config"
	"shelly/runtime/datafolder"
)

// read returns what a data folder keeps, oldest first.
func read(t *testing.T, data string) string {
	t.Helper()
	files, err := Files(data)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestOBS5WhatIsSaidBeforeTheFolderIsOpenIsKeptToo(t *testing.T) {
	data := t.TempDir()
	f := NewFile(config.Log{Level: "error", Keep: 4 * config.MiB})
	log := slog.New(f.Handler())
	log.Info("early")
	log.Debug("unwanted")
	if err := f.Open(data); err != nil {
		t.Fatal(err)
	}
	log.Info("later")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	log.Info("too late")
	got := read(t, data)
	if !strings.Contains(got, "early") || !strings.Contains(got, "later") || strings.Contains(got, "unwanted") || strings.Contains(got, "too late") {
		t.Errorf("got %s; want what was logged early and later, nothing unwanted or too late", got)
	}
	info, err := os.Stat(Current(data))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want Mode().Perm() 0o600", info, err)
	}
}

// A kill in the midst of a write costs no record but that one.
func TestOBS5ARecordAfterATornOneHasItsOwnLine(t *testing.T) {
	for _, torn := range []string{`{"time":"2026-01-`, "{}\n", "{", ""} {
		data := t.TempDir()
		if err := os.MkdirAll(datafolder.Logs(data), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(Current(data), []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		f := NewFile(config.Log{Level: "info", Keep: 4 * config.MiB})
		if err := f.Open(data); err != nil {
			t.Fatal(err)
		}
		log := slog.New(f.Handler())
		log.Info("first")
		log.Info("second")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(torn, "\n")
		lines := strings.Split(strings.TrimSuffix(read(t, data), "\n"), "\n")
		if want == "" {
			lines = append([]string{""}, lines...)
		}
		if len(lines) != 3 || lines[0] != want || !strings.HasPrefix(lines[1], `{"time"`) || !strings.HasPrefix(lines[2], `{"time"`) {
			t.Errorf("after %q: %q", torn, lines)
		}
	}
}

// Nor does a full disk, on which only the beginning of a record had room.
func TestOBS5ARecordAfterAPartOfOneHasItsOwnLine(t *testing.T) {
	r := &rotating{name: filepath.Join(t.TempDir(), fileName), most: 100}
	for _, written := range []string{"{}\n", "{", "{}\n", "{}\n"} {
		if err := r.write([]byte(written)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(r.name); err != nil || string(got) != "{}\n{\n{}\n{}\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOBS5NoMoreIsKeptThanWanted(t *testing.T) {
	data := t.TempDir()
	f := NewFile(config.Log{Level: "info", Keep: 4 * config.MiB})
	if err := f.Open(data); err != nil {
		t.Fatal(err)
	}
	log, text := slog.New(f.Handler()), strings.Repeat("x", 64<<10)
	const records = 200 // of 64 KiB
	for i := range records {
		log.Info(text, "n", i)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, data)
	if size := config.Bytes(len(got)); size > 4*config.MiB || size < 3*config.MiB {
		t.Errorf("%v are kept", size)
	}
	if !strings.HasSuffix(got, `"n":199}`+"\n") {
		t.Error("the newest record is not the last")
	}
}

// A cleanup program removes the folder or a file, or renames the file.
func TestOBS5ARemovedFileIsBegunAnew(t *testing.T) { synctest.Test(t, removes) }

func removes(t *testing.T) {
	data := t.TempDir()
	f := NewFile(config.Log{Level: "info", Keep: 4 * config.MiB})
	must(t, f.Open(data))
	log := slog.New(f.Handler())
	away := filepath.Join(t.TempDir(), "away")
	for i, remove := range []func() error{
		func() error { return os.RemoveAll(datafolder.Logs(data)) },
		func() error { return os.Remove(Current(data)) },
		func() error { return os.Rename(Current(data), away) },
	} {
		log.Info("before", "n", i)
		must(t, remove())
		time.Sleep(lookTick) // virtual time
		log.Info("after", "n", i)
		if got := read(t, data); !strings.HasPrefix(got, "{") || strings.Contains(got, `"before","n":`+fmt.Sprint(i)) || !strings.Contains(got, `"after","n":`+fmt.Sprint(i)) {
			t.Errorf("%d: kept is %s", i, got)
		}
	}

	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(data, moved))
	must(t, os.MkdirAll(datafolder.Logs(data), 0o700))
	log.Info("moved")
	log.Info(strings.Repeat("x", 2<<20)) // for which another file would be begun
	must(t, f.Close())
	if there, here := read(t, data), read(t, moved); there != "" || !strings.Contains(here, "moved") {
		t.Errorf("another's folder holds %q, its own %q", there, here)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOBS5AFileThatCannotBeSetAsideDoesNotGrow(t *testing.T) {
	r := &rotating{name: filepath.Join(t.TempDir(), fileName), most: 20}
	t.Cleanup(func() { _ = r.close() })
	ways := []string{aside(r.name, 1), aside(r.name, 2), aside(r.name, 3)}
	for _, way := range ways {
		if err := os.MkdirAll(filepath.Join(way, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 6 {
		if err := r.write([]byte("a record\n")); (err == nil) != (n < 2) {
			t.Errorf("record %d: got %v; want an error %t", n, err, n >= 2)
		}
	}
	if text, err := os.ReadFile(r.name); err != nil || string(text) != "a record\na record\n" {
		t.Errorf("got %q, %v; want 2 records", text, err)
	}
	for _, way := range ways {
		if err := os.RemoveAll(way); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.write([]byte("the next\n")); err != nil {
		t.Errorf("once nothing is in the way: %v", err)
	}
	if text, err := os.ReadFile(r.name); err != nil || string(text) != "the next\n" {
		t.Errorf("got %q, %v; want a new file", text, err)
	}
}

func TestOBS5NothingIsKeptWhereNothingIsWantedOrCanBe(t *testing.T) {
	data := t.TempDir()
	f := NewFile(config.Log{Level: "info"})
	slog.New(f.Handler()).Info("x")
	if err := f.Open(data); err != nil {
		t.Fatal(err)
	}
	if files, err := Files(data); err != nil || len(files) > 0 {
		t.Errorf("got %q, %v; want none", files, err)
	}
	if err := os.WriteFile(datafolder.Logs(data), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f = NewFile(config.Log{Level: "info", Keep: config.MiB})
	if err := f.Open(data); err == nil {
		t.Error("the log was opened, although a file is in the place of its folder")
	}
	slog.New(f.Handler()).Info("x") // it must not be held either
	if len(f.early) > 0 || f.Close() != nil {
		t.Errorf("got %v held; want none, and a file that closes", f.early)
	}
}
