package repair

import (
	"errors"
	"fmt"
	"math"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/store"
)

// mending completes a store that was rebuilt from what could be read.
type mending struct {
	store  *store.Store
	found  store.Rebuilt
	report *Report
}

func (m *mending) mend() error {
	kept, err := m.store.Kept()
	if err != nil {
		return err
	}
	m.report.First, m.report.Last = kept.First, kept.Last
	if len(m.found.Lost)+len(m.found.Held) > 0 {
		if err := m.derive(); err != nil {
			return fmt.Errorf("fold the journal again: %w", err)
		}
	}
	return errors.Join(m.end(kept.Last), m.count())
}

// derive restores from the journal what its folding wrote: the missing requests, messages and audit
// records, and the replies that requests lack.
func (m *mending) derive() error {
	kept, err := m.store.Kept()
	if err != nil || kept.First > kept.Last {
		return err
	}
	again := &again{mending: m, Journal: m.store, from: kept.First - 1}
	e, err := engine.Open(again, idle{})
	if err != nil {
		return err
	}
	return m.store.Replay(kept.First-1, func(r engine.Record) error {
		if in, ok := r.Input.Fact.(fsm.Requested); ok {
			again.asked = in.Request
		}
		return e.Turn(r.Input)
	})
}

// again is the journal of a machine that is given its recorded inputs a second time. What the
// machine writes goes into the store if it is missing there.
type again struct {
	engine.Journal
	*mending
	from  uint64         // the machine begins with the state after this record
	asked fsm.RequestKey // the request of the last Requested input
}

// Snapshot implements engine.Journal.
func (a *again) Snapshot(uint64) (uint64, state.Snapshot, error) { return a.Journal.Snapshot(a.from) }

// Replay implements engine.Journal.
func (a *again) Replay(uint64, func(engine.Record) error) error { return nil }

// SaveSnapshot implements engine.Journal.
func (a *again) SaveSnapshot(uint64, state.Snapshot) error { return nil }

// Space implements engine.Journal.
func (a *again) Space() error { return nil }

// Request implements engine.Journal. A request accepted before the first record kept may be gone
// for good.
func (a *again) Request(key fsm.RequestKey) (engine.Request, bool, error) {
	r, ok, err := a.Journal.Request(key)
	if !ok && key != a.asked {
		return engine.Request{Key: key}, true, err
	}
	return r, ok, err
}

// Append implements engine.Journal.
func (a *again) Append(b engine.Batch, _ bool) error {
	lacking := engine.Batch{}
	for _, r := range b.Requests {
		have, ok, err := a.store.Request(r.Key)
		if err != nil {
			return err
		}
		if r.Index > 0 && (!ok || r.Done && !have.Done) {
			lacking.Requests = append(lacking.Requests, r)
		}
	}
	for _, sent := range b.Messages {
		have, err := a.store.Messages(fsm.Origin{Channel: sent.To.Channel}, sent.Position-1, 1)
		if err != nil {
			return err
		}
		if len(have) == 0 || have[0].Position != sent.Position {
			lacking.Messages = append(lacking.Messages, sent)
		}
	}
	for _, ended := range b.Audit {
		have, err := a.store.Audit("", ended.Position-1, 1)
		if err != nil {
			return err
		}
		if len(have) == 0 || have[0].Position != ended.Position {
			lacking.Audit = append(lacking.Audit, ended)
		}
	}
	a.report.Derived += len(lacking.Requests) + len(lacking.Messages) + len(lacking.Audit)
	return a.store.Append(lacking, false)
}

// idle performs nothing.
type idle struct{}

// Perform implements engine.World.
func (idle) Perform(fsm.Effect) error { return nil }

// end completes the journal's end so that a start can go on from it (JRN-33).
func (m *mending) end(last uint64) error {
	e, err := engine.Open(m.store, idle{})
	if err != nil {
		return err
	}
	for e.Last() < m.found.Known { // a timer that is not armed changes nothing (JRN-7)
		if err := e.Turn(fsm.Input{At: e.Machine().View().Now, Fact: fsm.TimerFired{}}); err != nil {
			return err
		}
	}
	if err := errors.Join(m.open(e), m.answer(e)); err != nil || !m.report.Tail {
		return err
	}
	text := fmt.Sprintf("the journal was repaired: what came after record %d may be lost, and what was done in it is not known", last)
	for _, c := range e.Machine().View().Schedules {
		m.report.Again = append(m.report.Again, c.ID)
	}
	var doubts []fsm.Doubt
	for _, h := range e.Machine().View().Handles {
		if acts(h) {
			doubts = append(doubts, fsm.Doubt{Handle: h.ID, Text: text})
			m.report.Doubted = append(m.report.Doubted, Unfinished{h.ID, h.Kind, h.Request, h.Session})
		}
	}
	if len(doubts) == 0 {
		return nil
	}
	config := e.Machine().View().Config
	config.Init = fsm.InitOff // the next start has its own
	return e.Turn(fsm.Input{At: e.Machine().View().Now, Fact: fsm.Boot{Config: config, Doubts: doubts}})
}

// acts reports whether a handle may still call tools.
func acts(h state.Handle) bool {
	switch h.Kind {
	case fsm.KindInit, fsm.KindFarewell, fsm.KindMemory:
		return false
	default:
		return !h.Replied
	}
}

// open gives each unfinished request without a record one, for its reply.
func (m *mending) open(e *engine.Engine) error {
	for _, h := range e.Machine().View().Handles {
		if h.Kind != fsm.KindUser || h.Replied {
			continue
		}
		_, ok, err := m.store.Request(h.Request)
		if err == nil && !ok {
			m.report.Derived++
			err = m.place(e, engine.Request{
				Key: h.Request, Handle: h.ID, Session: h.Session, Origin: h.Origin, Text: h.Input, Accepted: e.Machine().View().Now,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place writes the record of a request under the index of a journal record that changes nothing.
func (m *mending) place(e *engine.Engine, r engine.Request) error {
	if err := e.Turn(fsm.Input{At: e.Machine().View().Now, Fact: fsm.TimerFired{}}); err != nil {
		return err
	}
	r.Index = e.Last()
	return m.store.Append(engine.Batch{Requests: []engine.Request{r}}, false)
}

// unknown is the answer to a request that the journal no longer knows.
const unknown = "the data folder was damaged and repaired: this request was accepted, and what was done for it is not known; check before you ask again"

// answer replies to the requests that no handle is working on.
func (m *mending) answer(e *engine.Engine) error {
	worked := map[fsm.RequestKey]bool{}
	for _, h := range e.Machine().View().Handles {
		if !h.Replied {
			worked[h.Request] = true
		}
	}
	var left []engine.Request
	err := m.each(func(r engine.Request) {
		if !r.Done && !worked[r.Key] {
			left = append(left, r)
		}
	})
	if err != nil {
		return err
	}
	for _, r := range left {
		r.Done, r.IsError, r.Outcome, r.Reply, r.Replied = true, true, fsm.OutcomeFailed, unknown, e.Machine().View().Now
		if err := m.store.Append(engine.Batch{Requests: []engine.Request{r}}, false); err != nil {
			return err
		}
		m.report.Answered = append(m.report.Answered, Unfinished{Kind: fsm.KindUser, Request: r.Key, Session: r.Session})
	}
	for _, key := range m.found.Requests {
		_, ok, err := m.store.Request(key)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		m.report.Lost = append(m.report.Lost, fmt.Sprintf("the reply to request %q of channel %q", key.ID, key.Channel))
		err = m.place(e, engine.Request{
			Key: key, Accepted: e.Machine().View().Now, Done: true, IsError: true, Outcome: fsm.OutcomeFailed, Reply: unknown, Replied: e.Machine().View().Now,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for each request.
func (m *mending) each(fn func(engine.Request)) error {
	for before := uint64(math.MaxUint64); ; {
		page, err := m.store.Requests(before, engine.ReadMax)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			fn(r)
		}
		before = page[len(page)-1].Index
	}
}

// count counts what the store holds.
func (m *mending) count() error {
	err := errors.Join(
		m.each(func(engine.Request) { m.report.Requests++ }),
		m.store.Sessions(func(string, []byte) error { m.report.Sessions++; return nil }),
		m.store.Entries(func(fsm.Entry) error { m.report.Entries++; return nil }),
	)
	for _, list := range []*[]string{&m.report.Damage, &m.report.Lost, &m.report.Held, &m.report.LeftOut} {
		if *list == nil {
			*list = []string{}
		}
	}
	return err
}
