package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTOL99ANoteIsThereAfterACrashAndReplacesAnEarlierOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	if _, found, err := Open(dir).Get("h1.1"); found || err != nil {
		t.Errorf("before any: %v, %v", found, err)
	}
	for _, task := range []string{"t1", "t2"} {
		if err := Open(dir).Put(Note{Key: "h1.1", Server: "s", Tool: "deploy", Task: task}); err != nil {
			t.Fatal(err)
		}
	}
	note, found, err := Open(dir).Get("h1.1")
	if want := (Note{Version: 1, Key: "h1.1", Server: "s", Tool: "deploy", Task: "t2"}); !found || err != nil || fmt.Sprint(note) != fmt.Sprint(want) {
		t.Errorf("it is %+v, %v, %v", note, found, err)
	}
}

func TestTOL99NotesAreBounded(t *testing.T) {
	n := Open(t.TempDir())
	now := time.Now()
	for i := range CountMax + 5 {
		name := n.path(fmt.Sprint(i))
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(-time.Duration(i) * time.Second)
		if i == 3 {
			at = now.Add(-AgeMax - time.Second)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.prune(now); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(n.dir)
	if err != nil || len(left) != CountMax {
		t.Errorf("%d are left, %v", len(left), err)
	}
	for i, want := range map[int]bool{0: true, 3: false, CountMax - 1: true, CountMax: true, CountMax + 4: false} { // order-free: each is looked for alone
		if _, err := os.Stat(n.path(fmt.Sprint(i))); (err == nil) != want {
			t.Errorf("note %d: %v", i, err)
		}
	}
}

// A process that is killed while it writes a note leaves a file that is none.
func TestTOL99WhatAKillLeftOfANoteIsRemoved(t *testing.T) {
	n := Open(t.TempDir())
	if err := os.WriteFile(filepath.Join(n.dir, "."+filepath.Base(n.path("a"))+".123"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := n.Put(Note{Key: "b"}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(n.dir)
	if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(n.path("b")) {
		t.Errorf("left are %v, %v; want the note of b", left, err)
	}
}
