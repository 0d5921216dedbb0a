package salvage

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// errUnlisted is the error when the database's last manifest is missing.
var errUnlisted = errors.New("the last manifest is missing")

// current returns the database's last manifest: the one that the marker names or, if there is no
// marker, the newest, unless the options file shows a later opening. An opening makes a manifest, a
// log and an options file, in that order and with consecutive numbers.
func current(folder files.Folder) (name string, ok bool) {
	name = folder.Manifest
	if name == "" && len(folder.Manifests) > 0 {
		name = folder.Manifests[len(folder.Manifests)-1]
	}
	if folder.Manifest == "" && len(folder.Options) > 0 {
		_, opened := files.Parse(folder.Options[len(folder.Options)-1])
		if _, made := files.Parse(name); opened > made+2 {
			return "", false
		}
	}
	return name, slices.Contains(folder.Manifests, name)
}

// listed is a table with the keys that the manifest says it has.
type listed struct {
	name string
	keys table.Span
}

// live returns the tables and logs that belong to the database according to its manifest. It
// returns an error if no manifest can be read or a table is missing.
func live(disk vfs.FS, dir string, folder files.Folder, o Options) (tables []listed, logs []string, err error) {
	manifest, ok := current(folder)
	if !ok {
		return nil, nil, errUnlisted
	}
	if err := files.CheckManifest(disk, disk.PathJoin(dir, manifest)); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, manifest)
	}
	view := &whole{FS: disk, markers: []string{files.ManifestMarker(manifest), files.VersionMarker(max(o.Version, folder.Version))}}
	defer func() {
		if r := recover(); r != nil { // Fatalf of quiet panics
			err = fmt.Errorf("%v", r)
		}
	}()
	db, err := pebble.Open(dir, &pebble.Options{
		FS: view, ReadOnly: true, Logger: quiet{o.Logger}, FormatMajorVersion: pebble.FormatMajorVersion(o.Version), Lock: o.Lock,
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	levels, err := db.SSTables()
	if err != nil {
		return nil, nil, err
	}
	for _, level := range levels {
		for _, info := range level {
			keys := table.Span{From: bytes.Clone(info.Smallest.UserKey), To: table.After(info.Largest.UserKey)}
			tables = append(tables, listed{fmt.Sprintf("%s.sst", info.BackingSSTNum), keys})
		}
	}
	return tables, view.logs, nil
}

// whole is a view of a file system in which the database has its markers, and its logs and options
// are empty.
type whole struct {
	vfs.FS
	markers []string
	logs    []string // those that were opened
}

// List implements vfs.FS.
func (w *whole) List(dir string) ([]string, error) {
	names, err := w.FS.List(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "marker.") })
	return append(names, w.markers...), err
}

// Open implements vfs.FS.
func (w *whole) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	base := path.Base(name)
	switch kind, _ := files.Parse(base); {
	case kind == files.Log && !slices.Contains(w.logs, base):
		w.logs = append(w.logs, base)
	case kind != files.Log && kind != files.Options:
		return w.FS.Open(name, opts...)
	}
	return vfs.NewMemFile(nil), nil
}

// quiet is Pebble's logger here. What is fatal to Pebble must not return; here it only means that
// this way of reading has failed.
type quiet struct{ log *slog.Logger }

// Infof implements pebble.Logger.
func (q quiet) Infof(format string, args ...any) { q.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf implements pebble.Logger.
func (q quiet) Errorf(format string, args ...any) { q.log.Debug(fmt.Sprintf(format, args...)) }

// Fatalf implements pebble.Logger.
func (q quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
