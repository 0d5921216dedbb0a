// Package backup writes the store and the memory files of a data folder into one file, while the
// daemon runs, and restores them.
//
//	m, err := backup.Write(ctx, w, backup.Source{Data: dir, Store: s, Version: v, Now: now})
//	m, err = backup.Check(file)                        // reads it to its end
//	r, err := backup.Restore(ctx, file, dir, backup.Options{Now: now})
//
// # The file
//
// A backup is an uncompressed tar file. Its entries are regular files, in this order:
//
//	manifest.json      a [Manifest]: what made it, what is in it, and each file that follows with its size
//	store/…            the store, as a Pebble database of its own
//	memory/MEMORY.md   if it exists, and likewise memory/HISTORY.md
//	checksums          SHA-256 of each entry before it, one line each, as sha256sum writes them
//
// So a file that was cut short has no checksums, and in one that was changed they do not match.
// Nothing else of the folder is in a backup: tokens, grants, marks and logs are those of the folder
// that it is restored into.
//
// # One moment
//
// The store's checkpoint is taken first: it holds what was synced by then. It is a folder inside
// the data folder that shares the store's files by hard links; it is removed afterwards, or at the
// next start. The memory files are opened after the checkpoint, and if they have changed during it,
// it is taken again. If they keep changing, they may hold a turn that the checkpoint does not; after
// a restore, that turn is recognised as already written (see package session).
//
// # Restoring
//
// A backup is unpacked inside the data folder, into its folder restore.tmp, and checked: the
// manifest, every checksum, and the fold of its journal. Then a file in that folder records that it
// is ready, the old data is moved into a folder before-restore-TIME, and the new data into its
// place. A crash before that file leaves the old data; after it the next start, or the next restore,
// finishes the moves.
package backup
