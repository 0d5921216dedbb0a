package main

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// Each case breaks one part of the start and everything after it. The part's own error and exit
// code show that it came first, and the data folder shows that nothing after it has begun.
func TestLIF2TheFirstPartThatCannotStartIsFatalAndNothingAfterItStarts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	address := taken.Addr().String()
	for _, c := range []struct {
		name    string
		mended  int // parts that can start, in the order of the start
		code    int
		says    string
		entries []string // of the data folder
	}{
		{"configuration", 0, exit.Usage, "max_queue", nil},
		{"model", 1, exit.Unreachable, "no Ollama server answers", nil},
		{"tools", 2, exit.Usage, "open the workspace", nil},
		{"journal", 3, exit.Data, "in use by another process", []string{"store"}},
		{"listeners", 4, exit.Usage, "listen for HTTP on " + address, []string{"identity.json", "logs", "memory", "store", "token"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			t.Setenv("XDG_CONFIG_HOME", "")
			data, workspace := filepath.Join(dir, "data"), filepath.Join(dir, "workspace")
			args := []string{"run", "--profile", "shelly", "--data", data, "--workspace", workspace, "--set", "comm.http=" + address, "--set", "comm.udp=off"}
			if c.mended < 1 {
				args = append(args, "--set", "limits.max_queue=none")
			}
			if c.mended < 2 {
				args = append(args, "--set", "brain.url=http://127.0.0.1:1")
			} else {
				args = append(args, "--brain", "demo")
			}
			if c.mended >= 3 {
				must(t, os.Mkdir(workspace, 0o700))
			}
			if c.mended == 3 {
				other, err := store.Open(filepath.Join(data, "store"), store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = other.Close() }()
			}
			var out, log bytes.Buffer
			code := execute(args, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &log})
			if code != c.code || !strings.Contains(log.String(), c.says) || out.Len() > 0 {
				t.Errorf("exit code %d, output %q, log:\n%swant code %d and %q", code, &out, &log, c.code, c.says)
			}
			if diff := cmp.Diff(c.entries, names(t, data)); diff != "" {
				t.Errorf("data folder (-want +got)\n%s", diff)
			}
			if c.mended == 4 {
				wantNoBoot(t, filepath.Join(data, "store"))
			}
		})
	}
}

// names lists a folder; empty if it does not exist.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// wantNoBoot fails t if the machine was given any input.
func wantNoBoot(t *testing.T, dir string) {
	t.Helper()
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Replay(0, func(r engine.Record) error {
		t.Errorf("record %d: %T", r.Index, r.Input.Fact)
		return nil
	})
	must(t, errors.Join(err, s.Close()))
}
