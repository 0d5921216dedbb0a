// Package zone reads the time zone database for the machine, which does not have one itself.
package zone

import (
	"fmt"
	"os"
	"path/filepath"
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
	loc := time.Local
	if name == "local" {
		name = localName(os.Getenv("TZ"), "/etc/localtime")
	} else {
		var err error
		if loc, err = time.LoadLocation(name); err != nil || name == "" || name == "Local" {
			return fsm.Zone{}, fmt.Errorf("%q is not in the zone database; write local, UTC, or a name such as Europe/Berlin", name)
		}
	}
	return Of(loc, name, now.AddDate(-yearsBefore, 0, 0), now.AddDate(yearsAfter, 0, 0)), nil
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

// localName returns the name of the machine's zone, from TZ or from the link to its file.
func localName(tz, link string) string {
	if tz = strings.TrimPrefix(tz, ":"); tz != "" && !filepath.IsAbs(tz) {
		if _, err := time.LoadLocation(tz); err == nil {
			return tz
		}
	}
	if target, err := filepath.EvalSymlinks(link); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(target), "/zoneinfo/"); ok {
			if _, err := time.LoadLocation(name); err == nil {
				return name
			}
		}
	}
	if _, offset := time.Now().Zone(); offset == 0 {
		return "UTC"
	}
	return "local"
}
