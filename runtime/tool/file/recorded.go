package file

import (
	"context"
	"errors"
	"os"
	"time"

	"shelly/runtime/tool/file/change"
)

// recorded is a change in the log, if there is a log.
type recorded struct{ entry *change.Entry }

func (r recorded) drop() error {
	if r.entry == nil {
		return nil
	}
	return r.entry.Drop()
}

func (r recorded) end() error {
	if r.entry == nil {
		return nil
	}
	return r.entry.End()
}

// lock waits until nothing else is written.
func (t *Tools) lock(ctx context.Context) (unlock func(), err error) {
	if t.log == nil {
		t.writing.Lock()
		return t.writing.Unlock, nil
	}
	return t.log.Lock(ctx)
}

func (t *Tools) begin(r change.Record, before []byte) (recorded, error) {
	if t.log == nil {
		return recorded{}, nil
	}
	entry, err := t.log.Begin(r, before)
	return recorded{entry}, err
}

// forgottenAfter is how long a change that a crash interrupted may still be probed.
const forgottenAfter = 30 * 24 * time.Hour

// Tidy removes the files that a crash left of changes that were being made. A daemon does that at its
// start. One that cannot be removed, such as in a folder that is read-only now, is tried again at the
// next start: it is no reason not to start.
func (t *Tools) Tidy(ctx context.Context, now time.Time) error {
	if _, err := os.Stat(t.options.Changes); err != nil {
		return nil // nothing has been changed
	}
	unlock, err := t.log.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := t.log.List("")
	if err != nil {
		return err
	}
	failed := []error{t.log.Sweep()}
	for _, e := range entries {
		if e.State != change.Started {
			continue
		}
		clear(e.Folder, e.Temp)
		if now.Sub(time.UnixMilli(e.At)) > forgottenAfter {
			failed = append(failed, e.End())
		}
	}
	return errors.Join(failed...)
}

// clear removes a file that was prepared but not renamed.
func clear(folder, temp string) {
	root, err := without(folder)
	if err != nil {
		return // the folder has gone, and with it the file
	}
	defer root.Close()
	_ = root.Remove(temp)
}
