// Package copies is a file beside the store that repeats some of its content, where it can be read
// by offset, without a block around it.
//
//	f := copies.New(fs, "data/store/vectors", true)  // opens nothing
//	err := f.Write(text, 4096)                       // makes the file if there is none
//	n, err := f.Read(text, 4096)                     // fs.ErrNotExist if there is none
//
// Nothing in the file can be trusted: a crash may leave any part of it, and so may a store that is
// opened by an older shelly, or copied without the file. A reader must check what it reads against
// the store, and read the store where the two differ. Therefore only removals are synced, and no
// failure of the file fails the store.
package copies
