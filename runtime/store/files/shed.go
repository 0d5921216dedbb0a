package files

import (
	"errors"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// LogBytes returns how many bytes are in a folder's logs. A log that has gone since the folder was
// listed counts as empty.
func (f Folder) LogBytes(disk vfs.FS, dir string) (total uint64, err error) {
	for _, name := range f.Logs {
		info, err := disk.Stat(disk.PathJoin(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		default:
			total += uint64(info.Size())
		}
	}
	return total, nil
}

// DropLogs removes all logs but the last from a closed database that needs no other. It calls stays
// for each that cannot be removed.
func DropLogs(disk vfs.FS, dir string, stays func(name string, why error)) error {
	folder, err := List(disk, dir)
	if err != nil {
		return err
	}
	for _, name := range folder.Logs[:max(0, len(folder.Logs)-1)] {
		if err := disk.Remove(disk.PathJoin(dir, name)); err != nil {
			stays(name, err)
		}
	}
	return nil
}
