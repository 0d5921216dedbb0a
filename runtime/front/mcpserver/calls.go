package mcpserver

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

// ClientHeader tells the clients of one token apart, whose messages may have the same ids.
const ClientHeader = "X-Shelly-Client"

// withdrawal is the notification that a client no longer wants an answer.
const withdrawal = "notifications/cancelled"

// calls are the calls that are being answered.
type calls struct {
	mu  sync.Mutex
	all map[callKey][]*call
}

// callKey names a call as its client does.
type callKey struct{ principal, client, id string }

// call is a call that is being answered.
type call struct {
	request   fsm.RequestKey // that it waits for; zero: none yet
	withdrawn bool
}

func keyOfCall(r *http.Request, id []byte) callKey {
	return callKey{comm.CallerOf(r.Context()).Name, r.Header.Get(ClientHeader), string(id)}
}

func (s *calls) begin(key callKey) (c *call, end func()) {
	c = &call{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[key] = append(s.all[key], c)
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all[key] = slices.DeleteFunc(s.all[key], func(other *call) bool { return other == c })
		if len(s.all[key]) == 0 {
			delete(s.all, key)
		}
	}
}

// wait notes the request that a call waits for, and reports whether the call was withdrawn before.
func (s *calls) wait(c *call, request fsm.RequestKey) (withdrawn bool) {
	if c == nil { // a message without an id, or one of a batch
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.request = request
	return c.withdrawn
}

// withdraw returns the request of a call that is withdrawn. There is none if several calls have that
// name: the wrong one could be meant.
func (s *calls) withdraw(key callKey) (request fsm.RequestKey, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all[key]) != 1 {
		return request, false
	}
	c := s.all[key][0]
	c.withdrawn = true
	return c.request, c.request.ID != ""
}

// withdrawn ends the request for which a call waits that its client has cancelled (FRT-32).
func (f *Front) withdrawn(r *http.Request, m wire.Value) {
	request, waits := f.calls.withdraw(keyOfCall(r, idIn(m.Member("params"), "requestId")))
	if waits {
		f.end(r.Context(), request)
	}
}

func (f *Front) end(ctx context.Context, request fsm.RequestKey) {
	if _, err := f.front.Cancel(ctx, request); err != nil {
		f.o.Log.Warn("cannot cancel the request of a cancelled call", "request", request.ID, "error", err)
	}
}

// callIn is the context key of a message's call.
type callIn struct{}

func (f *Front) withCall(r *http.Request, id []byte) (_ *http.Request, end func()) {
	c, end := f.calls.begin(keyOfCall(r, id))
	return r.WithContext(context.WithValue(r.Context(), callIn{}, c)), end
}
