package store_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/store"
)

// unpack puts a folder from testdata into a new one and returns its path.
func unpack(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.Clean(h.Name))
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(path, 0o700)
		} else {
			data, failed := io.ReadAll(r)
			err = errors.Join(failed, os.WriteFile(path, data, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// testdata/format-3.tar.gz is the store of a daemon of that format, killed while the
// model was asked again after an unsafe tool. Its boots bring no words.
func TestJRN15AStoreOfFormat3IsTakenOverWithItsUnfinishedWork(t *testing.T) {
	dir := filepath.Join(unpack(t, "format-3.tar.gz"), "store")
	if s, err := store.OpenReadOnly(dir, store.Options{}); err != nil {
		t.Fatalf("read only: %v", err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, opening := range []string{"the first", "the next"} {
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatalf("%s opening: %v", opening, err)
		}
		r, err := engine.Recover(s)
		if err != nil || len(r.Diverging) > 0 {
			t.Fatalf("%s opening: %v, %v", opening, err, r.Diverging)
		}
		v := r.Machine.View()
		if len(v.Handles) != 1 || v.Handles[0].Request.ID != "one" || v.Config.Words != nil {
			t.Fatalf("%s opening: handles %+v, words %v", opening, v.Handles, v.Config.Words)
		}
		effects := r.Machine.Step(fsm.Input{At: v.Now + 1, Fact: fsm.Boot{Config: profile.Default()}})
		asked := 0
		for _, e := range effects {
			if ask, ok := e.(fsm.AskBrain); ok {
				asked++
				messages := ask.Conversation.Messages
				if last := messages[len(messages)-1]; last.Role != fsm.RoleTool || last.Tool != "exec" {
					t.Errorf("the model is asked after %+v", last)
				}
			}
		}
		if asked != 1 {
			t.Errorf("%s opening: %d questions to the model in %d effects", opening, asked, len(effects))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
