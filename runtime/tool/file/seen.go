package file

import (
	"io/fs"
	"sync"

	"shelly/fsm"
)

// seen remembers what the files were that each session has read or written, so that none is written
// over whose change it has not seen (TOL-101). It is safe for concurrent use; its zero value is empty. It ends with
// the process: what a session read before is then not known.
type seen struct {
	mu    sync.Mutex
	files map[sighting]fs.FileInfo
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

// note remembers what a file is; path is absolute and without symbolic links.
func (s *seen) note(owner, path string, info fs.FileInfo) {
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
		s.files = map[sighting]fs.FileInfo{}
	}
	s.files[at] = info
}

// changed reports whether a file is known not to be what a session has read or written last.
func (s *seen) changed(owner, path string, now fs.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known := s.files[sighting{owner, path}]
	return known && (was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime())) // not its inode, which some network file systems make up
}

// follow remembers what a file is after a session has seen or changed a part of it. If the rest has changed
// before, the session has still not seen that.
func (s *seen) follow(owner, path string, before, after fs.FileInfo) {
	if before == nil || !s.changed(owner, path, before) {
		s.note(owner, path, after)
	}
}
