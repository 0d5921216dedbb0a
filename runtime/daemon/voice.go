package daemon

import (
	"fmt"
	"sync"
	"time"
)

// voice tells what a model call that has been running for a while does: once each that it begins
// to think and to write, and every [lull] that nothing of the answer comes (COM-29).
type voice struct {
	tell  func(text string)
	log   func(text string)
	calls bool // it may call tools

	mu             sync.Mutex
	thinks, writes bool // it was told
	ended          bool
	last           time.Time   // of the last piece
	silent         *time.Timer // fires if no other comes; nil: nothing has come yet
}

// lull is how long a model that writes is silent before that is told. The slowest that is still
// useful writes two tokens in a second.
const lull = 10 * time.Second

// hears notes that a piece of the answer came, and whether it has thinking or text. Late says that
// the call has been running for a while.
func (v *voice) hears(thinking, text, late bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = time.Now()
	if v.silent == nil {
		v.silent = time.AfterFunc(lull, v.nothing)
	}
	v.silent.Reset(lull)
	if late && thinking && !v.thinks {
		v.thinks = true
		v.tell("thinking")
	}
	if late && text && !v.writes {
		v.writes = true
		v.tell("writing")
	}
}

// nothing tells how long nothing has come; the next piece tells again that the model thinks or
// writes. A server sends nothing of a tool call before the call's end.
func (v *voice) nothing() {
	v.mu.Lock()
	defer v.mu.Unlock()
	quiet := time.Since(v.last).Round(time.Second)
	if v.ended || quiet < lull {
		return
	}
	perhaps := "be stuck"
	if v.calls {
		perhaps = "be writing a tool call, or be stuck"
	}
	text := fmt.Sprintf("nothing has come for %d s: the model may %s", quiet/time.Second, perhaps)
	if quiet < 2*lull {
		v.log(text)
	}
	v.tell(text)
	v.thinks, v.writes = false, false
	v.silent.Reset(lull)
}

func (v *voice) stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
	if v.silent != nil {
		v.silent.Stop()
	}
}
