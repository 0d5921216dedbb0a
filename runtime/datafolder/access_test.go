package datafolder_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

func modeOf(t *testing.T, name string) os.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func chmod(t *testing.T, mode os.FileMode, names ...string) {
	t.Helper()
	for _, name := range names {
		must(t, os.Chmod(name, mode))
	}
}

// Opening a data folder for writing revokes other users' rights to it, and logs that; reading
// changes nothing.
func TestCFG16OthersLoseTheirRights(t *testing.T) {
	data := used(t)
	kept := datafolder.Store(data)
	chmod(t, 0o755, data)
	chmod(t, 0o770, kept)
	s, err := datafolder.OpenReadOnly(data, store.Options{})
	must(t, errors.Join(err, s.Close()))
	if modeOf(t, data) != 0o755 || modeOf(t, kept) != 0o770 {
		t.Error("a reader has changed a mode")
	}
	if open, err := datafolder.Opened(data); err != nil || !strings.Contains(open, data+" (mode 0755)") || !strings.Contains(open, kept+" (mode 0770)") {
		t.Errorf("%q, %v; want both folders", open, err)
	}
	var log bytes.Buffer
	if s, err = datafolder.Open(data, store.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if modeOf(t, data) != 0o700 || modeOf(t, kept) != 0o700 {
		t.Errorf("modes %o and %o; want 700", modeOf(t, data), modeOf(t, kept))
	}
	if said := strings.Count(log.String(), "others may no longer use this folder"); said != 2 {
		t.Errorf("said %d times:\n%s", said, &log)
	}
}

// A folder that is not only shelly's, or belongs to another user, is left as it is.
func TestCFG16AFolderWithOtherThingsIsRefused(t *testing.T) {
	data := filepath.Join(t.TempDir(), "project")
	must(t, errors.Join(os.Mkdir(data, 0o755), os.WriteFile(filepath.Join(data, "main.go"), nil, 0o644)))
	chmod(t, 0o755, data)
	if s, err := datafolder.Open(data, store.Options{}); !errors.Is(err, datafolder.ErrOpen) || !strings.Contains(err.Error(), "chmod go= "+data) {
		t.Errorf("%v, %v; want ErrOpen and what to do", s, err)
	}
	if modeOf(t, data) != 0o755 {
		t.Error("its mode was changed")
	}
	chmod(t, 0o700, data)
	s, err := datafolder.Open(data, store.Options{})
	must(t, errors.Join(err, s.Close()))
	chmod(t, 0o755, data) // now it holds a data folder
	if s, err = datafolder.Open(data, store.Options{}); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
}

// What root makes in another user's folder is root's, and that user could not start any more.
func TestCFG16RootDoesNotWriteIntoAnothersFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away, or write into another's")
	}
	const user = 65534
	for _, name := range []string{".", "store"} {
		data := used(t)
		s, err := datafolder.OpenReadOnly(data, store.Options{})
		must(t, errors.Join(err, s.Close()))
		chown := func(uid int) { must(t, os.Chown(filepath.Join(data, name), uid, uid)) }
		chown(user)
		before := names(t, data)
		if s, err := datafolder.Open(data, store.Options{}); !errors.Is(err, datafolder.ErrForeign) || !strings.Contains(err.Error(), "sudo -u '#65534'") {
			t.Errorf("%s: %v, %v; want ErrForeign and what to do", name, s, err)
		}
		if after := names(t, data); !slices.Equal(before, after) {
			t.Errorf("%s: the store has %q; want %q", name, after, before)
		}
		s, err = datafolder.OpenReadOnly(data, store.Options{})
		must(t, errors.Join(err, s.Close())) // reading changes nothing
		chown(0)
		s, err = datafolder.Open(data, store.Options{})
		must(t, errors.Join(err, s.Close()))
	}
}

// names returns the names of the files in a data folder's store.
func names(t *testing.T, data string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(datafolder.Store(data))
	must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// The command that the error names can be typed as it is.
func TestCLI217TheCommandForAnOpenFolderIsQuoted(t *testing.T) {
	data := filepath.Join(t.TempDir(), "my data")
	must(t, errors.Join(os.Mkdir(data, 0o755), os.WriteFile(filepath.Join(data, "other"), nil, 0o600)))
	chmod(t, 0o755, data)
	if _, err := datafolder.Opened(data); !errors.Is(err, datafolder.ErrOpen) || !strings.HasSuffix(err.Error(), "chmod go= '"+data+"'") {
		t.Errorf("got %v", err)
	}
}
