package memory

import (
	"context"
	"errors"
	"io"
	"slices"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/named"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/runtime/ollama"
	"shelly/runtime/store"
)

// memories is an open memory: the daemon's, or that of a data folder whose daemon is stopped.
type memories interface {
	List(ctx context.Context, f memory.Filter, skip, limit int) (comm.MemoryBody, error)
	Search(ctx context.Context, q memory.Query) (memory.Result, error)
	Get(ctx context.Context, id string) (comm.EntryBody, bool, error)
	Bring(ctx context.Context, entries []fsm.Entry, b memory.Bringing) (memory.Brought, error)
	Forget(ctx context.Context, ids ...string) (int, error)
	Export(ctx context.Context, w io.Writer, vectors bool) error
}

// stored is the memory of a data folder whose daemon is stopped. What needs its index reads that.
type stored struct{ *memory.Memory }

// List implements memories.
func (s stored) List(ctx context.Context, f memory.Filter, skip, limit int) (comm.MemoryBody, error) {
	s.Load()
	return comm.ListMemory(ctx, s.Memory, f, skip, limit)
}

// Search implements memories.
func (s stored) Search(ctx context.Context, q memory.Query) (memory.Result, error) {
	s.Load()
	return s.Memory.Search(ctx, q)
}

// Forget implements memories.
func (s stored) Forget(ctx context.Context, ids ...string) (int, error) {
	s.Load()
	return s.Memory.Forget(ctx, ids...)
}

// Get implements memories.
func (s stored) Get(ctx context.Context, id string) (comm.EntryBody, bool, error) {
	e, ok, err := s.Memory.Get(ctx, id)
	return comm.NewEntryBody(e), ok, err
}

// Bring implements memories. It completes entries as a daemon does.
func (s stored) Bring(ctx context.Context, entries []fsm.Entry, b memory.Bringing) (memory.Brought, error) {
	s.Load()
	entries = slices.Clone(entries)
	for i, e := range entries {
		entries[i] = memory.Completed(e, moment.Now())
	}
	return s.Memory.Bring(ctx, entries, b)
}

// access is what a verb does with a memory.
type access int

const (
	reading   access = iota
	searching        // reading, with the embedding model
	writing
)

// use opens the memory that the configuration names, passes it to a verb and closes it. Its
// errors have exit codes.
func use(p *flags.Place, a access, verb func(ctx context.Context, cfg config.Config, m memories) error) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	cfg, err := p.Load()
	if err != nil {
		return err
	}
	m, closed, err := openMemory(ctx, cfg, a)
	if err == nil {
		err = errors.Join(verb(ctx, cfg, m), closed())
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return failed(err)
}

// openMemory opens the daemon's memory, or else that of the data folder.
func openMemory(ctx context.Context, cfg config.Config, a access) (memories, func() error, error) {
	daemon := client.New(cfg.Data, client.Options{})
	_, err := daemon.Status(ctx)
	switch {
	case err == nil:
		return daemon.Memory(), func() error { return nil }, nil
	case errors.Is(err, client.ErrUnauthorized), errors.Is(err, client.ErrNoAccess), errors.Is(err, client.ErrEndpoint), errors.Is(err, engine.ErrDamaged):
		return nil, nil, exit.Daemon(err)
	case !errors.Is(err, client.ErrNotRunning):
		return nil, nil, exit.With(exit.Unreachable, err)
	}
	s, err := openEntries(cfg, a)
	if err != nil {
		return nil, nil, err
	}
	o := memory.Options{HalfLife: fsm.Millis(cfg.Memory.HalfLife.Milliseconds()), Now: moment.Now}
	if a == searching && cfg.Brain.Kind != "demo" {
		asked, err := ollama.New(brain.Options(cfg.Brain))
		if err != nil {
			return nil, nil, errors.Join(exit.Errorf(exit.Usage, "brain.url: %w", err), s.Close())
		}
		o.Embedder = &brain.Ollama{Client: asked}
	}
	m := memory.New(s, o)
	closed := func() error {
		m.Close()
		return s.Close()
	}
	return stored{m}, closed, nil
}

// openEntries opens the store of a data folder that no daemon uses.
func openEntries(cfg config.Config, a access) (*store.Store, error) {
	if a != writing {
		return folder.ReadStore(cfg.Data)
	}
	return folder.WriteStore(cfg)
}

// find returns the entry with an id, or the only one whose id begins with it.
func find(ctx context.Context, m memories, id string) (comm.EntryBody, error) {
	e, ok, err := m.Get(ctx, id)
	if ok || err != nil {
		return e, err
	}
	body, err := listEntries(ctx, m, memory.Filter{}, 0)
	if err != nil {
		return e, err
	}
	one, ok, err := named.One("entries", id, body.Entries, func(l memory.Listed) string { return l.ID })
	switch {
	case err != nil:
		return e, err
	case !ok:
		return e, exit.Errorf(exit.NoMatch, "there is no entry %q; see shelly memory list", id)
	}
	e, ok, err = m.Get(ctx, one.ID)
	if err == nil && !ok { // it was forgotten in the meantime
		err = exit.Errorf(exit.NoMatch, "there is no entry %q; see shelly memory list", one.ID)
	}
	return e, err
}

// failed gives an error its exit code.
func failed(err error) error {
	coded := exit.Error{}
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, engine.ErrNoSpace):
		return exit.With(exit.Disk, err)
	case errors.Is(err, store.ErrCorrupt):
		return exit.With(exit.Data, err)
	default:
		return exit.Daemon(err)
	}
}

// chosenEntries has the flags that select entries.
type chosenEntries struct {
	Session *string `placeholder:"NAME" help:"Only entries of this session."`
	Kind    string  `placeholder:"KIND" help:"Only entries of this kind: note, user, event, memory, …"`
}

func (c *chosenEntries) filter() memory.Filter {
	f := memory.Filter{Kind: fsm.Kind(c.Kind)}
	if c.Session != nil {
		f.OfSession, f.Session = true, *c.Session
	}
	return f
}
