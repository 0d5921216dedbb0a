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

	"shelly/fsm/wording"
	"shelly/runtime/system"
)

// ErrOpen is the error when other users may open or change a data folder and shelly cannot, or must
// not, prevent it.
var ErrOpen = errors.New("the data folder is open to others")

// ErrForeign is the error when a data folder, or a folder in it, belongs to another user.
var ErrForeign = errors.New("the data folder belongs to another user")

// others is the permissions of the group and of everyone else.
const others fs.FileMode = 0o077

// Guard revokes other users' permissions on a data folder and the folders in it (CFG-16): whoever
// can open it can read what was asked and answered, and whoever can change it can replace the
// token. The error is ErrOpen if this user may not change the permissions of a folder, or if the data
// folder also holds files that are not shelly's. Guard makes nothing.
// It logs each folder whose permissions it changed.
func Guard(data string, log *slog.Logger) error {
	open, err := opened(data)
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := os.Chmod(o.path, o.mode&^others); err != nil {
			return fmt.Errorf("%w: %s has mode %04o, and this user may not change that: chmod go= %s, or name another folder with --data", ErrOpen, o.path, o.mode, wording.ShellPath(o.path))
		}
		log.Warn("others may no longer use this folder", "folder", o.path, "mode", fmt.Sprintf("%04o", o.mode))
	}
	return nil
}

// Own returns an ErrForeign if a data folder, or a folder in it, belongs to another user, so that this
// one must not write there. Root could; but what root makes is root's, and the user to whom the
// folder belongs could not start any more. What cannot be looked at is left to whoever opens it.
func Own(data string) error {
	err := folders(data, func(path string, info fs.FileInfo) error {
		owner, _, known := system.Owner(info)
		switch self := os.Geteuid(); {
		case !known || owner == self:
			return nil
		case self == 0:
			return fmt.Errorf("%w: %s is that of user %d, who could not use what root writes there: run this as that user (sudo -u '#%d' …), or name another folder with --data", ErrForeign, path, owner, owner)
		case owner != 0:
			return fmt.Errorf("%w: %s is that of user %d: let that user run shelly, or name another folder with --data", ErrForeign, path, owner)
		case info.Mode()&others == 0:
			return fmt.Errorf("%w: %s is root's: if it is shelly's alone, give it to this user (chown -R %d %s, as root), or name another folder with --data", ErrForeign, path, self, wording.ShellPath(path))
		default: // a disk that root has mounted for a group
			return nil
		}
	})
	if errors.Is(err, ErrForeign) {
		return err
	}
	return nil
}

// folders calls do for a data folder and the folders in it, as far as they exist.
func folders(data string, do func(path string, info fs.FileInfo) error) error {
	for _, path := range []string{data, Store(data), filepath.Join(data, memoryName), filepath.Join(data, processesName), Logs(data)} {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
			continue
		case err != nil:
			return fmt.Errorf("cannot read the data folder: %w", err)
		}
		if err := do(path, info); err != nil {
			return err
		}
	}
	return nil
}

// opening is a folder that others may use.
type opening struct {
	path string
	mode fs.FileMode
}

// Opened returns, in words, which folders of a data folder others may use, or "". The error is one
// that Guard would return.
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
	err = folders(data, func(path string, info fs.FileInfo) error {
		if info.Mode()&others == 0 {
			return nil
		}
		if path == data {
			if alone, err := ownAlone(data); err != nil || !alone {
				return errors.Join(err, fmt.Errorf("%w: %s has mode %04o and holds other things too: name a separate folder with --data, or, if nobody else needs this one, chmod go= %s",
					ErrOpen, data, info.Mode().Perm(), wording.ShellPath(data)))
			}
		}
		list = append(list, opening{path, info.Mode().Perm()})
		return nil
	})
	return list, err
}

// ownAlone reports whether a folder is already a data folder, or holds nothing but shelly's files.
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
