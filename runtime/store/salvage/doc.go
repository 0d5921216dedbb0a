// Package salvage reads what can be read of a store's database that does not open, or not
// whole: below the database, and with nothing changed.
//
//	found, err := salvage.Read(ctx, disk, dir, salvage.Options{…})
//	defer found.Close()
//	for _, place := range found.Damage { … }
//	err = found.Each(ctx, func(key, value []byte) error { … }) // the latest of each key
//
// # Which files count
//
// A folder may hold tables and logs that are not of the database any more: a compaction that
// has just ended leaves what it has read, and a log is used again rather than removed. Which
// are is in the manifest. Where that is sound, be its marker gone or not, Pebble is asked,
// on a file system on which the marker is there and the logs are empty: the tables are those
// that it knows, and the logs those that it opens.
//
// Where there is no manifest, all files count, and which is older follows from what they hold.
// Keys that are written once ([Options.Once]) are in two files only if one was made from the
// other. Then the one with the lower number is the older, and of the other keys of it none
// counts that lies between the first and the last of the newer one. Within these the newer
// one is complete even if a crash came before it was done, so nothing is lost by that.
package salvage
