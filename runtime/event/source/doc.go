// Package source has the sources of events: folders of files, disks, memory, load, pressure,
// processes and units. Each implements [event.Source].
//
// Linux has all of them. On other systems files are watched and disks measured if the system has
// a call for it; the other sources return [event.ErrNotHere]. No library is used, because
// only a few small files of /proc are read: gopsutil reads the same files through a layer for
// seven systems, of which shelly needs two.
package source
