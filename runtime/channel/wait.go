package channel

import (
	"errors"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/channel/kept"
)

// Bounds of the wait before something that failed is tried again.
const (
	againFirst = time.Second
	againMost  = time.Minute
)

// laterMost is the longest wait that the other side may ask for.
const laterMost = time.Hour

// wait is that for the next attempt after one that failed.
type wait struct {
	until  time.Time
	length time.Duration // of this wait, unless the other side asked for a longer one
	why    string
}

// waits are the waits of a channel: as a whole, and of single chats.
type waits struct {
	whole wait            // without a length: it works
	chats map[string]wait // at most [kept.BehindMax]
}

// may reports whether a chat need not wait.
func (w *waits) may(chat string, now time.Time) bool { return !w.chats[chat].until.After(now) }

// fails notes that an attempt to send to a chat has failed, and reports whether the last one failed
// for the same reason.
func (w *waits) fails(chat string, err error, now time.Time) (again bool) {
	_, known := w.chats[chat]
	of := errors.As(err, new(*OfChat)) && (known || len(w.chats) < kept.BehindMax)
	before := w.whole
	if of {
		before = w.chats[chat]
	}
	next := wait{length: min(max(2*before.length, againFirst), againMost), why: wording.Clip(err.Error(), textMax)}
	length := next.length
	if later, ok := errors.AsType[*Later](err); ok {
		length = max(length, min(later.After, laterMost))
	}
	next.until = now.Add(length)
	if of {
		w.chats[chat] = next
		w.whole = wait{}
	} else {
		w.whole = next
	}
	return next.why == before.why
}

// works notes that the other side has answered to a message to a chat.
func (w *waits) works(chat string) {
	delete(w.chats, chat)
	w.whole = wait{}
}

// hurry ends all waits; what fails again waits longer than before.
func (w *waits) hurry() {
	w.whole.until = time.Time{}
	for chat, one := range w.chats { // order-free: each on its own
		one.until = time.Time{}
		w.chats[chat] = one
	}
}

// drop forgets the chats whose wait is over: nothing is left to be sent to them.
func (w *waits) drop(now time.Time) {
	for chat, one := range w.chats { // order-free: each on its own
		if !one.until.After(now) {
			delete(w.chats, chat)
		}
	}
}

// next returns when the next wait after now ends; zero: there is none.
func (w *waits) next(now time.Time) (at time.Time) {
	if w.whole.until.After(now) {
		return w.whole.until
	}
	for _, one := range w.chats { // order-free: the least
		if one.until.After(now) && (at.IsZero() || one.until.Before(at)) {
			at = one.until
		}
	}
	return at
}
