package daemon

import (
	"context"
	"errors"
	"io"

	"shelly/fsm/engine"
)

// recorded is the journal up to what was durable when it was asked for.
type recorded struct {
	engine.Reader
	last uint64
}

// Recorded implements [comm.Front]. The loop only says what is durable; readers do not hold it
// up.
func (d *Daemon) Recorded(ctx context.Context) (engine.Reader, error) {
	last, err := ask(ctx, d, func() uint64 { return d.driver.Durable() })
	if err != nil {
		return nil, stopping(err)
	}
	return recorded{d.o.Journal, last}, nil
}

// Backup implements [comm.Front].
func (d *Daemon) Backup(ctx context.Context, w io.Writer) error {
	if d.o.Backup == nil {
		return errors.New("nothing is kept that could be backed up")
	}
	return d.o.Backup(ctx, w)
}

// Kept implements [engine.Reader].
func (r recorded) Kept() (engine.Kept, error) {
	kept, err := r.Reader.Kept()
	kept.Last = min(kept.Last, r.last)
	for n := len(kept.Snapshots); n > 0 && kept.Snapshots[n-1] > r.last; n-- {
		kept.Snapshots = kept.Snapshots[:n-1]
	}
	return kept, err
}

// errDurable ends a replay where what is durable ends.
var errDurable = errors.New("the rest is not durable yet")

// Replay implements [engine.Reader].
func (r recorded) Replay(after uint64, fn func(engine.Record) error) error {
	err := r.Reader.Replay(after, func(record engine.Record) error {
		if record.Index > r.last {
			return errDurable
		}
		return fn(record)
	})
	if errors.Is(err, errDurable) {
		return nil
	}
	return err
}
