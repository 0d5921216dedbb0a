//go:build unix

package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Opened as a file is, a pipe would be waited for until somebody writes to it.
func TestDEP8APipeInTheWayIsNotWaitedFor(t *testing.T) {
	m, text := made(t)
	p := placesIn(t.TempDir())
	if err := os.MkdirAll(p.Config, 0o755); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(p.Config, "config.yaml")
	if err := syscall.Mkfifo(at, 0o600); err != nil {
		t.Fatal(err)
	}
	steps, err := Look(t.Context(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if (s.State == Differs) != (s.Path == at) {
			t.Errorf("%s: %s", s.Path, s.State)
		}
	}
	if err := Install(t.Context(), bytes.NewReader(text), p, steps, func(Step) {}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		t.Errorf("it is installed as %v, %v", info, err)
	}
}
