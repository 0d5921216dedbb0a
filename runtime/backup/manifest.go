package backup

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"shelly/fsm/wording"
)

// Format is the version of the file that doc.go describes.
const Format = 1

// The names in a backup, and limits.
const (
	manifestName     = "manifest.json"
	checksumsName    = "checksums"
	storeFolder      = "store"
	memoryFolder     = "memory"
	manifestBytesMax = 16 << 20
	filesMax         = 100_000
	nameBytesMax     = 100
)

// memoryFiles are the files of the memory folder that are backed up.
var memoryFiles = [...]string{"MEMORY.md", "HISTORY.md"}

// Manifest describes a backup.
type Manifest struct {
	Format      int       `json:"format"`       // of the backup
	Shelly      string    `json:"shelly"`       // the version that made it
	Time        time.Time `json:"time"`         // when
	Store       string    `json:"store"`        // the store's name
	StoreFormat uint32    `json:"store_format"` // of its layout
	First       uint64    `json:"first"`        // the first record kept in the journal
	Last        uint64    `json:"last"`         // and the last; 0: there never was one
	Requests    int       `json:"requests"`
	Unfinished  int       `json:"unfinished"` // requests without a reply yet
	Bytes       int64     `json:"bytes"`      // of all files
	Files       []File    `json:"files"`
}

// File is a file in a backup.
type File struct {
	Name  string `json:"name"` // with slashes
	Bytes int64  `json:"bytes"`
}

// Errors that a caller can tell apart. Those of package store come in addition.
var (
	ErrDamaged  = errors.New("the backup is damaged")
	ErrNewer    = errors.New("the backup was made by a newer shelly")
	ErrOccupied = errors.New("the data folder already holds data")
	ErrPending  = errors.New("a restore into the data folder was interrupted: the next start finishes it")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// checkName returns why a backup must not hold a file of this name. A name that passes is in one of
// two folders, whoever wrote the backup.
func checkName(name string) error {
	folder, base := path.Split(name)
	switch {
	case name != path.Clean(name), path.IsAbs(name), name == "..", strings.HasPrefix(name, "../"):
		return damaged("the entry %q leads out of the data folder", name)
	case len(name) > nameBytesMax:
		return damaged("the entry %.40q… has a name of %d bytes", name, len(name))
	case folder == memoryFolder+"/" && (base == memoryFiles[0] || base == memoryFiles[1]):
		return nil
	case folder == storeFolder+"/" && plain(base):
		return nil
	default:
		return damaged("the entry %q does not belong in a backup", name)
	}
}

// plain reports whether a name is one that a store's file may have.
func plain(name string) bool {
	return name != "" && name[0] != '.' && name != "LOCK" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
	}) < 0
}

// check returns what is wrong with a manifest in itself.
func (m Manifest) check() error {
	if len(m.Files) > filesMax {
		return damaged("the manifest names %d files", len(m.Files))
	}
	known := map[string]bool{}
	bytes := int64(0)
	for _, f := range m.Files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		if known[f.Name] || f.Bytes < 0 || f.Bytes > math.MaxInt64-bytes {
			return damaged("the manifest names %s twice, or with an impossible size", f.Name)
		}
		known[f.Name] = true
		bytes += f.Bytes
	}
	if bytes != m.Bytes {
		return damaged("the files of the manifest have %s in all, but it says %d", wording.Count(int(bytes), "byte"), m.Bytes)
	}
	return nil
}
