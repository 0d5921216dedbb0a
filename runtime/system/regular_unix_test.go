//go:build unix

package system_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"shelly/runtime/system"
)

func TestOnlyARegularFileIsOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("text"), 0o600), os.Mkdir(at("folder"), 0o700), os.Symlink("file", at("link")), syscall.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, info, err := system.Regular(at("file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" || info.Size() != 4 {
		t.Errorf("got %q of %d bytes, %v", text, info.Size(), err)
	}
	for _, name := range []string{"folder", "link", "pipe", "none"} { // a pipe without a writer would be waited for
		if f, _, err := system.Regular(at(name)); err == nil {
			t.Errorf("the %s is opened", name)
			_ = f.Close()
		}
	}
}
