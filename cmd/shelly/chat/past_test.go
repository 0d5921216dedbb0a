package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelly/cmd/shelly/chat/editor"
)

func TestCLI156WhatWasAskedIsKept(t *testing.T) {
	data := t.TempDir()
	if got := loadPast(data); got != nil {
		t.Errorf("got %q; want nil", got)
	}
	for _, line := range []string{"one", "two\nlines \x1b", strings.Repeat("x", pastLineMax+1), "日本語"} {
		if err := keepPast(data, line); err != nil {
			t.Fatal(err)
		}
	}
	marks := strings.Repeat("<", pastLineMax) // each is six bytes in the file
	for _, line := range []string{marks, "after it"} {
		if err := keepPast(data, line); err != nil {
			t.Fatal(err)
		}
	}
	if got := loadPast(data); !slices.Equal(got, []string{"one", "two\nlines \x1b", "日本語", marks, "after it"}) {
		t.Errorf("got %q; want %q", got, []string{"one", "two\nlines \x1b", "日本語", marks, "after it"})
	}
	name := filepath.Join(data, pastFile)
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v; want Mode().Perm() 0o600", info, err)
	}
	if err := os.WriteFile(name, []byte("\"whole\"\nnot JSON\n\"cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := loadPast(data); !slices.Equal(got, []string{"whole"}) {
		t.Errorf("of a damaged file: %q", got)
	}
}

// A few lines can be too long for the file, too.
func TestCLI156TheFileIsBoundedWithLongLines(t *testing.T) {
	data := t.TempDir()
	long := strings.Repeat("<", pastLineMax) // each is six bytes in the file
	for i := range 20 {
		if err := keepPast(data, fmt.Sprint(i)+long[3:]); err != nil {
			t.Fatal(err)
		}
	}
	got := loadPast(data)
	info, err := os.Stat(filepath.Join(data, pastFile))
	if err != nil || info.Size() > pastBytesMax || len(got) != 10 || !strings.HasPrefix(got[9], "19<") {
		t.Errorf("%d lines, %+v, %v; want the newest 10 of them, in at most %d bytes", len(got), info, err, pastBytesMax)
	}
	if again := loadPast(data); !slices.Equal(again, got) {
		t.Errorf("%d lines are left for the next start, not %d", len(again), len(got))
	}
}

func TestCLI156TheFileIsBounded(t *testing.T) {
	data := t.TempDir()
	var all []byte
	for i := range 3 * editor.PastMax {
		all = append(all, pastLine(fmt.Sprint(i))...)
	}
	name := filepath.Join(data, pastFile)
	if err := os.WriteFile(name, all, 0o600); err != nil {
		t.Fatal(err)
	}
	got := loadPast(data)
	left, err := os.ReadFile(name)
	if err != nil || len(got) != editor.PastMax || got[0] != fmt.Sprint(2*editor.PastMax) || strings.Count(string(left), "\n") != editor.PastMax {
		t.Errorf("%d lines from %s on, %d in the file, %v", len(got), got[0], strings.Count(string(left), "\n"), err)
	}
}
