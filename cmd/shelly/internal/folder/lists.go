package folder

import (
	"context"
	"errors"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/comm/client"
	"shelly/runtime/store"
)

// Lists is where something is read that the journal has by position, such as messages: the
// daemon that runs for a data folder, or, where none does, the folder itself. Read is the
// way to read it, whose errors are to have their exit codes.
type Lists[Read any] struct {
	Daemon *client.Client // nil: none runs
	Last   uint64         // the index of the journal's last step
	Read   Read
	close  func() error
}

// Close lets the data folder go.
func (l *Lists[Read]) Close() error { return l.close() }

// ListsOf opens the lists of a data folder, to be read as asked or as stored says. Its errors
// have their exit codes.
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
