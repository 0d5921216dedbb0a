package file

import (
	"io"
	"io/fs"
	"sync"

	"shelly/fsm"
	"shelly/runtime/tool/file/change"
)

// seen remembers what the files were that each session has read or written, so that none is written
// over whose change it has not seen (TOL-101). It is safe for concurrent use; its zero value is empty. It ends with
// the process: what a session read before is then not known.
type seen struct {
	mu    sync.Mutex
	files map[sighting]version
}

// version is what a file held: the hash of that, or if it is not known, its size and the time of its last change.
type version struct {
	info fs.FileInfo // nil: there was no file
	hash string
}

// same reports whether a file holds what it held before. A time alone says nothing: some programs touch files,
// or write again what is there.
func (v version) same(before version) bool {
	if v.hash != "" && before.hash != "" {
		return v.hash == before.hash
	}
	return v.info.Size() == before.info.Size() && v.info.ModTime().Equal(before.info.ModTime()) // not its inode, which some network file systems make up
}

// hashedMax is how large a file may be that is read whole for its hash, in bytes.
const hashedMax = 1 << 20

// version returns what an open file holds. Its hash is left out if the file is long, or has changed since it was opened.
func (f opened) version() version {
	v := version{info: f.info}
	if f.info.Size() > hashedMax {
		return v
	}
	held := make([]byte, f.info.Size()+1)
	n, err := f.ReadAt(held, 0)
	now, gone := f.Stat()
	if err == io.EOF && int64(n) == f.info.Size() && gone == nil && v.same(version{info: now}) {
		v.hash = change.Hash(held[:n])
	}
	return v
}

// sighting is a file that a session, or a subagent, has read or written.
type sighting struct{ owner, path string }

// ownerOf returns whose conversation a call is of: that of its session or, if it has none, as a subagent, its handle's.
func ownerOf(call fsm.RunTool) string {
	if call.Session == "" {
		return fsm.HandleOwner(call.Handle)
	}
	return fsm.SessionOwner(call.Session)
}

// sightingsMax bounds what is remembered, to about half a megabyte.
const sightingsMax = 1000

// note remembers what a file holds; path is absolute and without symbolic links.
func (s *seen) note(owner, path string, now version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := sighting{owner, path}
	if _, known := s.files[at]; !known && len(s.files) >= sightingsMax {
		for other := range s.files { // any of them
			delete(s.files, other)
			break
		}
	}
	if s.files == nil {
		s.files = map[sighting]version{}
	}
	s.files[at] = now
}

// known returns what a file held when a session read or wrote it last.
func (s *seen) known(owner, path string) (was version, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known = s.files[sighting{owner, path}]
	return was, known
}

// changed reports whether a file is known not to hold what it did when a session read or wrote it last.
func (s *seen) changed(owner, path string, now version) bool {
	was, known := s.known(owner, path)
	return known && !now.same(was)
}
