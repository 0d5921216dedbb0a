package explore

import (
	"fmt"
	"time"

	"shelly/runtime/event/source"
)

const (
	roomShare = 8           // a walk gives up while one part in this many of the memory is left,
	roomEvery = time.Second // and looks this often
)

// room watches the memory of the machine, which a walk may fill: without an end of its own, the system
// would end it, and what it has walked would be lost.
type room struct {
	read func() (source.Usage, error)
	now  func() time.Time
	next time.Time // when it looks again
	left string    // how much there was when it was too little; empty before
}

// short reports whether there is too little memory to go on. Where the system does not say, there is enough.
func (r *room) short() bool {
	if at := r.now(); r.left == "" && !at.Before(r.next) {
		r.next = at.Add(roomEvery)
		if u, err := r.read(); err == nil && u.Free < u.Size/roomShare {
			r.left = fmt.Sprintf("%d MiB", u.Free>>20)
		}
	}
	return r.left != ""
}
