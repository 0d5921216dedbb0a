package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
)

// databaseFormat is the format major version (Pebble's) of a store: the oldest that tells a torn
// log from a damaged one and has checksums in all parts of a table. Raising it needs a new Format.
const databaseFormat = pebble.FormatTableFormatV6

// Look reports whether a folder holds a store, judging by the names of its files alone, and changes
// nothing. A folder that does not exist holds none. The error is ErrCorrupt or ErrNewerFormat if
// something is wrong with the store that is or was there, or says that the folder cannot be read.
func Look(dir string) (bool, error) { return survey(vfs.Default, dir) }

// survey is Look. It runs before Pebble is asked, which takes a folder without a manifest marker
// for an empty one, makes a new database there and deletes what was in it (JRN-29).
func survey(disk vfs.FS, dir string) (bool, error) {
	f, err := files.List(disk, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot read the data folder: %w%s", err, Advice(err))
	case f.Version > uint64(databaseFormat):
		return false, fmt.Errorf("%w: its database has format %d, this shelly reads up to %d: use the newer one", ErrNewerFormat, f.Version, databaseFormat)
	}
	holds, err := f.Holds(disk, dir)
	if _, none := disk.Stat(disk.PathJoin(dir, anchorName)); none == nil {
		holds = true // it is first made by a complete opening
	}
	if err != nil || !holds {
		return false, err
	}
	if missing := f.Missing(); len(missing) > 0 {
		verb := " is"
		if len(missing) > 1 {
			verb = " are"
		}
		return false, broken(dir, strings.Join(missing, " and ")+verb+" missing beside "+rest(f), nil)
	}
	return true, nil
}

// Gone returns the error that nothing is left of a store; shows is the file that shows that there
// was one.
func Gone(dir, shows string) error {
	return gone(dir, "nothing is left of the store, and "+shows+" shows that there was one")
}

// rest lists, in words, what files there are of a store.
func rest(f files.Folder) string {
	var parts []string
	for _, kind := range []struct {
		what  string
		names []string
	}{{"table", f.Tables}, {"log", f.Logs}, {"manifest", f.Manifests}, {"options file", f.Options}} {
		switch n := len(kind.names); n {
		case 0:
		case 1:
			parts = append(parts, kind.names[0])
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n, kind.what))
		}
	}
	return strings.Join(parts, ", ")
}
