package tree

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// record is what the daemon's next process must know about a command.
type record struct {
	Boot string `json:"boot"` // the machine's boot: processes of an earlier one are gone
	Mark uint64 `json:"mark"` // 0: none
	PID  int    `json:"pid"`  // of the supervisor
}

// ending is how the name of a record's file ends.
const ending = ".json"

// newMark chooses a mark that a child of this process can take: below this process's own hard
// limit, which may be a mark too. It returns 0 if there is no room.
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

// keep writes the record of a command that is about to start. It need not be synced: a crash of
// the machine that loses the record also ends the command.
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
	name = filepath.Join(k.dir, strconv.Itoa(r.PID)+ending)
	return name, os.WriteFile(name, text, 0o600)
}

// drop removes a record. A record that does not exist, or an empty name, is not an error.
func drop(name string) error {
	if name == "" {
		return nil
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Clear ends the commands that an earlier process of the daemon left running, and returns
// them. It must be called while no command runs, by the process that has locked the data
// folder, before anything learns how a command ended (TOL-11). Its error is [LeftError] if
// something keeps running.
func (k *Keeper) Clear() (ended []Process, err error) {
	if k.dir == "" {
		return nil, nil
	}
	found, err := os.ReadDir(k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	boot, err := process.Boot()
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if filepath.Ext(e.Name()) != ending {
			continue
		}
		name := filepath.Join(k.dir, e.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			return ended, err
		}
		var r record
		// A record that is not whole was still being written, so its command was not started.
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

// endMarked kills every process with a mark until none is left, but gives up after patience.
func endMarked(mark uint64) (ended, left []Process, err error) {
	until := time.Now().Add(patience)
	// None must be found twice: a process can hide from one reading of /proc by forking a child
	// with a number that was read already, and ending before its own number is read.
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

// handlesMax bounds the descriptors for processes that are waited for.
const handlesMax = 64

// killMarked kills processes and waits, at most until a time, for the first handlesMax of them
// to end.
func killMarked(found []Process, mark uint64, until time.Time) {
	var handles []unix.PollFd
	for _, p := range found {
		handle := kill(p.PID, func() bool {
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

// blind is the wait between two readings if the kernel has no process handles.
const blind = 10 * time.Millisecond

// await waits, at most until a time, for each of the processes to end.
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
