package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"shelly/runtime/system"
)

// ErrOpen says that others than the user of this process may open or change a data folder,
// and that shelly cannot or must not end that.
var ErrOpen = errors.New("the data folder is open to others")

// others is what the group and everybody else may do.
const others fs.FileMode = 0o077

// Guard takes from others what they may do with a data folder and the folders in it (CFG-16):
// who can open it reads what was asked and answered, and who can change it replaces the
// token. The error is ErrOpen where it belongs to somebody else, where this user may not
// change that, or where the folder is not shelly's alone. Nothing is made. The log hears of
// each folder that was closed.
func Guard(data string, log *slog.Logger) error {
	open, err := opened(data)
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := os.Chmod(o.path, o.mode&^others); err != nil {
			return fmt.Errorf("%w: %s has mode %04o, and this user may not change that: chmod go= %s, or name another folder with --data", ErrOpen, o.path, o.mode, o.path)
		}
		log.Warn("others may not use this folder any more", "folder", o.path, "mode", fmt.Sprintf("%04o", o.mode))
	}
	return nil
}

// opening is a folder that others may use.
type opening struct {
	path string
	mode fs.FileMode
}

// Opened returns in words which folders of a data folder others may use, or "". The error
// is that of Guard.
func Opened(data string) (string, error) {
	open, err := opened(data)
	var list []string
	for _, o := range open {
		list = append(list, fmt.Sprintf("%s (mode %04o)", o.path, o.mode))
	}
	return strings.Join(list, ", "), err
}

// opened returns the folders that others may use.
func opened(data string) (list []opening, err error) {
	for _, path := range []string{data, Store(data), filepath.Join(data, memoryName), filepath.Join(data, processesName), Logs(data)} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the data folder: %w", err)
		}
		if owner, _, known := system.Owner(info); known && owner != 0 && os.Geteuid() != 0 && owner != os.Geteuid() {
			return nil, fmt.Errorf("%w: %s belongs to user %d: let that user run shelly, or name another folder with --data", ErrOpen, path, owner)
		}
		if info.Mode()&others == 0 {
			continue
		}
		if path == data {
			if alone, err := ownAlone(data); err != nil || !alone {
				return nil, errors.Join(err, fmt.Errorf("%w: %s has mode %04o and holds other things too: chmod go= %s, or name a folder of its own with --data",
					ErrOpen, data, info.Mode().Perm(), data))
			}
		}
		list = append(list, opening{path, info.Mode().Perm()})
	}
	return list, nil
}

// ownAlone reports whether a folder is a data folder already, or holds nothing else.
func ownAlone(data string) (bool, error) {
	entries, err := os.ReadDir(data)
	if err != nil {
		return false, fmt.Errorf("cannot read the data folder: %w", err)
	}
	own := []string{storeName, identityName, tokenName, memoryName, processesName, endpointName}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(own, e.Name()) })
	return !foreign || has(identityName) || has(storeName), nil
}
