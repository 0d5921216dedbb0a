package source

import "hash/maphash"

// namesMax is how many files a source knows by their names (EVT-6).
const namesMax = 50_000

// names are the files that are in the watched folders. The system announces a file that is put in the
// place of another as one that has come, and says nothing about the other. A name is kept as its hash: one
// in billions is taken for another, and a new file then counts as written.
type names struct {
	seed maphash.Seed
	of   map[string]map[uint64]struct{} // by folder
	all  int
}

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), of: map[string]map[uint64]struct{}{}}
}

// begin begins to know the files of a folder, and reports whether they were not known yet.
func (n *names) begin(dir string) bool {
	if n.of[dir] != nil {
		return false
	}
	n.of[dir] = map[uint64]struct{}{}
	return true
}

// add adds a file of a folder, unless there are too many, and reports whether it was there.
func (n *names) add(dir, name string) (known bool) {
	hash, files := maphash.String(n.seed, name), n.of[dir]
	if _, known = files[hash]; known || files == nil || n.all >= namesMax {
		return known
	}
	files[hash] = struct{}{}
	n.all++
	return false
}

// remove removes a file of a folder.
func (n *names) remove(dir, name string) {
	hash, files := maphash.String(n.seed, name), n.of[dir]
	if _, known := files[hash]; known {
		delete(files, hash)
		n.all--
	}
}

// forget removes all files of a folder.
func (n *names) forget(dir string) {
	n.all -= len(n.of[dir])
	delete(n.of, dir)
}
