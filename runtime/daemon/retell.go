package daemon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/reading"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// retold reads from the journal the events that watchers have missed. Watchers that arrive while
// it folds the journal are served together by the next fold, because after a start all clients
// come back at once (COM-95).
type retold struct {
	mu      sync.Mutex
	waiting []*retelling
	busy    bool
	running sync.WaitGroup
	closed  atomic.Bool
}

// close ends the pass under way; after that nothing reads the journal.
func (r *retold) close() {
	r.mu.Lock()
	r.closed.Store(true)
	r.mu.Unlock()
	r.running.Wait()
}

// retelling is the part of a request that one watcher has missed.
type retelling struct {
	ctx   context.Context
	key   fsm.RequestKey
	after position.Position // what the watcher has, and then also what is added here
	last  uint64            // the last record whose events are added
	epoch int               // the present one
	done  chan struct{}     // closed once the fields below are set

	request engine.Request
	asked   map[fsm.CallID]fsm.AskBrain // calls whose answers are the request's
	events  []comm.Event
	settled bool // the call whose text the watcher got last has answered
	err     error
}

// missed is the events that a watcher gets first.
type missed struct {
	events  []comm.Event
	settled bool
}

// ask returns what a watcher has missed.
func (r *retold) ask(ctx context.Context, j engine.Reader, t *retelling) (missed, error) {
	t.done, t.asked, t.settled = make(chan struct{}), map[fsm.CallID]fsm.AskBrain{}, t.after.Call == 0
	r.mu.Lock()
	if r.closed.Load() {
		r.mu.Unlock()
		return missed{}, engine.ErrStopping
	}
	r.waiting = append(r.waiting, t)
	if !r.busy {
		r.busy = true
		r.running.Go(func() { r.work(j) })
	}
	r.mu.Unlock()
	select {
	case <-t.done:
		return missed{t.events, t.settled}, t.err
	case <-ctx.Done():
		return missed{}, ctx.Err()
	}
}

// work folds the journal as long as a watcher waits for it.
func (r *retold) work(j engine.Reader) {
	for {
		r.mu.Lock()
		now := r.waiting
		r.waiting, r.busy = nil, len(now) > 0
		r.mu.Unlock()
		if len(now) == 0 {
			return
		}
		r.retell(j, now)
		for _, t := range now {
			close(t.done)
		}
	}
}

// retell finds what each watcher has missed, in one pass over the journal. For a model call that
// has answered this is the whole text.
func (r *retold) retell(j engine.Reader, all []*retelling) {
	kept, err := j.Kept()
	p := pass{hub: newHub(), by: map[fsm.HandleID][]*retelling{}, calls: map[fsm.CallID]fsm.HandleID{}}
	p.hub.most = int(^uint(0) >> 1)
	first := ^uint64(0)
	for _, t := range all {
		if t.err = err; t.err == nil {
			t.err = t.finds(j, kept.First)
		}
		if t.err != nil || t.request.Handle == 0 {
			continue
		}
		p.hub.know(t.request.Handle, t.key)
		p.by[t.request.Handle] = append(p.by[t.request.Handle], t)
		first, p.last = min(first, t.request.Index-1), max(p.last, t.last)
	}
	if len(p.by) == 0 {
		return
	}
	for f, err := range engine.Fold(recorded{j, p.last}, first) { // from the beginning: a tool's end needs its start
		if err != nil {
			p.fails(err)
			return
		}
		if r.closed.Load() || f.Index%leftEvery == 0 && p.left() {
			p.fails(engine.ErrStopping)
			return
		}
		if p.step(f); len(p.by) == 0 {
			return
		}
	}
}

// leftEvery is the number of records after which a pass checks whether anybody still waits.
const leftEvery = 256

// finds looks the request up. A request whose beginning is no longer kept cannot be repeated.
func (t *retelling) finds(j engine.Reader, first uint64) error {
	r, ok, err := j.Request(t.key)
	t.request = r
	if err == nil && ok && r.Handle != 0 && r.Index < first {
		err = fmt.Errorf("record %d: %w", r.Index, engine.ErrTrimmed)
	}
	return err
}

// pass is one pass over the journal, with its own hub.
type pass struct {
	hub   *hub
	by    map[fsm.HandleID][]*retelling
	calls map[fsm.CallID]fsm.HandleID // whose answers are shown
	last  uint64
}

// fails ends the pass with an error.
func (p *pass) fails(err error) {
	for _, list := range p.by { // order-free: the watchers differ
		for _, t := range list {
			t.err = err
		}
	}
}

// left reports whether no watcher waits any more.
func (p *pass) left() bool {
	for _, list := range p.by { // order-free: any will do
		if slices.ContainsFunc(list, func(t *retelling) bool { return t.ctx.Err() == nil }) {
			return false
		}
	}
	return true
}

// step adds a record's events for each watcher that does not have them.
func (p *pass) step(f engine.Folded) {
	view := f.Machine.View()
	if _, boots := f.Input.Fact.(fsm.Boot); boots {
		for _, list := range p.by { // order-free: the watchers differ
			for _, t := range list {
				t.boots(f.Index, view.Epoch)
			}
		}
	}
	if in, is := f.Input.Fact.(fsm.BrainAnswered); is {
		for _, t := range p.by[p.calls[in.Call]] {
			t.answer(in, &view.Config, f.Index)
		}
	}
	p.hub.telling(f.Index, 0)
	p.hub.step(engine.Step{Index: f.Index, Input: f.Input, Effects: f.Caused, Moves: f.Moves}, view)
	for _, e := range f.Caused {
		if ask, is := e.(fsm.AskBrain); is && ask.Purpose == fsm.PurposeAnswer && p.by[ask.Handle] != nil {
			p.calls[ask.Call] = ask.Handle
			for _, t := range p.by[ask.Handle] {
				t.asked[ask.Call] = ask
			}
		}
	}
	for handle, list := range p.by { // order-free: the requests differ
		c := p.hub.history[p.hub.requests[handle]]
		if c == nil || len(c.items) == 0 {
			continue
		}
		for _, t := range list {
			t.hears(c.items)
		}
		c.items = c.items[:0]
	}
	for _, e := range f.Caused {
		if reply, is := e.(fsm.Reply); is {
			delete(p.by, reply.Handle) // it is the last that is shown
		}
	}
}

// hears adds a record's events that come after what the watcher has.
func (t *retelling) hears(items []item) {
	for _, i := range items {
		if i.Type != comm.EventChunk && i.At.Record <= t.last && t.after.Before(i.At.Record, i.At.Nth) {
			i.At.Epoch, i.At.Place, i.At.Call, i.At.Text, i.At.Thinking = t.epoch, 0, t.after.Call, t.after.Text, t.after.Thinking
			t.events = append(t.events, i.Event)
		}
	}
}

// boots handles the beginning of an epoch. If the watcher got events of later records from the
// previous process, a kill lost those records; what happens again is sent again (COM-94).
func (t *retelling) boots(index uint64, epoch int) {
	if t.after.Epoch == 0 || epoch != t.after.Epoch+1 || t.after.Record < index {
		return
	}
	t.after.Record, t.after.Nth = index-1, allOfRecord
	if _, kept := t.asked[t.after.Call]; !kept && t.after.Call != 0 {
		t.after.Call, t.after.Text, t.after.Thinking = lostCall, 0, 0
	}
}

// answer adds the text of a model call. It replaces the watcher's text of the last call, unless
// that call has answered.
func (t *retelling) answer(in fsm.BrainAnswered, c *fsm.Config, record uint64) {
	heard := t.after
	switch {
	case record > t.last:
		return
	case record < heard.Record || record == heard.Record && heard.Nth > 0:
		t.settled = t.settled || in.Call == heard.Call
		return
	}
	veil := reading.NewVeil(c, t.asked[in.Call].Tools)
	text := veil.Put(in.Text) + veil.End(in.AsText)
	if text+in.Thinking == "" && in.Call != heard.Call { // the next text replaces what the watcher has
		return
	}
	replaces := !t.settled
	t.settled = true
	if text+in.Thinking == "" || in.Call == heard.Call && heard.Text >= len(text) && heard.Thinking >= len(in.Thinking) {
		return
	}
	t.after.Call, t.after.Text, t.after.Thinking = in.Call, len(text), len(in.Thinking)
	at := t.after
	if at.Epoch, at.Place = t.epoch, 0; record > heard.Record {
		at.Record, at.Nth = record, 0
	}
	t.events = append(t.events, comm.Event{
		Type: comm.EventChunk, ID: t.key.ID, Purpose: fsm.PurposeAnswer, Call: in.Call, Text: text, Thinking: in.Thinking, Whole: replaces, At: at,
	})
}
