package output

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"shelly/cmd/shelly/internal/exit"
)

// A file that cannot be written is reported before the work begins, even if it is to be replaced.
func TestCLI3AFileThatCannotBeWrittenIsReportedBeforeTheWork(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	for _, name := range []string{"closed/there", "there"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"to-pipe": "pipe", "to-there": "there", "to-nothing": "nothing"} { // order-free: each for itself
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, fs.FileMode(0o700)) })
	if err := os.MkdirAll(filepath.Join(dir, "data", "memory"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "identity.json"), []byte(`{"format":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("data/memory", filepath.Join(dir, "to-memory")); err != nil {
		t.Fatal(err)
	}
	shut := exit.Disk
	if os.Geteuid() == 0 {
		shut = exit.OK // nothing is closed to root
	}
	for _, c := range []struct {
		file File
		want int
	}{
		{File{Name: filepath.Join(dir, "new")}, exit.OK},
		{File{Name: filepath.Join(dir, "there")}, exit.Usage},
		{File{Name: filepath.Join(dir, "there"), Force: true}, exit.OK},
		{File{Name: filepath.Join(closed, "new")}, shut},
		{File{Name: filepath.Join(closed, "there"), Force: true}, shut},
		{File{Name: filepath.Join(dir, "pipe"), Force: true}, exit.Usage},
		{File{Name: filepath.Join(dir, "to-pipe"), Force: true}, exit.Usage},
		{File{Name: filepath.Join(dir, "to-there")}, exit.Usage},
		{File{Name: filepath.Join(dir, "to-there"), Force: true}, exit.OK},
		{File{Name: filepath.Join(dir, "to-nothing")}, exit.Usage},
		{File{Name: filepath.Join(dir, "to-nothing"), Force: true}, exit.OK},
		{File{Name: closed, Force: true}, exit.Usage},
		{File{Name: filepath.Join(dir, "data", "token"), Force: true}, exit.Usage},
		{File{Name: filepath.Join(dir, "data", "none", "new")}, exit.Usage},
		{File{Name: filepath.Join(dir, "to-memory", "new")}, exit.Usage},
		{File{Name: filepath.Join(dir, "database")}, exit.OK},
		{File{}, exit.OK},
	} {
		if got := exit.Code(c.file.Free(), io.Discard); got != c.want {
			t.Errorf("%+v: exit code %d, want %d", c.file, got, c.want)
		}
	}
}
