// Package copies is a file beside the store that repeats some of what lies in it, where it can
// be read by its place, without a block around it.
//
//	f := copies.New(fs, "data/store/vectors", true)  // opens nothing
//	err := f.Write(text, 4096)                       // makes the file where there is none
//	n, err := f.Read(text, 4096)                     // fs.ErrNotExist where there is none
//
// Nothing in the file is to be believed: a crash may leave anything of it, and so may a store
// that is opened by an older shelly, or copied without it. Whoever reads has to tell what is
// there from what is in the store, and reads the store otherwise. Therefore nothing here is
// synced but what was taken out, and no failure of the file is one of the store.
package copies
