package event

import (
	"sync"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/event/settle"
)

// lastMax is the most of a source's last events that its state shows.
const lastMax = 5

// watch is a running source, and its sink.
type watch struct {
	spec Spec
	now  func() fsm.Millis // since the engine began; never decreases
	wall func() time.Time
	wake func() // makes the engine check what is due

	mu      sync.Mutex
	states  settle.States
	files   settle.Files
	told    int64      // of files; see Sink.Told
	seen    int64      // when a change of files was last seen, in milliseconds since 1970
	moved   bool       // told has changed without an event
	fresh   bool       // a subject's first state has been seen, and is not kept yet
	out     *outgoing  // taken, and being raised
	again   fsm.Millis // when an event that was refused is raised again
	tries   int        // that were refused, since one was accepted
	why     string     // the last was refused
	health  string
	trouble string // why the source does not work
	raised  int
	unsaid  int // changes that were merged into another event, or only counted
	last    []Raised
}

// outgoing is an event on its way to the daemon.
type outgoing struct {
	event fsm.EventRaised
	state *settle.Change // of a state; nil: of files
	files settle.Batch
	told  int64 // of files: the watch's told once this is raised
	put   int   // changes after the first that were merged into it
}

// Raised is an event that was raised.
type Raised struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	Subject string    `json:"subject,omitempty"`
	Text    string    `json:"text"`
}

func newWatch(spec Spec, e *Engine) *watch {
	w := &watch{spec: spec, now: e.since, wall: e.o.Now, wake: e.poke}
	w.states = settle.States{Hold: spec.Hold, Rate: spec.Rate}
	w.files = settle.Files{Settle: spec.Settle, Longest: spec.Longest, Rate: spec.Rate}
	return w
}

// Level implements [Sink].
func (w *watch) Level(subject string, value int64, crossed, clear string) {
	w.mu.Lock()
	w.states.Begin(subject, w.spec.Clear)
	was := w.states.Now(subject)
	state, text := w.spec.Clear, clear
	if w.spec.Level.Crossed(was == w.spec.Crossed, value) {
		state, text = w.spec.Crossed, crossed
	}
	w.see(subject, state, text)
}

// State implements [Sink].
func (w *watch) State(subject, state, text string) {
	w.mu.Lock()
	w.see(subject, state, text)
}

// see adds a state, and unlocks.
func (w *watch) see(subject, state, text string) {
	first := w.states.See(w.now(), subject, state, text)
	w.fresh = w.fresh || first
	_, due := w.states.Due()
	w.mu.Unlock()
	if due || first {
		w.wake()
	}
}

// File implements [Sink].
func (w *watch) File(path string, what settle.What) {
	w.mu.Lock()
	_, was := w.files.Due()
	w.files.See(w.now(), path, what)
	w.seen = w.wall().UnixMilli()
	w.mu.Unlock()
	if !was {
		w.wake()
	}
}

// Touched implements [Sink]. A file that has been written may get its owner, permissions and times
// only then.
func (w *watch) Touched(at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, pending := w.files.Due()
	switch {
	case at > w.wall().UnixMilli():
	case pending:
		w.seen = max(w.seen, at)
	case w.out != nil:
		w.out.told = max(w.out.told, at)
	case at > w.told:
		w.told, w.moved = at, true
	}
}

// hasMoved reports whether something has changed without an event, and so is not kept yet.
func (w *watch) hasMoved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved || w.fresh
}

// takeFresh reports whether a first state has been seen since it was called last.
func (w *watch) takeFresh() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.fresh
	w.fresh = false
	return was
}

// Lost implements [Sink].
func (w *watch) Lost() {
	w.mu.Lock()
	w.files.Lose(w.now())
	w.seen = w.wall().UnixMilli()
	w.mu.Unlock()
	w.wake()
}

// Seen implements [Sink].
func (w *watch) Seen(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health, w.trouble = text, ""
}

// Told implements [Sink]. After the clock was set back, nobody knows what has changed since.
func (w *watch) Told() int64 {
	w.mu.Lock()
	told, ahead := w.told, w.ahead()
	w.mu.Unlock()
	if ahead {
		w.Lost()
	}
	return told
}

// ahead reports whether told is of a clock that was ahead. The caller holds the lock.
func (w *watch) ahead() bool { return w.told > w.wall().UnixMilli() }

// fails notes why the source does not work, and reports whether that is news: a folder that is
// missing for a week must not fill the log, nor push other warnings out of the status.
func (w *watch) fails(err error) (news bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	news = wording.Numberless(w.trouble) != wording.Numberless(err.Error())
	w.trouble = err.Error()
	return news
}

// due returns when the engine must check this watch again, or false if it need not.
func (w *watch) due() (at fsm.Millis, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next()
}

// next is due for a caller that holds the lock.
func (w *watch) next() (at fsm.Millis, ok bool) {
	at, ok = w.states.Due()
	if of, is := w.files.Due(); is && (!ok || of < at) {
		at, ok = of, true
	}
	return max(at, w.again), ok
}

// take returns the due event, which is on its way until it is raised.
func (w *watch) take(now fsm.Millis) *outgoing {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch at, is := w.next(); {
	case !is:
		w.accepted() // what was refused has turned back meanwhile
		return nil
	case at > now:
		return nil
	}
	if c, ok := w.states.Take(now); ok {
		w.out = &outgoing{event: w.spec.ofState(c), state: &c, put: c.Unsaid}
	} else if b, ok := w.files.Take(now); ok {
		w.out = &outgoing{event: w.spec.ofFiles(&b), files: b, told: w.toldBy(&b, now), put: b.Files() + b.Further() - 1}
	}
	if w.out != nil {
		w.out.event.Do, w.out.event.To = w.spec.Do, w.spec.To
	}
	return w.out
}

// unread is how far the changes that were seen may lag behind the real ones during a steady
// stream of changes.
const unread = 5 * fsm.Second

// toldBy returns the time up to which an event tells the changes: the last one seen, or earlier
// if the batch was taken before it was quiet. Reckoned back from the present it could be a
// millisecond too early, and the last file would be told again at the next start.
func (w *watch) toldBy(b *settle.Batch, now fsm.Millis) int64 {
	if now-b.To < w.spec.Settle {
		return w.seen - int64(unread)
	}
	return w.seen
}

// raisedNow notes that the event on its way is durable.
func (w *watch) raisedNow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.out.event
	if w.ahead() {
		w.told = 0
	}
	w.told = max(w.told, w.out.told)
	w.raised++
	w.unsaid += max(w.out.put, 0)
	w.last = append(w.last, Raised{At: w.wall(), Event: e.Event, Subject: e.Subject, Text: e.Detail})
	if len(w.last) > lastMax {
		w.last = w.last[1:]
	}
	w.out = nil
	w.accepted()
}

// accepted notes that no refused event waits. The caller holds the lock.
func (w *watch) accepted() { w.again, w.tries, w.why = 0, 0, "" }

// Bounds of the wait before a refused event is raised again.
const (
	againFirst = fsm.Second
	againMost  = 60 * fsm.Second
)

// refused takes back the event on its way, which was not accepted: further changes are combined with
// it (EVT-1). It reports whether the reason is news.
func (w *watch) refused(now fsm.Millis, err error) (news bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	why := wording.Numberless(err.Error()) // of a disk that is full, how many bytes are left changes
	news = w.why != why
	w.again, w.why = now+min(againFirst<<min(w.tries, 10), againMost), why
	w.tries++
	if w.out.state != nil {
		w.states.Return(*w.out.state)
	} else {
		w.files.Return(&w.out.files)
	}
	w.out = nil
	return news
}
