package files

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Folder is what the names in a store's folder tell. Names are in the order of their numbers.
type Folder struct {
	Manifest  string // named by the newest marker; "": there is no marker
	Version   uint64 // Pebble's format major version by the newest marker; 0: there is no marker
	Manifests []string
	Tables    []string
	Logs      []string
	Options   []string
	Markers   []string // the newest of each name
	Others    []string // other files of Pebble's, past or present: CURRENT, temporary files
	Newest    uint64   // the highest file number
}

// Kind is what kind of file of Pebble's a file is.
type Kind int

// The kinds of files, and the names of each: 000004.log, 000005.sst, MANIFEST-000006,
// OPTIONS-000007, marker.manifest.000002.MANIFEST-000006.
const (
	None Kind = iota // not Pebble's
	Table
	Log
	Manifest
	Options
	Marker
	Other
)

// Parse returns the kind of the file with a name, and its number; for a marker, how many times it
// was moved.
func Parse(name string) (Kind, uint64) {
	base, suffix, dotted := strings.Cut(name, ".")
	prefix, number, dashed := strings.Cut(name, "-")
	switch {
	case strings.HasPrefix(name, "marker."):
		if parts := strings.SplitN(name, ".", 4); len(parts) == 4 {
			return kindOf(Marker, parts[2])
		}
		return Other, 0
	case dotted && suffix == "sst":
		return kindOf(Table, base)
	case dotted && suffix == "log":
		return kindOf(Log, base)
	case dashed && prefix == "MANIFEST":
		return kindOf(Manifest, number)
	case dashed && prefix == "OPTIONS":
		return kindOf(Options, number)
	case name == "CURRENT", dotted && suffix == "dbtmp", strings.HasPrefix(name, "temporary."), dotted && suffix == "blob":
		return Other, 0
	}
	return None, 0
}

// kindOf returns the kind k if digits are a number.
func kindOf(k Kind, digits string) (Kind, uint64) {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return None, 0
	}
	return k, n
}

// The markers of a store: the first stands before the name of its manifest, the second before the
// number of its format.
const (
	manifestMarker = "manifest"
	versionMarker  = "format-version"
)

// List reads the names in a folder, and nothing else.
func List(disk vfs.FS, dir string) (Folder, error) {
	names, err := disk.List(dir)
	if err != nil {
		return Folder{}, err
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
	})
	var f Folder
	for _, name := range names {
		kind, number := Parse(name)
		switch kind {
		case Table:
			f.Tables = append(f.Tables, name)
		case Log:
			f.Logs = append(f.Logs, name)
		case Manifest:
			f.Manifests = append(f.Manifests, name)
		case Options:
			f.Options = append(f.Options, name)
		case Marker:
			f.marked(name)
			continue // its number is not a file number
		case Other:
			f.Others = append(f.Others, name)
		}
		f.Newest = max(f.Newest, number)
	}
	return f, nil
}

// marked notes a marker; a newer one replaces an older one of the same name.
func (f *Folder) marked(name string) {
	parts := strings.SplitN(name, ".", 4)
	switch parts[1] {
	case manifestMarker:
		f.Manifest = parts[3]
	case versionMarker:
		if v, err := strconv.ParseUint(parts[3], 10, 64); err == nil {
			f.Version = v
		}
	default:
		f.Others = append(f.Others, name)
		return
	}
	f.Markers = slices.DeleteFunc(f.Markers, func(m string) bool { return strings.HasPrefix(m, "marker."+parts[1]+".") })
	f.Markers = append(f.Markers, name)
}

// Names returns the files that the database consists of, without those that are older than its
// manifest and its markers.
func (f Folder) Names() []string {
	names := slices.Concat(f.Tables, f.Logs, f.Markers, f.Options)
	if slices.Contains(f.Manifests, f.Manifest) {
		names = append(names, f.Manifest)
	}
	slices.Sort(names)
	return names
}

// ManifestMarker returns the name of the first marker of a manifest.
func ManifestMarker(manifest string) string {
	return "marker." + manifestMarker + ".000001." + manifest
}

// VersionMarker returns the name of the first marker of a format major version.
func VersionMarker(version uint64) string {
	return fmt.Sprintf("marker.%s.000001.%03d", versionMarker, version)
}

// Missing returns what a database that was once opened must have and this one lacks.
func (f Folder) Missing() []string {
	var missing []string
	if f.Manifest == "" {
		missing = append(missing, "marker.manifest.*")
	} else if !slices.Contains(f.Manifests, f.Manifest) {
		missing = append(missing, f.Manifest)
	}
	if f.Version == 0 {
		missing = append(missing, "marker.format-version.*")
	}
	if len(f.Logs) == 0 && f.opened() {
		missing = append(missing, "the log (*.log)")
	}
	return missing
}

// opened reports whether the last opening finished: the options are written after the log is made,
// and the log after the manifest. A crash before that leaves tables and no log.
func (f Folder) opened() bool {
	return len(f.Options) > 0 && number(f.Options[len(f.Options)-1]) > number(f.Manifest)
}

func number(name string) uint64 {
	_, n := Parse(name)
	return n
}

// Holds reports whether there is anything of a database that was once opened. Pebble writes its
// options last, and nothing into a log before that, so what a crash leaves of a first opening holds
// nothing, and the store may be made again.
func (f Folder) Holds(disk vfs.FS, dir string) (bool, error) {
	if len(f.Tables) > 0 || len(f.Options) > 0 {
		return true, nil
	}
	for _, log := range f.Logs {
		info, err := disk.Stat(disk.PathJoin(dir, log))
		if err != nil {
			return false, err
		}
		if info.Size() > 0 {
			return true, nil
		}
	}
	return false, nil
}
