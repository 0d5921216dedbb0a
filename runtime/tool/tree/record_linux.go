package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// record is what the next process of the daemon must know of a command.
type record struct {
	Boot string `json:"boot"` // of the machine: what ran before is gone
	Mark uint64 `json:"mark"` // 0: it has none
	PID  int    `json:"pid"`  // of the supervisor
}

// newMark chooses a mark that a child of this process can take: below its own hard limit,
// which may be a mark too. It is 0 where there is no room.
func newMark() (uint64, error) {
	var own unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &own); err != nil {
		return 0, err
	}
	most := min(own.Max, markMost)
	if most <= markLeast {
		return 0, nil
	}
	return markLeast + rand.Uint64N(most-markLeast), nil
}

// keep writes the record of a command that is about to start. It need not be synced: what
// a crash of the machine takes it from has ended with the machine.
func (k *Keeper) keep(r record) (name string, err error) {
	if k.dir == "" {
		return "", nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return "", err
	}
	name = filepath.Join(k.dir, fmt.Sprintf("%d.json", r.PID))
	return name, os.WriteFile(name, text, 0o600)
}

// drop removes a record; one that is not there is no error, nor is none.
func drop(name string) error {
	if name == "" {
		return nil
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Clear ends what an earlier process of the daemon has left running, and returns what that
// was. It is called while no command runs, by whoever has the data folder to itself, and
// before anybody learns how a command ended (TOL-11). Its error is [LeftError] where
// something goes on.
func (k *Keeper) Clear() (ended []Process, err error) {
	names, err := filepath.Glob(filepath.Join(k.dir, "*.json"))
	if err != nil || k.dir == "" {
		return nil, err
	}
	boot, err := process.Boot()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return ended, err
		}
		var r record
		// A record that is not whole was being written, and its command not started.
		if json.Unmarshal(text, &r) == nil && r.Boot == boot && r.Mark > 0 {
			some, left, err := endMarked(r.Mark)
			ended = append(ended, some...)
			if err == nil && len(left) > 0 {
				err = LeftError{left}
			}
			if err != nil {
				return ended, err
			}
		}
		if err := drop(name); err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// endMarked kills every process with a mark until there is none, for as long as patience
// lasts.
func endMarked(mark uint64) (ended, left []Process, err error) {
	until := time.Now().Add(patience)
	// Twice none: a process can hide from one look at /proc, by forking a child whose number
	// was passed already and ending before its own is.
	for none := 0; none < 2; {
		found, err := marked(mark)
		if err != nil {
			return ended, nil, err
		}
		if len(found) == 0 {
			none++
			continue
		}
		none = 0
		if !time.Now().Before(until) {
			return ended, found, nil
		}
		for _, p := range found {
			if !slices.Contains(ended, p) {
				ended = append(ended, p)
			}
		}
		killMarked(found, mark, until)
	}
	return ended, nil, nil
}

// marked returns the processes with a mark.
func marked(mark uint64) (found []Process, err error) {
	all, err := process.All()
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if got, ok := markOf(e.PID); ok && got == mark && !e.Dead {
			found = append(found, Process{e.PID, e.Name})
		}
	}
	return found, nil
}

// handlesMax bounds the descriptors taken for processes to be waited for.
const handlesMax = 64

// killMarked kills processes and waits until the first of them have ended, or a time.
func killMarked(found []Process, mark uint64, until time.Time) {
	var handles []unix.PollFd
	for _, p := range found {
		handle, _ := kill(p.PID, func() bool {
			got, ok := markOf(p.PID)
			return ok && got == mark
		})
		switch {
		case handle < 0:
		case len(handles) < handlesMax:
			handles = append(handles, unix.PollFd{Fd: int32(handle), Events: unix.POLLIN})
		default:
			_ = unix.Close(handle)
		}
	}
	await(handles, until)
	for _, h := range handles {
		_ = unix.Close(int(h.Fd))
	}
}

// blind is the wait between two looks where the kernel has no handles of processes.
const blind = 10 * time.Millisecond

// await waits until each of the processes has ended, or a time.
func await(handles []unix.PollFd, until time.Time) {
	if len(handles) == 0 {
		time.Sleep(blind)
	}
	for len(handles) > 0 {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		if _, err := unix.Poll(handles, int(left.Milliseconds())+1); err != nil && !errors.Is(err, unix.EINTR) {
			time.Sleep(blind)
			return
		}
		open := handles[:0:0]
		for _, h := range handles {
			if h.Revents == 0 {
				open = append(open, h)
			}
		}
		handles = open
	}
}
