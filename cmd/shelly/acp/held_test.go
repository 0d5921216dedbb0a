package acp

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"shelly/runtime/tool/file/change"
)

// A call is found in the record of changes by what it has written and said, so one that changed
// nothing is not taken for an earlier one that wrote the same.
func TestFRT52TheRecordSaysWhatAFileHeld(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := change.Open(filepath.Join(dir, "changes"))
	unlock, err := log.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for _, r := range []change.Record{
		{Key: "1", Name: "made", After: change.Hash([]byte("x")), Result: "created made\n"},
		{Key: "2", Name: "wrote", Before: change.Hash([]byte("old")), After: change.Hash([]byte("x")), Result: "wrote wrote\n-old\n+x"},
		{Key: "3", Name: "large", Before: change.Hash([]byte("old")), After: change.Hash([]byte("x")), Result: "wrote large"},
	} {
		r.Session, r.Folder = "s", dir
		var before []byte
		if r.Name == "wrote" {
			before = []byte("old")
		}
		e, err := log.Begin(r, before)
		if err != nil || e.End() != nil {
			t.Fatal(err)
		}
	}
	of := func(name, after, result string) string {
		got := (&agent{changes: log}).changed("s").before(filepath.Join(dir, name), &after, result)
		switch {
		case !got.Known:
			return "unknown"
		case got.Text == nil:
			return "none"
		}
		return *got.Text
	}
	for _, tt := range [][4]string{
		{"made", "x", "created made\n", "none"}, {"wrote", "x", "wrote wrote\n-o…", "old"}, {"large", "x", "wrote large", "unknown"},
		{"wrote", "x", "wrote holds exactly that already", "unknown"}, {"wrote", "y", "wrote wrote", "unknown"},
	} {
		if got := of(tt[0], tt[1], tt[2]); got != tt[3] {
			t.Errorf("%s, %s: %s, not %s", tt[0], tt[2], got, tt[3])
		}
	}
	if got := (&agent{}).changed("s").before("x", nil, ""); got.Known {
		t.Error("something is known without a record")
	}
}

// A file that cannot be shown is not a new one.
func TestFRT52WhatAFileHolds(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "x", "binary": "\xff\x00", "large": string(make([]byte, heldBytesMax+1))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), fs.FileMode(0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, known := range map[string]bool{"text": true, "binary": false, "large": false, "absent": true, ".": false} {
		if got := held(filepath.Join(dir, name)); got.Known != known || (got.Text != nil) != (name == "text") {
			t.Errorf("%s: got %+v; want Known %t, a Text %t", name, got, known, name == "text")
		}
	}
}

// A file that looks like one that is there may be that one: what it holds is not known to be nothing.
func TestFRT52AFileThatLooksTheSameIsNotNew(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cafe\u0301"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, known := range map[string]bool{"caf\u00e9": false, "cafe\u0301": true, "na\u00efve": true, "new": true, "caf\u00e9/new": false, "gone/new": true} {
		if got := held(filepath.Join(dir, name)); got.Known != known || name == "cafe\u0301" && *got.Text != "old" {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
