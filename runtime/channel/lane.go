package channel

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel/gate"
	"shelly/runtime/channel/kept"
	"shelly/runtime/clock"
)

// lane runs one channel. It is the channel's [Inbound].
type lane struct {
	spec  Spec
	o     *Options
	ended chan struct{}
	woken chan struct{} // there may be something to deliver
	upped chan struct{} // the channel works again
	waits waits         // of deliver alone

	mu       sync.Mutex
	ctx      context.Context // of its work; nil: it has not begun
	stop     context.CancelFunc
	gate     gate.Gate
	done     kept.Delivered
	ready    []due           // in the order in which they became due
	open     map[uint64]bool // the requests whose answers are not delivered, by their indexes
	coming   map[uint64]int  // for the requests being accepted: the highest index known before each, and how many have it
	highest  uint64          // the highest index of a known request
	standing State           // but for Open
	over     bool            // nothing is accepted any more
	typing   bool            // the daemon is being told that somebody writes
	spoken   []string        // what the last messages were that have decided ([decisionOf])

	accepting sync.WaitGroup // requests, and that somebody writes; none is added once it is over
}

// due is something to be delivered.
type due struct {
	kind  Kind
	chat  string
	index uint64          // of an answer's request
	key   fsm.RequestKey  // of an answer's request
	out   Outbound        // anything but an answer
	once  bool            // it is sent once, whatever comes of it
	tried chan<- error    // gets the result of a try, which waits for nothing; nil: it is none
	asker context.Context // of who tries it: nothing is sent after its end
}

func newLane(spec Spec, o *Options) *lane {
	return &lane{
		spec: spec, o: o, ended: make(chan struct{}),
		woken: make(chan struct{}, 1), upped: make(chan struct{}, 1),
		gate: gate.Gate{Rules: gate.Rules{Allow: spec.Allow, PerMinute: spec.PerMinute}},
		open: map[uint64]bool{}, coming: map[uint64]int{}, waits: waits{chats: map[string]wait{}}, standing: spec.State(),
	}
}

// begin runs the lane until ctx ends or it is stopped.
func (l *lane) begin(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	l.mu.Lock()
	l.ctx, l.stop = ctx, stop
	l.mu.Unlock()
	go func() {
		defer close(l.ended)
		defer l.finish()
		if !l.resume(ctx) {
			return
		}
		var both sync.WaitGroup
		both.Go(func() { l.keepRunning(ctx) })
		both.Go(func() { l.deliver(ctx) })
		both.Wait()
	}()
}

// finish waits for the requests that are being accepted: the lane that comes after this one delivers
// their answers, if they are durable before it begins.
func (l *lane) finish() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.accepting.Wait()
}

// halt makes the lane end soon, and reports whether it had begun.
func (l *lane) halt() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		return false
	}
	l.stop()
	return true
}

// resume finds what is not delivered (CHN-8), and reports whether ctx is still live.
func (l *lane) resume(ctx context.Context) bool {
	for {
		err := l.find(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		l.down(err)
		if clock.Pause(ctx, againFirst) != nil {
			return false
		}
	}
}

// find follows the channel's requests whose answers are not delivered.
func (l *lane) find(ctx context.Context) error {
	recorded, err := l.o.Front.Recorded(ctx)
	if err != nil {
		return err
	}
	all, err := recorded.Kept()
	if err != nil {
		return err
	}
	done, err := l.o.Kept.Begin(l.spec.Name, all.Last)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.done, l.highest = done, all.Last
	l.mu.Unlock()
	var found []engine.Request
	for before := uint64(math.MaxUint64); before > done.Answers+1; {
		page, err := recorded.Requests(before, engine.ReadMax)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			before = r.Index
			if r.Index > done.Answers && l.mine(r.Key) && !done.Has(r.Index) {
				found = append(found, known(r))
			}
		}
	}
	for _, index := range slices.Backward(done.Owed) {
		page, err := recorded.Requests(index+1, 1)
		if err != nil {
			return err
		}
		if len(page) > 0 && page[0].Index == index && l.mine(page[0].Key) {
			found = append(found, known(page[0]))
		}
	}
	slices.Reverse(found)
	for _, r := range found {
		l.follow(r)
	}
	l.mu.Lock()
	l.done.Settle(l.settled())
	l.mu.Unlock()
	return l.save()
}

// known is what a lane keeps of a request.
func known(r engine.Request) engine.Request {
	return engine.Request{Key: r.Key, Index: r.Index, Origin: r.Origin, Done: r.Done}
}

// mine reports whether a request came through the channel.
func (l *lane) mine(key fsm.RequestKey) bool {
	return key.Principal == Principal && key.Channel == l.spec.Name
}

// settled returns an index up to which all answers are delivered but for those to the open
// requests. The caller holds the lock. A request being accepted will get an index above all those
// known when it came.
func (l *lane) settled() (index uint64, open []uint64) {
	index = l.highest
	for i := range l.coming { // order-free: the least
		index = min(index, i)
	}
	return index, slices.Collect(maps.Keys(l.open))
}

// save writes how far the channel has delivered.
func (l *lane) save() error {
	l.mu.Lock()
	done := l.done
	l.mu.Unlock()
	err := l.o.Kept.Save(l.spec.Name, done)
	if err != nil {
		l.o.Log.Warn("cannot record what a channel has delivered; after a restart it is delivered again", "channel", l.spec.Name, "error", err)
	}
	return err
}

// push adds something to be delivered.
func (l *lane) push(d due) {
	l.mu.Lock()
	l.ready = append(l.ready, d)
	l.mu.Unlock()
	poke(l.woken)
}

// noticesMax bounds the notices that wait; further ones are dropped, because they would be of no
// use later.
const noticesMax = 64

// notice sends a chat a notice of the channel itself, once and without any guarantee.
func (l *lane) notice(chat, id, text string) {
	l.mu.Lock()
	n := 0
	for _, d := range l.ready {
		if d.once {
			n++
		}
	}
	l.mu.Unlock()
	if n < noticesMax {
		l.push(due{kind: KindNotice, chat: chat, out: Outbound{ID: id, Chat: chat, Kind: KindNotice, Text: text}, once: true})
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
