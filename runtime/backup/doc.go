// Package backup writes all that a data folder keeps into one file, while the daemon
// runs, and puts it back.
//
//	m, err := backup.Write(ctx, w, backup.Source{Data: dir, Store: s, Version: v, Now: now})
//	m, err = backup.Check(file)                        // reads it to its end
//	r, err := backup.Restore(ctx, file, dir, backup.Options{Now: now})
//
// # The file
//
// A backup is a tar file that is not compressed. Its entries are regular files, in this
// order:
//
//	manifest.json      a [Manifest]: what made it, what is in it, and each file that follows with its size
//	store/…            the store, as a Pebble database of its own
//	memory/MEMORY.md   where there is one, as memory/HISTORY.md
//	checksums          SHA-256 of each entry before it, a line each as sha256sum writes them
//
// So a file that was cut short has no checksums, and one that was changed has others.
// Not in it are the token, the endpoint, locks and the ballast: a folder that is
// restored gets its own.
//
// # One moment
//
// The store's checkpoint is taken first: it holds what was synced by then, and shares
// its files with the store by hard links in a folder of its own inside the data folder,
// which is removed afterwards and at the next start. The memory files are opened after
// it, and it is taken again if they have changed meanwhile. If they change all the
// time, they may hold a turn that the checkpoint does not; it is then written again as
// its own (see package session).
//
// # Restoring
//
// A backup is unpacked beside what is there, into the folder restore.tmp of the data
// folder, and checked: the manifest, every checksum, and the fold of its journal. Then
// a file in that folder says that it is ready, and what was there is moved into a folder
// before-restore-TIME and the new in its place. A crash before that file leaves the old
// data; after it the next start, or the next restore, finishes the moves.
package backup
