package folder

import (
	"context"
	"errors"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/comm/client"
	"shelly/runtime/store"
)

// Lists reads what the journal lists by position, such as messages, from the daemon that runs
// for a data folder, or else from the folder itself. Read is the function that reads; its
// errors should have exit codes.
type Lists[Read any] struct {
	Daemon *client.Client // nil: no daemon runs
	Last   uint64         // the index of the journal's last step
	Read   Read
	close  func() error
}

// Close releases the data folder.
func (l *Lists[Read]) Close() error { return l.close() }

// ListsOf opens the lists of a data folder: asked makes the Read for a daemon, stored the one
// for a store. Its errors have exit codes.
func ListsOf[Read any](ctx context.Context, data string, asked func(*client.Client) Read, stored func(*store.Store) (Read, error)) (*Lists[Read], error) {
	daemon := client.New(data, client.Options{})
	kept, err := daemon.Journal(ctx).Kept()
	switch {
	case err == nil:
		return &Lists[Read]{daemon, kept.Last, asked(daemon), func() error { return nil }}, nil
	case !errors.Is(err, client.ErrNotRunning):
		return nil, exit.Daemon(err)
	}
	s, err := ReadStore(data)
	if err != nil {
		return nil, err
	}
	read, err := stored(s)
	if err == nil {
		kept, err = s.Kept()
	}
	if err != nil {
		return nil, errors.Join(exit.With(exit.Data, err), s.Close())
	}
	return &Lists[Read]{nil, kept.Last, read, s.Close}, nil
}
