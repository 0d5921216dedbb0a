package engine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Reader is the reading part of a [Journal].
type Reader interface {
	Kept() (Kept, error)
	Snapshot(at uint64) (uint64, state.Snapshot, error)
	Replay(after uint64, fn func(Record) error) error
	Request(key fsm.RequestKey) (Request, bool, error)
	Requests(before uint64, limit int) ([]Request, error)
}
