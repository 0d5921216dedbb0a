package chat

import (
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// news tells the requests of a session that are asked elsewhere from those that the chat follows
// (CLI-216).
type news struct {
	mu       sync.Mutex
	followed map[string]*followed // by id, until it has ended and is listed
}

// followed is a request that the chat follows or has followed.
type followed struct {
	listed, ended bool
	client        string // whose request it is; "": the chat's own
}

// seen is how far the looks at a session have come.
type seen struct {
	looked bool
	last   fsm.HandleID
	record uint64 // the last of the journal then
}

// upTo returns the record up to which the requests of a journal with a last record were looked at.
// Of another journal, as after a restore, none was.
func (s *seen) upTo(last uint64) uint64 {
	if last < s.record {
		*s = seen{}
	}
	return s.record
}

// follows notes a request before it is sent.
func (n *news) follows(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.note(id)
}

// note returns the note of a request, which it makes if there is none. The caller holds the lock.
func (n *news) note(id string) *followed {
	if n.followed == nil {
		n.followed = map[string]*followed{}
	}
	if n.followed[id] == nil {
		n.followed[id] = &followed{}
	}
	return n.followed[id]
}

// about names a request of a channel that the chat follows.
func (n *news) about(id, channel string) client.About {
	n.mu.Lock()
	defer n.mu.Unlock()
	about := client.About{ID: id, Channel: channel}
	if f := n.followed[id]; f != nil {
		about.Client = f.client
	}
	return about
}

// ended notes that a request is no longer followed.
func (n *news) ended(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.note(id); f.listed {
		delete(n.followed, id)
	} else {
		f.ended = true
	}
}

// fresh returns the requests of a channel, the oldest first, that were asked elsewhere since the last
// look, even if they have ended. At the first look it returns those that have not: the archive has
// the others. The list begins with the latest, as the daemon gives it.
func (n *news) fresh(s *seen, list []comm.Record, channel string) (fresh []comm.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := *s
	s.looked = true
	for _, r := range slices.Backward(list) {
		if r.Handle <= before.last || r.Channel != channel {
			continue
		}
		s.last = max(s.last, r.Handle)
		if f := n.followed[r.ID]; f != nil {
			if f.listed = true; f.ended {
				delete(n.followed, r.ID)
			}
		} else if (r.Kind == "" || r.Kind == fsm.KindUser) && (before.looked || !r.Done) {
			f := n.note(r.ID)
			f.listed, f.client = true, r.Client
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// since returns when the wait for a request began: when it was sent or, if that was later, when the
// last one before it in a list of its session was answered (CLI-150).
func since(r comm.Record, list []comm.Record) fsm.Millis {
	began := r.Accepted
	for _, other := range list {
		if other.Done && other.Handle < r.Handle {
			began = max(began, other.Replied)
		}
	}
	return began
}
