package bundle

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"time"
)

// Format is the version of the file that doc.go describes.
const Format = 1

// The names in a bundle, and limits.
const (
	manifestName = "bundle.json"
	readmeName   = "README.txt"
	sumsName     = "SHA256SUMS"
	binaryName   = "bin/shelly"
	configName   = "config/config.yaml"
	skillsFolder = "skills/"
	blobsFolder  = "models/blobs/"
	namesFolder  = "models/manifests/"

	manifestBytesMax = 16 << 20
	filesMax         = 100_000
	tempName         = ".shelly-bundle.tmp" // of a file while it is written; no file of a bundle has it

	nameBytesMax = 1000
	partBytesMax = 200
)

// Errors that a caller can tell apart.
var (
	ErrDamaged  = errors.New("the bundle is damaged")
	ErrNewer    = errors.New("the bundle was made by a newer shelly")
	ErrName     = errors.New("a file cannot be in a bundle")
	ErrInTheWay = errors.New("something is in the way, and nothing is written")
)

// Manifest describes a bundle.
type Manifest struct {
	Format int       `json:"format"`
	Shelly string    `json:"shelly"` // the version that made it
	System string    `json:"system"` // the system that the program is for, such as linux/amd64
	Time   time.Time `json:"time"`
	Models []string  `json:"models"`
	Files  []File    `json:"files"`
}

// File is a file of a bundle.
type File struct {
	Name   string `json:"name"` // with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal digits
	Run    bool   `json:"run,omitempty"`
}

// Bytes returns the total size of the files.
func (m Manifest) Bytes() (sum int64) {
	for _, f := range m.Files {
		sum += f.Bytes
	}
	return sum
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// parseManifest reads the first entry of a bundle that anyone may have written.
func parseManifest(text []byte) (m Manifest, err error) {
	var version struct {
		Format json.Number `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return m, damaged("%s: %w", manifestName, err)
	}
	if n, err := version.Format.Float64(); err == nil && n > Format {
		return m, fmt.Errorf("%w: format %s, this shelly reads up to %d", ErrNewer, version.Format, Format)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Format < 1 {
		return m, damaged("%s: %v", manifestName, err)
	}
	if err := m.check(); err != nil {
		return m, damaged("%w", err)
	}
	return m, nil
}

// check returns what is wrong with a manifest in itself.
func (m Manifest) check() error {
	if len(m.Files) > filesMax {
		return fmt.Errorf("it names %d files; at most %d are allowed", len(m.Files), filesMax)
	}
	known, bytes := map[string]bool{}, int64(0)
	for _, f := range m.Files {
		if err := checkName(f); err != nil {
			return err
		}
		if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 {
			return fmt.Errorf("%s has no checksum", f.Name)
		}
		if known[strings.ToLower(f.Name)] || f.Bytes < 0 || f.Bytes > math.MaxInt64-bytes {
			return fmt.Errorf("it names %s twice, or with an impossible size", f.Name)
		}
		known[strings.ToLower(f.Name)] = true
		bytes += f.Bytes
	}
	for _, f := range m.Files { // no file may be a folder of another
		for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
			if known[strings.ToLower(dir)] {
				return fmt.Errorf("%s is a file and a folder", dir)
			}
		}
	}
	return nil
}

// checkName returns why a bundle must not have a file (DEP-8). A name that passes is in a folder of
// its kind, whoever wrote the bundle.
func checkName(f File) error {
	if len(f.Name) > nameBytesMax || f.Name != path.Clean(f.Name) || path.IsAbs(f.Name) {
		return fmt.Errorf("the name %.60q leads elsewhere, or is too long", f.Name)
	}
	for part := range strings.SplitSeq(f.Name, "/") {
		if part == "" || part == ".." || part == tempName || len(part) > partBytesMax || strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == '\\' || r == ':' || r == 0x7f || r == '\uFFFD' }) {
			return fmt.Errorf("the name %.60q leads elsewhere, or has a character that no name may have", f.Name)
		}
	}
	switch {
	case f.Name == readmeName, f.Name == sumsName, f.Name == binaryName, f.Name == configName:
		return nil
	case strings.HasPrefix(f.Name, blobsFolder):
		if f.Name != blobsFolder+"sha256-"+f.SHA256 {
			return fmt.Errorf("the blob %s is not named by its checksum", f.Name)
		}
		return nil
	case strings.HasPrefix(f.Name, skillsFolder), strings.HasPrefix(f.Name, namesFolder) && strings.Count(f.Name, "/") == 5:
		return nil
	default:
		return fmt.Errorf("%q does not belong in a bundle", f.Name)
	}
}
