// Package zone reads the time zone database for the machine, which does not have one itself.
package zone

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for machines that have no zone database

	"shelly/fsm"
)

// How far before and after the present the changes of a zone are read.
const (
	yearsBefore = 1
	yearsAfter  = 10
)

// Named reads a zone by its name in the database, such as Europe/Berlin, with its changes
// around a time. The name local means the machine's own.
func Named(name string, now time.Time) (fsm.Zone, error) {
	from, to := now.AddDate(-yearsBefore, 0, 0), now.AddDate(yearsAfter, 0, 0)
	if name == "local" {
		return local(time.Local, names(os.Getenv("TZ"), "/etc/localtime"), from, to), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return fsm.Zone{}, fmt.Errorf("%q is not in the zone database; write local, UTC, or a name such as Europe/Berlin", name)
	}
	return Of(loc, name, from, to), nil
}

// Of reads a zone's changes after from and up to a time.
func Of(loc *time.Location, name string, from, to time.Time) fsm.Zone {
	from = from.In(loc)
	_, offset := from.Zone()
	z := fsm.Zone{Name: name, Offset: offset}
	for {
		_, until := from.ZoneBounds()
		if until.IsZero() || until.After(to) {
			return z
		}
		from = until
		if _, next := from.Zone(); next != offset {
			offset = next
			z.Changes = append(z.Changes, fsm.Change{At: fsm.Millis(from.UnixMilli()), Offset: offset})
		}
	}
}

// local returns the machine's zone under the first of the names whose times it has (CFG-18).
func local(loc *time.Location, names []string, from, to time.Time) fsm.Zone {
	z := Of(loc, "local", from, to)
	for _, name := range names {
		named, err := time.LoadLocation(name)
		if err != nil || name == "" || name == "Local" {
			continue
		}
		if n := Of(named, name, from, to); n.Offset == z.Offset && slices.Equal(n.Changes, z.Changes) {
			return n
		}
	}
	if z.IsUTC() {
		z.Name = "UTC"
	}
	return z
}

// names returns what the machine's zone may be called: by TZ, which is a name or a file, or by the
// link to its file.
func names(tz, link string) []string {
	tz = strings.TrimPrefix(tz, ":")
	all := []string{tz}
	for _, file := range []string{tz, link} {
		if target, err := filepath.EvalSymlinks(file); err == nil {
			if _, name, ok := strings.Cut(filepath.ToSlash(target), "/zoneinfo/"); ok {
				all = append(all, name)
			}
		}
	}
	return all
}

// Unknown returns what TZ says if that is no zone of the database, so that the machine's zone is
// taken to be UTC (CFG-18), and "" if it is one.
func Unknown() string { return unknown(os.Getenv("TZ"), time.Local) }

func unknown(tz string, loc *time.Location) string {
	switch strings.TrimPrefix(tz, ":") {
	case "", "UTC", "UTC0":
		return ""
	}
	if loc.String() != "UTC" { // a zone that was found has another name, even one in which UTC is the time
		return ""
	}
	return tz
}
