package comm

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"shelly/fsm/engine"
)

// Counters counts what the listeners refused or lost. One may be shared by
// several listeners; the zero value is ready.
type Counters struct {
	accepted, duplicates, refused        atomic.Int64
	badTokens, malformed, foreign, empty atomic.Int64
	unsent                               atomic.Int64

	mu   sync.Mutex
	open map[connection]int
}

// connection is the front that a client uses, and the client's name.
type connection struct{ front, client string }

// Connected is how many answers a client is waiting for: streams, waits and sockets, besides
// what is answered at once (COM-99).
type Connected struct {
	Front  string `json:"front"`  // http, unix, websocket, page, mcp, openai or ollama
	Client string `json:"client"` // whose token it is; local: the daemon's own
	Open   int    `json:"open"`
}

// enter counts an answer from now until done is called.
func (c *Counters) enter(of connection) (done func()) {
	c.add(of, 1)
	return func() { c.add(of, -1) }
}

func (c *Counters) add(of connection, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[connection]int{}
	}
	if c.open[of] += n; c.open[of] == 0 {
		delete(c.open, of)
	}
}

// Clients returns the answers under way, by front and client.
func (c *Counters) Clients() (all []Connected) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range slices.SortedFunc(maps.Keys(c.open), func(a, b connection) int {
		return cmp.Or(cmp.Compare(a.front, b.front), cmp.Compare(a.client, b.client))
	}) {
		all = append(all, Connected{of.front, of.client, c.open[of]})
	}
	return all
}

// ClientWords returns who is connected in one line, such as "2 http local, 1 websocket ci".
func ClientWords(all []Connected) string {
	words := []string{}
	for _, c := range all {
		words = append(words, fmt.Sprint(c.Open, " ", c.Front, " ", c.Client))
	}
	return strings.Join(words, ", ")
}

// countedWriter counts the answers that say that a request could not be read.
type countedWriter struct {
	http.ResponseWriter
	counters *Counters
}

// WriteHeader implements [http.ResponseWriter].
func (w *countedWriter) WriteHeader(status int) {
	w.counters.misread(status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach the writer.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// misread counts an answer of a status that says so.
func (c *Counters) misread(status int) {
	switch status {
	case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		c.malformed.Add(1)
	}
}

// Counts is a reading of [Counters].
type Counts struct {
	Accepted   int64 `json:"accepted"`   // requests made durable
	Duplicates int64 `json:"duplicates"` // requests that were known already
	Refused    int64 `json:"refused"`    // busy, stopping, no space, conflict
	BadTokens  int64 `json:"bad_tokens"` // missing or wrong
	Malformed  int64 `json:"malformed"`  // could not be read, or broke a limit
	Foreign    int64 `json:"foreign"`    // wrong Host, sent by another site's page, or a datagram from another machine
	Empty      int64 `json:"empty"`      // datagrams of no bytes
	Unsent     int64 `json:"unsent"`     // datagrams that the system did not take
}

// Counts returns the counts so far.
func (c *Counters) Counts() Counts {
	return Counts{
		Accepted:   c.accepted.Load(),
		Duplicates: c.duplicates.Load(),
		Refused:    c.refused.Load(),
		BadTokens:  c.badTokens.Load(),
		Malformed:  c.malformed.Load(),
		Foreign:    c.foreign.Load(),
		Empty:      c.empty.Load(),
		Unsent:     c.unsent.Load(),
	}
}

// accept counts what became of a request.
func (c *Counters) accept(a engine.Acceptance, err error) {
	switch {
	case err != nil:
		c.refused.Add(1)
	case a.New:
		c.accepted.Add(1)
	default:
		c.duplicates.Add(1)
	}
}
