package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"shelly/runtime/durable"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// want fails t unless a folder holds these files, NAME TEXT, and nothing else.
func want(t *testing.T, dir string, files ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if 2*len(entries) != len(files) {
		t.Errorf("there are %v, want %q", entries, files)
	}
	for i := 0; i < len(files); i += 2 {
		if got, err := os.ReadFile(filepath.Join(dir, files[i])); err != nil || string(got) != files[i+1] {
			t.Errorf("%s holds %q, %v; want %q", files[i], got, err, files[i+1])
		}
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	for _, s := range []string{"first", "second"} {
		must(t, durable.Text(name, []byte(s)))
		want(t, dir, "a", s)
	}
	broken := errors.New("the content ends")
	err := durable.As{}.File(name, func(w io.Writer) error { return errors.Join(text("thi")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the content", err)
	}
	objects := errors.New("it is another one")
	if err := (durable.As{Ready: func() error { return objects }}).File(name, text("third")); err != objects {
		t.Errorf("%v; want that of Ready", err)
	}
	want(t, dir, "a", "second")
}

// A bufio.Writer that a reader is copied to keeps the reader's error as its own.
func TestAnErrorOfWhatIsCopiedIsThatOfTheContent(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("the source ends")
	err := durable.As{}.File(filepath.Join(dir, "a"), func(w io.Writer) error {
		_, err := io.Copy(w, iotest.ErrReader(broken))
		return err
	})
	if !errors.Is(err, broken) || err.Error() != broken.Error() {
		t.Errorf("%v; want the error of the source", err)
	}
	want(t, dir)
}

func TestANewFileTakesThePlaceOfNoOther(t *testing.T) {
	dir := t.TempDir()
	a, name := durable.As{New: true, Perm: 0o644}, filepath.Join(dir, "a")
	must(t, a.File(name, text("first")))
	if err := a.File(name, text("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v; want that it is there", err)
	}
	want(t, dir, "a", "first")
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A file that is not written leaves no folder either, but that of others stays.
func TestFoldersOfAFileThatIsNotWrittenAreRemoved(t *testing.T) {
	dir := t.TempDir()
	name, a, broken := filepath.Join(dir, "a", "b", "c"), durable.As{Folder: 0o700}, errors.New("the content ends")
	fails := func(io.Writer) error { return broken }
	if err := a.File(name, fails); !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the content", err)
	}
	want(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
	if err := a.File(name, fails); !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the content", err)
	}
	want(t, filepath.Join(dir, "a"))
	must(t, a.File(name, text("whole")))
	want(t, filepath.Join(dir, "a", "b"), "c", "whole")
}

// Backups and bundles are carried on sticks, most of which know neither hard links nor modes.
func TestAFileIsWrittenWholeOnAStick(t *testing.T) {
	durable.OnAStick(t)
	dir := t.TempDir()
	a, name := durable.As{New: true}, filepath.Join(dir, "a")
	must(t, a.File(name, text("first")))
	if err := a.File(name, text("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v; want that it is there", err)
	}
	want(t, dir, "a", "first")
	if err := durable.Text(name, []byte("third")); err != nil {
		t.Error(err)
	}
	want(t, dir, "a", "third")
}

func TestALinkIsFollowedWhereThatIsAsked(t *testing.T) {
	dir := t.TempDir()
	must(t, errors.Join(durable.Text(filepath.Join(dir, "a"), []byte("old")), os.Symlink("a", filepath.Join(dir, "link"))))
	must(t, (durable.As{Follow: true}).File(filepath.Join(dir, "link"), text("new")))
	want(t, dir, "a", "new", "link", "new")
	must(t, durable.Text(filepath.Join(dir, "link"), []byte("own")))
	want(t, dir, "a", "new", "link", "own")
}

func TestWhatACrashHasLeftIsRemoved(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.tmp"), []byte("in part"), 0o600))
	must(t, (durable.As{Alone: true}).File(filepath.Join(dir, "a"), text("whole")))
	want(t, dir, "a", "whole")
}

func TestAnErrorNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "absent", "a")
	if err := durable.Text(name, nil); !errors.Is(err, fs.ErrNotExist) || err.Error() != "write "+name+": no such file or directory" {
		t.Errorf("got %v; want %v, %q", err, fs.ErrNotExist, "write "+name+": no such file or directory")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The name is taken by an empty file before the text comes: without the text, it goes again.
func TestOnAStickAFileThatCannotBeWrittenLeavesNoName(t *testing.T) {
	durable.OnAStick(t)
	dir := t.TempDir()
	a := durable.As{New: true, Alone: true, Ready: func() error { return os.Remove(filepath.Join(dir, "a.tmp")) }}
	if err := a.File(filepath.Join(dir, "a"), text("text")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v; want that it does not exist", err)
	}
	want(t, dir)
}
