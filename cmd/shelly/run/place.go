package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	memorytool "shelly/runtime/tool/memory"
)

// memoryTools are the tools by which the model reaches its memory (MEM-12).
func (s *starting) memoryTools(cfg config.Config) ([]tool.Added, error) {
	added, err := memorytool.Tools(memorytool.Options{
		Offered: cfg.Tools.Memory, Place: s.place, Own: cfg.Switches.OwnMemory, Spare: cfg.Switches.SpareModel,
		ResultBytesMax: int(cfg.Tools.ResultBytesMax),
	})
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "tools.memory: %w", err)
	}
	return added, nil
}

// opened is the memory of a daemon; it is open before the first call.
type opened struct {
	memory   *memory.Memory
	sessions *session.Sessions
}

// Entries implements [memorytool.Place].
func (o *opened) Entries(context.Context) (memorytool.Entries, error) { return o.memory, nil }

// Files implements [memorytool.Place].
func (o *opened) Files(context.Context) (memorytool.Files, error) { return o.sessions, nil }

// visited is the memory for a tool that is tried: the daemon's, or else that of the data
// folder, which the first call opens.
type visited struct {
	cfg    config.Config
	mu     sync.Mutex
	store  *store.Store
	memory *memory.Memory
}

// Entries implements [memorytool.Place].
func (v *visited) Entries(ctx context.Context) (memorytool.Entries, error) {
	daemon := client.New(v.cfg.Data, client.Options{})
	switch _, err := daemon.Status(ctx); {
	case err == nil:
		return daemon.Memory(), nil
	case !errors.Is(err, client.ErrNotRunning):
		return nil, err
	}
	if err := v.open(); err != nil {
		return nil, err
	}
	return v.memory, nil
}

// Files implements [memorytool.Place]. While a daemon runs they can only be read, because a
// write has to record in which store it is known.
func (v *visited) Files(context.Context) (memorytool.Files, error) {
	if err := v.open(); errors.Is(err, store.ErrLocked) {
		return session.Reading(v.cfg.Data), nil
	} else if err != nil {
		return nil, err
	}
	return session.Open(v.cfg.Data, v.store, time.Now)
}

func (v *visited) open() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.store != nil {
		return nil
	}
	s, err := folder.ReadStore(v.cfg.Data)
	if err != nil {
		return err
	}
	v.store = s
	v.memory = memory.Begin(s, memory.Options{
		HalfLife: fsm.Millis(v.cfg.Memory.HalfLife.Milliseconds()), Now: moment.Now,
	})
	return nil
}

func (v *visited) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.store == nil {
		return nil
	}
	v.memory.Close()
	return v.store.Close()
}
