package client_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func TestATokenIsMadeOnceAndForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := client.ReadToken(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("without a file: %v", err)
	}
	first, err := client.EnsureToken(dir)
	if err != nil || len(first) < comm.TokenBytesMin {
		t.Fatalf("got %q, %v; want a length of at least 32", first, err)
	}
	again, err := client.EnsureToken(dir)
	if err != nil || again != first {
		t.Errorf("again: %q, %v; want %q", again, err, first)
	}
	if read, err := client.ReadToken(dir); err != nil || read != first {
		t.Errorf("read: %q, %v; want %q", read, err, first)
	}
	if other, err := client.EnsureToken(t.TempDir()); err != nil || other == first {
		t.Errorf("two folders share %q (%v)", other, err)
	}
	info, err := os.Stat(filepath.Join(dir, client.TokenFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want Perm() 0o600", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
}

func TestATokenFileThatIsNotASecretIsRefused(t *testing.T) {
	token := strings.Repeat("x", comm.TokenBytesMin)
	write := func(text string, mode os.FileMode) func(path string) error {
		return func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode))
		}
	}
	for name, make := range map[string]func(path string) error{
		"others may read it":  write(token, 0o604),
		"its group may write": write(token, 0o620),
		"empty":               write("", 0o600),
		"short":               write(token[1:], 0o600),
		"two lines":           write(token+"\n"+token, 0o600),
		"a folder":            func(path string) error { return os.Mkdir(path, 0o700) },
		"a link": func(path string) error {
			return errors.Join(write(token, 0o600)(path+"2"), os.Symlink(path+"2", path))
		},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, client.TokenFile)
		must(t, make(path))
		if got, err := client.EnsureToken(dir); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: got %q, %v; want an error with %q and %q", name, got, err, path, "remove it")
		}
	}
}

func TestAnEndpointIsFoundUntilItIsRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []client.Endpoint{
		{HTTP: "127.0.0.1:1", UDP: "127.0.0.1:2", PID: 3, Version: "v4"},
		{HTTP: "[::1]:1", PID: 4},
	} {
		must(t, client.WriteEndpoint(dir, want))
		if got, err := client.ReadEndpoint(dir); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	must(t, client.RemoveEndpoint(dir, client.Endpoint{HTTP: "127.0.0.1:1", PID: 3})) // another daemon's
	if got, err := client.ReadEndpoint(dir); err != nil || got.PID != 4 {
		t.Errorf("after another daemon's end: %+v, %v", got, err)
	}
	for range 2 {
		must(t, client.RemoveEndpoint(dir, client.Endpoint{HTTP: "[::1]:1", PID: 4}))
	}
	if _, err := client.ReadEndpoint(dir); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("removed: %v", err)
	}
}

func TestTheTokenIsNeverSentElsewhere(t *testing.T) {
	for _, text := range []string{
		`{"http":"192.0.2.1:80"}`, `{"http":"example.com:80"}`, `{"http":"127.0.0.1:1","udp":"0.0.0.0:1"}`,
		`{"http":"127.0.0.1.evil.example:80"}`, `{"http":`, ``,
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, client.EndpointFile), []byte(text), 0o600))
		if got, err := client.ReadEndpoint(dir); err == nil || !strings.Contains(err.Error(), "start shelly again") {
			t.Errorf("%s: got %+v, %v; want an error with %q", text, got, err, "start shelly again")
		}
	}
}

func TestAFolderThatIsNotThereIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	if _, err := client.EnsureToken(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v; want an error with %q", err, dir)
	}
	if err := client.WriteEndpoint(dir, client.Endpoint{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v; want an error with %q", err, dir)
	}
}
