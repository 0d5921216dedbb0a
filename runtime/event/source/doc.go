// Package source has what events come from: folders of files, disks, memory, load, pressure,
// processes and units. Each implements [event.Source].
//
// Linux is whole. Elsewhere the files are watched and disks measured where the system has a
// call for it; what is not there says so ([event.ErrNotHere]). What is read is a few small files
// of /proc, so no library is needed for it: gopsutil reads the same files through a layer that
// serves seven systems, two of which shelly has.
package source
