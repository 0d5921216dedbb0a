package store_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/memory"
	"shelly/runtime/store"
)

// unpack unpacks a folder from testdata into a new one and returns its path.
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

// testdata/format-3.tar.gz, format-4.tar.gz and format-6.tar.gz to format-8.tar.gz are the stores of
// daemons of these formats, killed while the model was asked again after an unsafe tool; in the later
// ones another request is waiting, and in the first two of these one is done. The boots of format 3
// have no words. In format 6 two results are kept whole, and every text is stored in each value that
// uses it. In format 7 both requests are in a snapshot, which is one object. In
// format 8 a snapshot is compressed, and the texts are not.
func TestJRN15AStoreOfAnOlderFormatIsTakenOverWithItsUnfinishedWork(t *testing.T) {
	for _, tt := range []struct {
		file     string
		requests []string
		words    bool
		texts    store.Held
	}{
		{"format-3.tar.gz", []string{"one"}, false, store.Held{}},
		{"format-4.tar.gz", []string{"one", "two"}, true, store.Held{}},
		{"format-6.tar.gz", []string{"one", "two"}, true, store.Held{Texts: 2, Bytes: 7073}},
		{"format-7.tar.gz", []string{"one", "two"}, true, store.Held{Texts: 1, Bytes: 6406}},
		{"format-8.tar.gz", []string{"one", "two"}, true, store.Held{Texts: 1, Bytes: 6406}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			dir := filepath.Join(unpack(t, tt.file), "store")
			s, err := store.OpenReadOnly(dir, store.Options{})
			if err != nil {
				t.Fatalf("read only: %v", err)
			}
			before, err := whole(s)
			must(t, errors.Join(err, s.Close()))
			for _, opening := range []string{"the first", "the next"} {
				var log strings.Builder
				s, err := store.Open(dir, store.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatalf("%s opening: %v", opening, err)
				}
				if got := strings.Contains(log.String(), "the store is upgraded; older programs refuse it from now on"); got != (opening == "the first") {
					t.Errorf("%s opening logs %q", opening, log.String())
				}
				takenOver(t, opening, s, tt.requests, tt.words, tt.texts)
				if after, err := whole(s); after != before || err != nil {
					t.Errorf("%s opening: what is read is another, %v", opening, err)
				}
				must(t, s.Close())
			}
		})
	}
}

// testdata/format-5.tar.gz is the store of a daemon of that format, killed. It has four memory
// entries, one of them with a vector, and no index of them.
func TestMEM7AStoreWithoutAnIndexIsTakenOver(t *testing.T) {
	dir := filepath.Join(unpack(t, "format-5.tar.gz"), "store")
	recall := func(when string, s *store.Store, readings int) {
		t.Helper()
		c := &entryReadings{Store: s}
		m, err := memory.Open(c, memory.Options{})
		if err != nil {
			t.Fatalf("%s: got %v; want no error", when, err)
		}
		defer m.Close()
		found, err := m.Recall(t.Context(), fsm.Recall{Need: "how full are the disks?", TopK: 5})
		if err != nil || len(found) != 1 || found[0].ID != "disk" || found[0].Summary != "the disk of web1 was 91% full" {
			t.Errorf("%s: found %+v, %v", when, found, err)
		}
		if n := m.Counts(); n.Entries != 4 || n.Vectors != 1 || n.Model != "mock-embed" {
			t.Errorf("%s: got %+v; want Entries 4, Vectors 1, Model %q", when, n, "mock-embed")
		}
		if min(c.count, 1) != readings {
			t.Errorf("%s: the entries were read %d times", when, c.count)
		}
		must(t, s.Close())
	}
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	recall("only read", s, 1)
	recall("the first opening", open(t, dir, store.Options{}), 1)
	recall("the next opening", open(t, dir, store.Options{}), 0)
}

// entryReadings counts how many times all entries are read.
type entryReadings struct {
	*store.Store
	count int
}

func (r *entryReadings) Entries(fn func(fsm.Entry) error) error {
	r.count++
	return r.Store.Entries(fn)
}

// takenOver checks that the machine of a store has unfinished requests, and after a boot asks the
// model once, after the result of exec.
func takenOver(t *testing.T, opening string, s *store.Store, requests []string, words bool, texts store.Held) {
	t.Helper()
	r, err := engine.Recover(s)
	if err != nil || len(r.Diverging) > 0 {
		t.Fatalf("%s opening: %v, %v", opening, err, r.Diverging)
	}
	v := r.Machine.View()
	var unfinished []string
	for i := range v.Handles {
		unfinished = append(unfinished, v.Handles[i].Request.ID)
	}
	if !slices.Equal(unfinished, requests) || (v.Config.Words != nil) != words {
		t.Fatalf("%s opening: unfinished are %q, words %v", opening, unfinished, v.Config.Words)
	}
	if held, err := s.Texts(); err != nil || held != texts {
		t.Errorf("%s opening: %+v texts are kept, %v", opening, held, err)
	}
	effects := r.Machine.Step(fsm.Input{At: v.Now + 1, Fact: fsm.Boot{Config: profile.Default()}})
	asked := 0
	for _, e := range effects {
		if ask, ok := e.(fsm.AskBrain); ok {
			asked++
			messages := ask.Conversation.Messages
			if last := messages[len(messages)-1]; last.Role != fsm.RoleTool || last.Tool != "exec" {
				t.Errorf("%s opening: the model is asked after %+v", opening, last)
			}
		}
	}
	if asked != 1 {
		t.Errorf("%s opening: %d questions to the model in %d effects", opening, asked, len(effects))
	}
}
