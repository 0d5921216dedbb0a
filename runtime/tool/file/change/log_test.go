package change

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func begin(t *testing.T, l *Log, key string, before []byte) *Entry {
	t.Helper()
	e, err := l.Begin(Record{Key: key, Session: "s", Tool: "write_file", Folder: "/w", Name: "f", After: Hash([]byte("x"))}, before)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Ended changes beyond the bounds are dropped, the oldest first; changes that are only started
// are kept for the probe.
func TestTOL27TheRecordIsBounded(t *testing.T) {
	l := Open(filepath.Join(t.TempDir(), "changes"))
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	begin(t, l, "started", nil)
	large := bytes.Repeat([]byte("x"), TextMax)
	for i := range BytesMax/TextMax + 3 {
		if err := begin(t, l, fmt.Sprint(i), large).End(); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := l.List("s")
	if err != nil || len(entries) != BytesMax/TextMax+1 {
		t.Fatalf("%d are kept, %v", len(entries), err)
	}
	if last := entries[len(entries)-1]; last.Key != "started" || entries[0].Key != fmt.Sprint(BytesMax/TextMax+2) {
		t.Errorf("kept are %q to %q", entries[0].Key, last.Key)
	}
	held, err := entries[0].Content()
	if err != nil || !bytes.Equal(held, large) {
		t.Errorf("%d bytes, %v", len(held), err)
	}
	files, err := os.ReadDir(l.dir)
	if err != nil || len(files) != 2*(BytesMax/TextMax)+1 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// A process that is killed while it begins a record leaves files that no bound counts.
func TestTOL27WhatAKillLeftOfARecordIsRemoved(t *testing.T) {
	l := Open(t.TempDir())
	began := begin(t, l, "a", []byte("before a"))
	if err := begin(t, l, "b", []byte("before b")).End(); err != nil {
		t.Fatal(err)
	}
	left := func() (names []string) {
		files, err := os.ReadDir(l.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, f.Name())
		}
		return names
	}
	if err := os.WriteFile(filepath.Join(l.dir, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := left()
	stem := "000000000003-" + tag("c")
	for _, name := range []string{stem + ".before", "." + stem + ".before.123", "." + began.stem + ".started.7"} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Sweep(); err != nil {
		t.Fatal(err)
	}
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
}

// A call that is started again has one record.
func TestASecondStartTakesThePlaceOfTheFirst(t *testing.T) {
	l := Open(t.TempDir())
	begin(t, l, "a", []byte("first"))
	second := begin(t, l, "a", []byte("second"))
	entries, err := l.List("")
	if err != nil || len(entries) != 1 || entries[0].ID() != second.ID() {
		t.Fatalf("got %v, %v; want 1 of them, ID %v", entries, err, second.ID())
	}
	if err := second.Drop(); err != nil {
		t.Fatal(err)
	}
	if _, found, err := l.Find("a"); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	if files, err := os.ReadDir(l.dir); err != nil || len(files) != 0 {
		t.Errorf("left are %v, %v", files, err)
	}
}

// Only one holds the lock at a time, and a waiting one can be given up.
func TestALockIsWaitedFor(t *testing.T) {
	l := Open(t.TempDir())
	unlock, err := l.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(l.dir).Lock(gone); err == nil {
		t.Error("two have the lock")
	}
	unlock()
	unlock, err = l.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
