package files_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/runtime/store/files"
)

const dir = "db"

// database makes a database with a manifest of several entries, and returns its folder.
func database(t *testing.T) (vfs.FS, files.Folder) {
	t.Helper()
	fs := vfs.NewMem()
	db, err := pebble.Open(dir, &pebble.Options{FS: fs, FormatMajorVersion: pebble.FormatTableFormatV6})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		key := fmt.Appendf(nil, "key %d", i)
		if err := errors.Join(db.Set(key, key, pebble.Sync), db.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	folder, err := files.List(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	return fs, folder
}

func TestAFolderIsReadByItsNames(t *testing.T) {
	fs, folder := database(t)
	if folder.Manifest != "MANIFEST-000001" || folder.Version != uint64(pebble.FormatTableFormatV6) || len(folder.Missing()) > 0 {
		t.Errorf("%+v, missing %q", folder, folder.Missing())
	}
	if holds, err := folder.Holds(fs, dir); !holds || err != nil {
		t.Errorf("it holds nothing: %v", err)
	}
	if names := folder.Names(); !slices.Contains(names, folder.Manifest) || !slices.Contains(names, folder.Tables[0]) || slices.Contains(names, "LOCK") {
		t.Errorf("names %q", names)
	}
	later := "marker.manifest.000009.MANIFEST-000042"
	f, err := fs.Create(fs.PathJoin(dir, later), vfs.WriteCategoryUnspecified)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if folder, err = files.List(fs, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"MANIFEST-000042"}, folder.Missing()); diff != "" {
		t.Errorf("missing (-want +got)\n%s", diff)
	}
}

func TestNamesThatAreNotPebblesAreLeftAlone(t *testing.T) {
	for _, name := range []string{"", "LOCK", "ballast", "anchor", "x.sst", "5.log.gz", "MANIFEST-x", "OPTIONS"} {
		if kind, _ := files.Parse(name); kind != files.None {
			t.Errorf("%q is %d", name, kind)
		}
	}
}

// edited returns a copy of a manifest with other bytes, as the only file in a folder.
func edited(t *testing.T, text []byte) (vfs.FS, string) {
	t.Helper()
	fs := vfs.NewMem()
	f, err := fs.Create("m", vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(slices.Clone(text)) // with the race detector the file system overwrites what it was given
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return fs, "m"
}

// Pebble takes the first damaged entry of a manifest for its end. Here a flipped bit anywhere is
// damage, while a manifest whose last entry was not fully written is what a crash leaves.
func TestJRN29AnyFlippedBitOfAManifestIsDamage(t *testing.T) {
	fs, folder := database(t)
	text, err := files.Bytes(fs, fs.PathJoin(dir, folder.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	if err := files.CheckManifest(fs, fs.PathJoin(dir, folder.Manifest)); err != nil {
		t.Fatal(err)
	}
	for bit := range len(text) * 8 {
		flipped := slices.Clone(text)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := files.CheckManifest(edited(t, flipped)); !errors.Is(err, files.ErrManifest) {
			t.Errorf("bit %d of byte %d: %v; want ErrManifest", bit%8, bit/8, err)
		}
	}
}

func TestAManifestThatACrashHasCutIsWhole(t *testing.T) {
	fs, folder := database(t)
	text, err := files.Bytes(fs, fs.PathJoin(dir, folder.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	entry := 0 // the length of the first one, without which there is no manifest
	for size := range len(text) {
		err := files.CheckManifest(edited(t, text[:size]))
		if err == nil && entry == 0 {
			entry = size
		}
		if (err != nil) != (entry == 0) || err != nil && !errors.Is(err, files.ErrManifest) {
			t.Errorf("%d of %d bytes: %v", size, len(text), err)
		}
	}
	if entry == 0 || entry > len(text)/2 {
		t.Errorf("it is whole from %d of %d bytes on; want from the first entry on", entry, len(text))
	}
	if err := files.CheckManifest(edited(t, append(slices.Clone(text), make([]byte, 100)...))); err != nil {
		t.Errorf("zeros after it: %v", err)
	}
	if err := files.CheckManifest(edited(t, nil)); !errors.Is(err, files.ErrManifest) {
		t.Errorf("an empty one: %v; want ErrManifest", err)
	}
}
