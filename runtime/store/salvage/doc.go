// Package salvage reads what can be read of a store's database that does not open, or opens only in
// part. It works below the database and changes nothing.
//
//	found, err := salvage.Read(ctx, disk, dir, salvage.Options{…})
//	defer found.Close()
//	for _, place := range found.Damage { … }
//	err = found.Each(ctx, func(key, value []byte) error { … }) // the latest value of each key
//
// # Which files count
//
// A folder may hold tables and logs that no longer belong to the database: a compaction that has
// just ended leaves its inputs behind, and a log is reused rather than removed. The manifest says
// which files do belong. Where it is intact, even without its marker, Pebble is asked, on a view of
// the folder in which the marker exists and the logs are empty: the tables are those that Pebble
// knows, and the logs those that it opens.
//
// Without a manifest all files count, and which of two is older follows from what they hold. A key
// that is written once ([Options.Once]) is in two files only if one was made from the other. Then
// the one with the lower number is the older, and none of its other keys counts that lies between
// the first and the last key of the newer one. Within that span the newer file is complete, even if
// a crash came before the compaction was done, so this loses nothing.
package salvage
