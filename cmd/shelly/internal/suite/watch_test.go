package suite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/scenario"
)

// That there is no file any more is said once, whatever else changes, and the files that there were
// are forgotten (SCN-39).
func TestSCN39ThatThereIsNoFileIsSaidOnce(t *testing.T) {
	var said bytes.Buffer
	w := &caseWatch{Command: &Command{Paths: []string{t.TempDir()}}, t: &terminal.Terminal{Out: &said, Err: &said}, all: make([]*scenario.File, 1), loaded: map[string]*loadedFile{"gone": {}}}
	for range 3 {
		if err := w.again(context.Background(), changes{all: true}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(said.String(), "holds no file"); n != 1 || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("said %d times:\n%s", n, said.String())
	}
	if len(w.all) != 0 || len(w.loaded) != 0 {
		t.Errorf("%d cases of %d files are known", len(w.all), len(w.loaded))
	}
}

// The folders in one that is named are watched also if that is a link: their cases are played (SCN-39).
func TestSCN39TheFoldersBehindALinkAreWatched(t *testing.T) {
	dir := t.TempDir()
	linked := filepath.Join(dir, "scenarios")
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "kept/disk"), 0o755), os.Mkdir(filepath.Join(dir, "kept/.git"), 0o755), os.Symlink("kept", linked))
	if err != nil {
		t.Fatal(err)
	}
	disk, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	w := &caseWatch{Command: &Command{Paths: []string{linked}}, disk: disk}
	if err := w.follow(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{linked, filepath.Join(linked, "disk")}, slices.Sorted(slices.Values(disk.WatchList()))); diff != "" {
		t.Errorf("watched (-want +got)\n%s", diff)
	}
}
