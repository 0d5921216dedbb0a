package settle

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// Bounds of what is kept of changes of files.
const (
	// PathsMax is the most files whose names are kept until they are reported.
	PathsMax = 512
	// NamedMax is the most files that an event names.
	NamedMax = 20
)

// What is what happened to a file.
type What string

// A file has appeared, has other content, or is gone; or a folder is gone with all in it, which
// is counted as one file. That a folder has come is not told, nor that it is gone again.
const (
	Created What = "created"
	Written What = "written"
	Removed What = "removed"
	Came    What = "came"
	Went    What = "went"
)

// gone reports whether nothing is left.
func (w What) gone() bool { return w == Removed || w == Went }

// Files gathers changes of files until there have been none for Settle, but for no longer than
// Longest since the first (EVT-5).
type Files struct {
	Settle, Longest fsm.Millis
	Rate            Rate

	changes []changed    // in the order of their paths
	came    []string     // folders that have come since the last event, PathsMax at most
	more    map[What]int // changes of files whose names are not kept; of folders that went, as Removed
	lost    bool         // the system has lost some changes
	first   fsm.Millis
	last    fsm.Millis
	spent   spent
}

type changed struct {
	path string
	what What
}

// Batch is changes of files that are reported as one event.
type Batch struct {
	Named []string     // the first NamedMax in the order of their paths
	Whats []What       // of Named
	Count map[What]int // of the files whose names were kept; of folders that went, as Removed
	More  map[What]int // changes of others, each of which may have several; of folders that went, as Removed
	Lost  bool         // the system has lost some, so any file may have changed
	To    fsm.Millis   // when the last was seen

	changes []changed // those that are counted in Count
	came    []string
	first   fsm.Millis
}

// Files returns how many files are known to have changed.
func (b *Batch) Files() int { return b.Count[Created] + b.Count[Written] + b.Count[Removed] }

// Further returns how many changes there are of files whose names were not kept.
func (b *Batch) Further() int { return b.More[Created] + b.More[Written] + b.More[Removed] }

// pending reports whether there is something to tell.
func (f *Files) pending() bool { return len(f.changes) > 0 || len(f.more) > 0 || f.lost }

// note notes the time of a change.
func (f *Files) note(now fsm.Millis) {
	if !f.pending() {
		f.first = now
	}
	f.last = now
}

// See adds a change.
func (f *Files) See(now fsm.Millis, path string, what What) {
	if what == Came {
		if len(f.came) < PathsMax {
			f.came = append(f.came, path)
		}
		return
	}
	f.note(now)
	f.see(path, what)
}

// see adds a change of a file, or of a folder that is gone.
func (f *Files) see(path string, what What) {
	if what.gone() {
		f.drop(path + "/")
	}
	i, known := f.find(path)
	switch {
	case what.gone() && !known && slices.Contains(f.came, path):
	case known:
		if f.changes[i].what = together(f.changes[i].what, what); f.changes[i].what == "" {
			f.changes = slices.Delete(f.changes, i, i+1)
		}
	case len(f.changes) < PathsMax:
		f.changes = slices.Insert(f.changes, i, changed{path, what})
	default:
		f.more = add(f.more, what)
	}
}

// find returns the index of the first path that is not before this one, and whether it is this one.
func (f *Files) find(path string) (int, bool) {
	return slices.BinarySearchFunc(f.changes, path, func(c changed, path string) int { return strings.Compare(c.path, path) })
}

// drop forgets the changes in a folder that is gone.
func (f *Files) drop(prefix string) {
	from, _ := f.find(prefix)
	to := from
	for to < len(f.changes) && strings.HasPrefix(f.changes[to].path, prefix) {
		to++
	}
	f.changes = slices.Delete(f.changes, from, to)
}

// together returns the sum of two changes of a file; empty if it appeared and is gone again.
func together(before, after What) What {
	switch {
	case before == Created && after.gone():
		return ""
	case before == Created:
		return Created
	case before.gone() && !after.gone():
		return Written
	case before == Went: // which the system announces twice
		return Went
	default:
		return after
	}
}

// add counts a change; a folder that went counts as removed.
func add(counts map[What]int, what What) map[What]int {
	if counts == nil {
		counts = map[What]int{}
	}
	if what == Went {
		what = Removed
	}
	counts[what]++
	return counts
}

// Lose notes that the system has lost changes.
func (f *Files) Lose(now fsm.Millis) {
	f.note(now)
	f.lost = true
}

// Due returns when the event is due, or false if there is none.
func (f *Files) Due() (at fsm.Millis, ok bool) {
	return f.Rate.free(f.spent, min(f.last+f.Settle, f.first+f.Longest)), f.pending()
}

// Take returns what has changed, which counts as told from now on, or false if it has not settled
// yet.
func (f *Files) Take(now fsm.Millis) (b Batch, ok bool) {
	if at, is := f.Due(); !is || at > now {
		return b, false
	}
	b = Batch{More: f.more, Lost: f.lost, To: f.last, changes: f.changes, came: f.came, first: f.first}
	for _, c := range f.changes {
		b.Count = add(b.Count, c.what)
		if len(b.Named) < NamedMax {
			b.Named, b.Whats = append(b.Named, c.path), append(b.Whats, c.what)
		}
	}
	f.changes, f.came, f.more, f.lost = nil, nil, nil, false
	f.spent = f.Rate.add(f.spent, now)
	return b, true
}

// Return takes back an event that was taken and is not raised: it is combined with the changes that
// were seen since.
func (f *Files) Return(b *Batch) {
	since := *f
	f.changes, f.came, f.more, f.lost, f.first = b.changes, b.came, b.More, b.Lost || since.lost, b.first
	f.spent = f.spent.less()
	for _, c := range since.changes {
		f.see(c.path, c.what)
	}
	f.came = append(f.came, since.came[:min(len(since.came), PathsMax-len(f.came))]...)
	for what, n := range since.more { // order-free: each is added on its own
		f.more = add(f.more, what)
		f.more[what] += n - 1
	}
}
