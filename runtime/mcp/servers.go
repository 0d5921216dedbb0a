package mcp

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"shelly/runtime/egress"
	"shelly/runtime/mcp/kept"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
)

// Server is a server as it is configured.
type Server struct {
	Name    string
	Command []string // a program; empty: the server is at URL
	Env     []string // NAME=value, in addition to PATH, HOME and LANG
	Network bool     // the program may use the network
	Within  string   // what the sandbox lets it do; a program is restarted if that changes

	URL     string
	Headers []Header         // of each request
	Allow   []egress.Allowed // where URL may lead outside the public network

	Only    []string // names of the tools that are offered; nil: all
	Timeout time.Duration
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// Sandbox runs the programs.
type Sandbox interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error)
	Rung() sandbox.Rung // what contains them
}

// Options are what all servers share.
type Options struct {
	Sandbox   Sandbox
	Workspace string // absolute, without symbolic links
	Version   string // shelly's, as it is sent to servers
	Log       *slog.Logger
	Patience  func() time.Duration // how long a call may now wait for a person; nil or 0: an hour
	Notes     string               // the folder of the notes that survive a crash (package kept); empty: none
	Changed   func()               // called when a server's tools have changed; it must not block

	pace  pace // zero: usual
	notes *kept.Notes
}

// pace is how long things take and how often they happen.
type pace struct {
	connect time.Duration // until a server has greeted or has listed its tools
	relist  time.Duration // between two readings of a list that changes
	least   time.Duration // the first wait before a server is restarted
	most    time.Duration // the longest one
	settled time.Duration // after running this long, a server is restarted without a long wait
	grace   time.Duration // for a program to end by itself
	task    time.Duration // between two polls of a task whose server names no interval
	looks   time.Duration // the least interval between two polls
}

func usual() pace {
	return pace{connect: 30 * time.Second, relist: 10 * time.Second, least: time.Second, most: 5 * time.Minute, settled: time.Minute, grace: 2 * time.Second, task: 2 * time.Second, looks: 200 * time.Millisecond}
}

// again returns how long to wait before a list that has changed is read again, given the last such wait, or 0,
// and the time since that reading: each change is a record of the journal, but a list that changes
// once a day may be read soon.
func (p pace) again(wait, since time.Duration) time.Duration {
	if wait == 0 || since >= p.most {
		return p.relist
	}
	return min(2*wait, p.most)
}

// Servers keeps servers up. It is safe for concurrent use.
type Servers struct {
	options Options
	mu      sync.Mutex
	list    []*server
}

// New returns no servers yet.
func New(o Options) *Servers {
	if o.pace == (pace{}) {
		o.pace = usual()
	}
	if o.Notes != "" {
		o.notes = kept.Open(o.Notes)
	}
	return &Servers{options: o}
}

// Use sets the list of servers. A server with an unchanged configuration keeps running; one that
// is no longer listed is ended.
func (s *Servers) Use(list []Server) { s.use(list, errUnlisted) }

// use sets the list of servers; why is what calls of those learn that are ended. They end at the same
// time, because each may take a while, and without the lock, which calls need.
func (s *Servers) use(list []Server, why error) {
	var ended sync.WaitGroup
	for _, r := range s.set(list) {
		ended.Go(func() { r.stop(why) })
	}
	ended.Wait()
}

// set sets the list of servers, and returns those that are no longer in it.
func (s *Servers) set(list []Server) (gone []*server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next []*server
	for _, c := range list {
		i := slices.IndexFunc(s.list, func(r *server) bool { return reflect.DeepEqual(r.config, c) })
		if i >= 0 {
			next = append(next, s.list[i])
		} else {
			next = append(next, start(s.options, c))
		}
	}
	gone = slices.DeleteFunc(s.list, func(r *server) bool { return slices.Contains(next, r) })
	s.list = next
	return gone
}

// Wait waits until every server has been tried once, or ctx is done.
func (s *Servers) Wait(ctx context.Context) {
	for _, r := range s.now() {
		select {
		case <-r.tried:
		case <-ctx.Done():
			return
		}
	}
}

// Tools returns the tools of all servers. Their names are unique, also among the
// names in taken.
func (s *Servers) Tools(taken []string) []tool.Added {
	list := s.now()
	var all []declared
	var of []*server
	for _, r := range list {
		for _, d := range r.declared() {
			all, of = append(all, d), append(of, r)
		}
	}
	var added []tool.Added
	for i, name := range unique(all, taken) {
		if t, err := of[i].added(name, all[i]); err == nil { // its schema was checked when it was listed
			added = append(added, t)
		}
	}
	return added
}

// Refused notes that a person has refused the call with a key, or was not asked about it: the
// server's question for which it is waiting is declined (TOL-97). After a restart its task is cancelled
// (TOL-100).
func (s *Servers) Refused(key string) {
	for _, r := range s.now() {
		r.refused(key)
	}
}

// State is the status of a server.
type State struct {
	Name  string
	Up    bool
	Tools int      // that are offered, also while it is not up
	Odd   []string // tools that are left out, and the like
	Err   error    // why it is not up; nil: it is, or has not been tried yet
}

// States returns the status of each server.
func (s *Servers) States() []State {
	var states []State
	for _, r := range s.now() {
		states = append(states, r.state())
	}
	return states
}

// Close ends all servers.
func (s *Servers) Close() { s.use(nil, errClosing) }

func (s *Servers) now() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}
