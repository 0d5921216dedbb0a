package repair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

// Options says how to repair.
type Options struct {
	DryRun bool // report what would be done, and write nothing
	Now    func() time.Time
}

// asideLayout is the layout of the name of the folder that the damaged store is moved into.
const asideLayout = "damaged-20060102T150405Z"

// Report is the result of a repair, or what it would be.
type Report struct {
	Sound  bool     `json:"sound"` // nothing is damaged, and nothing was done
	DryRun bool     `json:"dry_run"`
	Damage []string `json:"damage"` // the places that are not as they were written

	First    uint64 `json:"first"` // the first record recovered; Last+1: none
	Last     uint64 `json:"last"`
	Requests int    `json:"requests"`
	Sessions int    `json:"sessions"`
	Entries  int    `json:"entries"` // memory entries

	Lost     []string     `json:"lost"`     // the names of what is gone
	Held     []string     `json:"held"`     // what else may be gone, judging by the keys around it
	LeftOut  []string     `json:"left_out"` // what can be read but is useless without what is lost
	Derived  int          `json:"derived"`  // requests, messages and audit records restored from the journal
	Doubted  []Unfinished `json:"doubted"`  // what will wait for a person from the next start on
	Answered []Unfinished `json:"answered"` // requests of which only their acceptance is known
	Again    []string     `json:"again"`    // schedules that may repeat a slot that they took in lost records
	Tail     bool         `json:"tail"`     // records after the last one may be lost

	Aside string `json:"aside,omitempty"` // the folder that holds the damaged store
}

// Unfinished is a request, or other work of a handle, that was not finished.
type Unfinished struct {
	Handle  fsm.HandleID   `json:"handle,omitempty"`
	Kind    fsm.Kind       `json:"kind"`
	Request fsm.RequestKey `json:"request,omitzero"`
	Session string         `json:"session,omitempty"`
}

// Run repairs the store of a data folder that no daemon uses, or reports what it would do. The
// error may be one of those of store.Open, or datafolder.ErrNone.
func Run(ctx context.Context, data string, o Options) (r Report, err error) {
	if err := backup.Pending(data); err != nil {
		return r, err
	}
	healthy, err := sound(ctx, data)
	if err != nil {
		return r, err
	}
	if healthy {
		return Report{
			Sound: true, DryRun: o.DryRun, Damage: []string{}, Lost: []string{}, Held: []string{}, LeftOut: []string{},
			Doubted: []Unfinished{}, Answered: []Unfinished{}, Again: []string{},
		}, nil
	}
	if o.DryRun {
		r, err = remake(ctx, data, vfs.NewMem(), "store")
		r.DryRun = true
		return r, err
	}
	aside, err := backup.Exchange(data, o.Now().UTC().Format(asideLayout), func(to string) (err error) {
		r, err = remake(ctx, data, vfs.Default, datafolder.Store(to))
		return err
	})
	r.Aside = aside
	return r, err
}

// sound reports whether a store needs no repair.
func sound(ctx context.Context, data string) (sound bool, err error) {
	s, err := datafolder.OpenReadOnly(data, store.Options{})
	if errors.Is(err, store.ErrCorrupt) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	x, err := s.Examine(ctx)
	return x.Err() == nil, errors.Join(err, s.Close())
}

// remake makes an intact store from the damaged one of a data folder, and proves that it is intact.
func remake(ctx context.Context, data string, disk vfs.FS, to string) (r Report, err error) {
	w, err := store.Salvage(ctx, datafolder.Store(data), store.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s, found, err := w.Rebuild(ctx, to, store.Options{FS: disk})
	if err != nil {
		return r, err
	}
	r = Report{Damage: w.Damage, Lost: found.Lost, Held: found.Held, LeftOut: found.LeftOut, Tail: !found.Whole, Doubted: []Unfinished{}, Answered: []Unfinished{}, Again: []string{}}
	m := mending{store: s, found: found, report: &r}
	if err := errors.Join(m.mend(), s.Close()); err != nil {
		return r, err
	}
	return r, prove(ctx, disk, to)
}

// prove reads the whole store and folds its journal, as a start will.
func prove(ctx context.Context, disk vfs.FS, dir string) error {
	s, err := store.OpenReadOnly(dir, store.Options{FS: disk})
	if err != nil {
		return fmt.Errorf("open what was repaired: %w", err)
	}
	x, err := s.Examine(ctx)
	_, failed := engine.Recover(s)
	if err := errors.Join(err, x.Err(), failed, s.Close()); err != nil {
		return fmt.Errorf("read what was repaired: %w", err)
	}
	return nil
}
