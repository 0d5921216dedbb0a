package memory

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Upkeep is what [Memory.Keep] needs from its caller.
type Upkeep struct {
	// Quiet returns when nobody is waiting for the model, or with ctx's error.
	Quiet func(ctx context.Context) error
	// Pause waits for d, or returns ctx's error.
	Pause func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger
}

// How upkeep handles an embedding model that fails: it goes on with the next entry, and after this
// many failures in a row it waits, each time twice as long.
const (
	upkeepFailuresMax = 3
	upkeepPauseMin    = time.Minute
	upkeepPauseMax    = time.Hour
)

// pending is where to look for the next entry without a vector of the present space.
type pending struct {
	next int
	more chan struct{} // has a value after next was moved back
}

// from notes that the entry of a slot may need a vector.
func (p *pending) from(slot int) {
	p.next = min(p.next, slot)
	if p.more != nil {
		select {
		case p.more <- struct{}{}:
		default:
		}
	}
}

// Keep gives a vector to each entry that has none of the embedding model in use, the oldest slot
// first, while nobody else needs the model (MEM-8). Each is written as soon as it is made, so that
// a restart continues there. Keep returns when ctx ends.
func (m *Memory) Keep(ctx context.Context, u Upkeep) error {
	if m.o.Embedder == nil {
		return nil
	}
	if err := m.Wait(ctx); err != nil {
		return err
	}
	more := make(chan struct{}, 1)
	m.mu.Lock()
	m.pending = pending{more: more}
	m.mu.Unlock()
	if err := m.complete(ctx); err != nil { // then rows are read from the store
		u.Log.Debug("the memory's vectors cannot be copied", "error", err)
	}
	k := keeper{m: m, u: u, pause: upkeepPauseMin}
	if err := k.probe(ctx); err != nil {
		return err
	}
	for {
		done, err := k.round(ctx)
		if err != nil {
			return err
		}
		if !done {
			continue
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keeper is the state of one Keep.
type keeper struct {
	m        *Memory
	u        Upkeep
	failures int // in a row
	left     int // entries without a vector that this pass has skipped
	pause    time.Duration
	told     int // pending entries when last logged; 0: not logged
}

// probe embeds the newest entry again to learn the model's name and dimension: nothing else tells
// that the model was exchanged.
func (k *keeper) probe(ctx context.Context) error {
	list, _, err := k.m.List(ctx, Filter{}, 0, probedMax)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(l Listed) bool { return !blank(l.Summary) })
	if i < 0 {
		return nil
	}
	_, err = k.embed(ctx, list[i].ID)
	return err
}

// probedMax is how many of the newest entries are tried in search of one that is not blank.
const probedMax = 100

// blank reports whether a text has nothing to embed: a server may reject it.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// round gives one entry its vector. It reports done if no entry needs one.
func (k *keeper) round(ctx context.Context) (done bool, err error) {
	id, left := k.m.nextPending()
	if id == "" && k.left == 0 {
		if k.told > 0 {
			k.u.Log.Info("every memory entry has its vector", "model", k.m.Counts().Model)
			k.told = 0
		}
		return true, nil
	}
	if id == "" {
		return false, k.later(ctx)
	}
	ok, err := k.embed(ctx, id)
	if err != nil {
		return false, err
	}
	if !ok {
		k.failures, k.left = k.failures+1, k.left+1
		if k.failures == upkeepFailuresMax {
			err = k.later(ctx)
		}
		return false, err
	}
	k.failures, k.pause = 0, upkeepPauseMin
	if k.told == 0 || left <= k.told-max(100, k.told/10) {
		k.u.Log.Info("memory entries are being embedded", "left", left, "of", k.m.Counts().Entries)
		k.told = left
	}
	return false, nil
}

// later waits, and then begins another pass.
func (k *keeper) later(ctx context.Context) error {
	k.failures, k.left = 0, 0
	err := k.u.Pause(ctx, k.pause)
	k.pause = min(2*k.pause, upkeepPauseMax)
	k.m.again()
	return err
}

// embed gives an entry a vector, and reports whether the model made one. The only errors are the
// end of ctx and a store that fails.
func (k *keeper) embed(ctx context.Context, id string) (bool, error) {
	if err := k.u.Quiet(ctx); err != nil {
		return false, err
	}
	e, ok, err := k.m.legible(id)
	if err != nil || !ok {
		return true, err
	}
	before := k.m.inUse()
	vector, model, err := k.m.o.Embedder.Embed(ctx, e.Summary)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		k.u.Log.Debug("a memory entry cannot be embedded now", "entry", id, "error", err)
		return false, nil
	}
	made := e
	made.Vector, made.Model = vector, model
	if _, ok := unit(vector); !ok {
		return false, nil
	}
	if err := k.m.use(spaceOf(made), before); err != nil {
		return false, err
	}
	return true, k.m.fill(e, made)
}

// legible returns an entry, or false if there is none or it is damaged: the others can still get their
// vectors (JRN-30).
func (m *Memory) legible(id string) (e fsm.Entry, ok bool, err error) {
	if e, ok, err = m.entries.Entry(id); errors.Is(err, engine.ErrDamaged) {
		return fsm.Entry{}, false, nil
	}
	return e, ok, err
}

// nextPending returns the id of an entry to embed, or "", and how many there may be.
func (m *Memory) nextPending() (id string, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.pending.next < len(m.slots); m.pending.next++ {
		s := &m.slots[m.pending.next]
		if !s.gone && m.vectors.of(m.pending.next) < 0 && !s.blank {
			m.pending.next++
			return string(m.nameOf(s)), m.keywords.count - m.vectors.count()
		}
	}
	return "", 0
}

// again goes back to the first entry.
func (m *Memory) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending.next = 0
}

// fill gives an entry the vector that was made of it, unless it was replaced or forgotten since it was
// read. Whatever else has changed since then stays as it is now.
func (m *Memory) fill(read, made fsm.Entry) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	now, ok, err := m.legible(read.ID)
	if err != nil || !ok || now.Summary != read.Summary || now.At != read.At || spaceOf(now) == spaceOf(made) {
		return err
	}
	now.Vector, now.Model = made.Vector, made.Model
	made = now
	at, ok := m.find(made.ID)
	if !ok {
		return errors.New("an entry is in the store but not in the index")
	}
	if m.kept == nil {
		err = m.entries.PutEntry(made)
	} else {
		edit := m.edit()
		if err = edit.dropRow(at); err == nil {
			edit.vector(at, made)
			err = m.kept.in.PutIndexed(made, edit.apply)
		}
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.vectors.remove(at)
	m.vectors.put(at, made)
	m.mu.Unlock()
	if m.kept == nil {
		return nil
	}
	return m.kept.settle(m)
}
