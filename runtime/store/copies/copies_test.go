package copies_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/copies"
)

// read returns what there is of n bytes at an offset.
func read(f *copies.File, at int64, n int) string {
	p := make([]byte, n)
	n, _ = f.Read(p, at)
	return string(p[:n])
}

// MEM-7: a file of copies is made when it is first written, and exists until it is removed.
func TestMEM7AFileOfCopiesIsThereOnceItIsWritten(t *testing.T) {
	disk := vfs.NewMem()
	f := copies.New(disk, "vectors", true)
	if _, err := f.Read(make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is written: %v", err)
	}
	if _, err := disk.Stat("vectors"); err == nil {
		t.Error("reading has made the file")
	}
	if err := errors.Join(f.Write([]byte("alpha"), 3), f.Write([]byte("H"), 5), f.Sync()); err != nil {
		t.Fatal(err)
	}
	if got := read(f, 3, 9); got != "alHha" {
		t.Errorf("read %q", got)
	}
	if n, err := f.Bytes(); n != 8 || err != nil {
		t.Errorf("it has %d bytes, %v; want 8", n, err)
	}
	if err := errors.Join(f.Remove(), f.Remove()); err != nil {
		t.Error(err)
	}
	if n, err := f.Bytes(); n != 0 || err != nil || read(f, 0, 1) != "" {
		t.Errorf("removed, it has %d bytes, %v", n, err)
	}
	if err := f.Write([]byte("b"), 0); err != nil || read(f, 0, 2) != "b" {
		t.Errorf("it is not made again: %v", err)
	}
	f.Close()
	if err := f.Write([]byte("c"), 0); err == nil {
		t.Error("it is written after its end")
	}
}

// unsynced is a disk on which a folder cannot be made durable at first.
type unsynced struct {
	vfs.FS
	fails int
}

func (u *unsynced) OpenDir(name string) (vfs.File, error) {
	if u.fails--; u.fails >= 0 {
		return nil, fs.ErrInvalid
	}
	return u.FS.OpenDir(name)
}

// MEM-10: a removal that could not be made durable is made so by the next one.
func TestMEM10ARemovalThatFailedIsMadeDurableByTheNext(t *testing.T) {
	mem := vfs.NewCrashableMem()
	f := copies.New(&unsynced{mem, 1}, "vectors", true)
	dir, err := mem.OpenDir("")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Write([]byte("a"), 0), f.Sync(), dir.Sync()); err != nil {
		t.Fatal(err)
	}
	for n, there := range []bool{true, false} {
		if err := f.Remove(); (err != nil) != there {
			t.Errorf("removed %d times: %v", n+1, err)
		}
		if _, err := mem.CrashClone(vfs.CrashCloneCfg{}).Stat("vectors"); (err == nil) != there {
			t.Errorf("removed %d times, it is there after a crash: %v", n+1, err == nil)
		}
	}
}

func TestMEM7AFileOfCopiesThatIsOnlyReadStaysAsItIs(t *testing.T) {
	disk := vfs.NewMem()
	still := copies.New(disk, "vectors", false)
	if err := still.Write([]byte("x"), 0); err == nil {
		t.Error("it was made")
	}
	f := copies.New(disk, "vectors", true)
	if err := f.Write([]byte("alpha"), 0); err != nil {
		t.Fatal(err)
	}
	still = copies.New(disk, "vectors", false)
	if got := read(still, 1, 3); got != "lph" {
		t.Errorf("read %q", got)
	}
	if still.Write([]byte("x"), 0) == nil || still.Remove() == nil || still.Sync() == nil {
		t.Error("it can be changed")
	}
	if got := read(f, 0, 9); got != "alpha" {
		t.Errorf("it is %q now", got)
	}
	still.Close()
	f.Close()
}
