package comm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// Step is one step of what happened to a request. It is built outside this package, which
// needs only its wire form and the state after it.
type Step interface {
	json.Marshaler
	After() (record uint64, handle fsm.HandleID)
}

// Past is what happened to a request, as a journal has it.
type Past[S Step] struct {
	Request engine.Request
	Handles []fsm.HandleID // its own, then those of its subagents
	Run     bool           // it is a run, such as a schedule's, and Request says the same of it; its channel is its kind
	Ended   bool           // none of the handles is unfinished
	Lost    uint64         // records before the first step that are no longer kept
	Steps   []S
}

// HistoryBody is what happened to a request, step by step (JRN-27).
type HistoryBody[S Step] struct {
	Request Record         `json:"request"`
	Handles []fsm.HandleID `json:"handles,omitempty"` // its own, then those of its subagents
	Ended   bool           `json:"ended"`             // none of the handles is unfinished
	Lost    uint64         `json:"lost,omitempty"`    // records before the first step that are no longer kept
	Asks    []Ask          `json:"asks,omitempty"`    // what a person is asked about the handles
	Steps   []S            `json:"steps"`
	More    bool           `json:"more,omitempty"`  // there are steps after the last of these
	State   *state.Handle  `json:"state,omitempty"` // only for a single step: its handle after it, if that was unfinished
}

// History returns what happened to a request, given the standings of the unfinished handles.
func History[S Step](p Past[S], standings []Standing) HistoryBody[S] {
	b := HistoryBody[S]{Request: newRecord(p.Request), Handles: p.Handles, Ended: p.Ended, Lost: p.Lost, Steps: p.Steps}
	if p.Run {
		b.Request.Kind = fsm.Kind(p.Request.Key.Channel)
	}
	b.Request.stand(standings)
	for _, s := range standings {
		if s.Asks != nil && slices.Contains(p.Handles, s.Handle) {
			b.Asks = append(b.Asks, *s.Asks)
		}
	}
	if b.Steps == nil {
		b.Steps = []S{}
	}
	return b
}

// ErrNoStep is the error for a step number that a request does not have.
var ErrNoStep = errors.New("there is no such step")

// Only reduces a whole history to its n-th step, with the state of its handle after it.
func (b *HistoryBody[S]) Only(j engine.Reader, n int) error {
	if n < 1 || n > len(b.Steps) {
		return fmt.Errorf("%w: %d; request %q has steps 1 to %d", ErrNoStep, n, b.Request.ID, len(b.Steps))
	}
	b.Steps = b.Steps[n-1 : n]
	record, handle := b.Steps[0].After()
	snapshot, err := engine.StateAt(j, record)
	if err != nil {
		return err
	}
	if i := snapshot.IndexOf(handle); i >= 0 {
		b.State = &snapshot.Handles[i]
	}
	return nil
}

// The bounds of an answer with steps.
const (
	StepsMax      = 1000
	stepsBytesMax = 16 << 20 // as JSON; the first step of an answer may be longer
)

// page keeps only the steps after a number, at most limit of them and no more than an
// answer may hold.
func (b *HistoryBody[S]) page(after, limit uint64) error {
	b.Steps = b.Steps[min(after, uint64(len(b.Steps))):]
	size := 0
	for i, s := range b.Steps {
		body, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if size += len(body); uint64(i) == limit || i > 0 && size > stepsBytesMax {
			b.Steps, b.More = b.Steps[:i], true
			break
		}
	}
	return nil
}

// Ending returns a journal whose reading stops when ctx ends.
func Ending(ctx context.Context, j engine.Reader) engine.Reader { return ending{j, ctx} }

type ending struct {
	engine.Reader
	ctx context.Context
}

// Replay implements [engine.Reader].
func (e ending) Replay(after uint64, fn func(engine.Record) error) error {
	return e.Reader.Replay(after, func(r engine.Record) error {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		return fn(r)
	})
}

// foldsMax is the most histories computed at once.
const foldsMax = 4

// getSteps answers with what happened to a request (COM-15).
func (h *HTTP) getSteps(w http.ResponseWriter, r *http.Request) error {
	known, err := h.find(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	after, err := Number(q.Get("after"), "after", 0)
	limit, wrong := Limit(q, "limit", StepsMax, StepsMax)
	at, bad := Number(q.Get("at"), "at", 0)
	if err = cmp.Or(err, wrong, bad); err != nil {
		return err
	}
	select {
	case h.folds <- struct{}{}:
		defer func() { <-h.folds }()
	default:
		return busyListening("histories")
	}
	body, err := h.history(r.Context(), known.Key, func(j engine.Reader, b *HistoryBody[Step]) error {
		if q.Has("at") {
			return b.Only(j, int(min(at, 1<<31-1)))
		}
		return b.page(after, uint64(limit))
	})
	if errors.Is(err, ErrNoStep) {
		err = &Problem{CodeNotFound, err.Error(), "leave ?at= out to see them all"}
	}
	return h.answer(w, "tell what happened to a request", body, err)
}

// history folds the journal until ctx ends; shorten reduces the history to what was asked for.
func (h *HTTP) history(ctx context.Context, key fsm.RequestKey, shorten func(engine.Reader, *HistoryBody[Step]) error) (HistoryBody[Step], error) {
	standings, err := h.front.Standings(ctx)
	if err != nil {
		return HistoryBody[Step]{}, err
	}
	recorded, err := h.front.Recorded(ctx)
	if err != nil {
		return HistoryBody[Step]{}, err
	}
	j := Ending(ctx, recorded)
	p, err := h.o.Past(j, key)
	if err != nil {
		return HistoryBody[Step]{}, err
	}
	b := History(p, standings)
	err = shorten(j, &b)
	return b, err
}
