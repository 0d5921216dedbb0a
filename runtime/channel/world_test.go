package channel_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/kept"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

// fake is a channel whose other side is the test.
type fake struct {
	name string
	in   chan channel.Inbound

	mu    sync.Mutex
	fails error          // what Send fails with
	away  map[string]int // chats that have to wait, after that many more messages
	panic bool
	hang  chan struct{} // not nil: Send waits for it, whatever its context says
	mute  string        // the chat for which Send waits as long as its context says; *: each
	sent  []channel.Outbound
	tries int
	runs  func(ctx context.Context) error // what Run does; nil: it waits for the end
	opens chan struct{}                   // not nil: Run waits for it before it works
}

func newFake(name string) *fake { return &fake{name: name, in: make(chan channel.Inbound, 16)} }

// Name implements [channel.Channel].
func (f *fake) Name() string { return f.name }

// Run implements [channel.Channel].
func (f *fake) Run(ctx context.Context, in channel.Inbound) error {
	if f.runs != nil {
		return f.runs(ctx)
	}
	if f.opens != nil {
		<-f.opens
	}
	in.Up("connected")
	f.in <- in
	<-ctx.Done()
	return nil
}

// Send implements [channel.Channel].
func (f *fake) Send(ctx context.Context, m channel.Outbound) error {
	f.mu.Lock()
	f.tries++
	fails, bad, hang, mute := f.fails, f.panic, f.hang, f.mute
	if more, goes := f.away[m.Chat]; goes && more == 0 {
		fails = &channel.OfChat{Err: errAway}
	} else if goes {
		f.away[m.Chat]--
	}
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if mute == "*" || mute == m.Chat {
		<-ctx.Done()
		if fails = ctx.Err(); mute != "*" {
			fails = &channel.OfChat{Err: fails}
		}
	}
	if bad {
		panic("it is broken")
	}
	if fails != nil {
		return fails
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, m)
	return nil
}

// tried is how often Send was called.
func (f *fake) tried() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tries
}

// failing says what Send fails with from now on.
func (f *fake) failing(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails = err
}

// silent says for which chat the other side does not answer from now on; *: for each.
func (f *fake) silent(chat string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mute = chat
}

// leaves says that a chat has to wait, after that many more messages.
func (f *fake) leaves(chat string, more int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away == nil {
		f.away = map[string]int{}
	}
	f.away[chat] = more
}

// returns says that a chat no longer has to wait.
func (f *fake) returns(chat string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.away, chat)
}

// got are the texts that were sent, and forgets them.
func (f *fake) got() []channel.Outbound {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := f.sent
	f.sent = nil
	return sent
}

// texts are those of messages, each after its kind and chat.
func texts(sent []channel.Outbound) string {
	var all []string
	for _, m := range sent {
		all = append(all, string(m.Kind)+" "+m.Chat+" "+m.Text)
	}
	return strings.Join(all, "|")
}

// front is a daemon whose journal has what it accepted.
type front struct {
	*fronttest.Front
	late   chan struct{}      // the acceptance of the message "late" is known only when it is closed
	unread map[string][]error // by what is read: what the next reads of it fail with; nil: they do not
	bare   map[string]bool    // ids of requests whose session was forgotten
}

// read returns what this read fails with.
func (f front) read(what string) error {
	if len(f.unread[what]) == 0 {
		return nil
	}
	err := f.unread[what][0]
	f.unread[what] = f.unread[what][1:]
	return err
}

// Recorded implements [comm.Front].
func (f front) Recorded(context.Context) (engine.Reader, error) {
	return reader{front: f}, f.read("the journal")
}

// Standings implements [comm.Front].
func (f front) Standings(ctx context.Context) ([]comm.Standing, error) {
	if err := f.read("the standings"); err != nil {
		return nil, err
	}
	return f.Front.Standings(ctx)
}

// index is that of the record which accepted a request.
func (f front) index(key fsm.RequestKey) uint64 {
	return uint64(1 + slices.IndexFunc(f.Seen().Requests, func(r comm.Request) bool { return r.Key == key }))
}

// Accept implements [comm.Front].
func (f front) Accept(ctx context.Context, r comm.Request) (engine.Acceptance, error) {
	a, err := f.Front.Accept(ctx, r)
	if r.Key.ID == "late" {
		<-f.late
	}
	a.Request.Index = f.index(r.Key)
	return a, err
}

// Request implements [comm.Front].
func (f front) Request(ctx context.Context, key fsm.RequestKey) (engine.Request, bool, error) {
	switch err := f.read("a request"); {
	case errors.Is(err, errForgotten):
		return engine.Request{}, false, nil
	case err != nil:
		return engine.Request{}, false, err
	}
	r, ok, err := f.Front.Request(ctx, key)
	r.Index = f.index(key)
	if f.bare[key.ID] {
		r.Text, r.Reply, r.Forgotten = "", "", true
	}
	return r, ok, err
}

// reader is its journal.
type reader struct {
	engine.Reader // of which no more is used
	front         front
}

// Kept implements [engine.Reader].
func (r reader) Kept() (engine.Kept, error) {
	if err := r.front.read("what is kept"); err != nil {
		return engine.Kept{}, err
	}
	last := uint64(len(r.front.Seen().Requests))
	all, err := r.front.Messages(context.Background(), fsm.Origin{}, 0, engine.ReadMax)
	for _, m := range all {
		last = max(last, engine.IndexOf(m.Position))
	}
	return engine.Kept{Last: last}, err
}

// Requests implements [engine.Reader].
func (r reader) Requests(before uint64, limit int) (found []engine.Request, err error) {
	if err := r.front.read("the requests"); err != nil {
		return nil, err
	}
	for _, asked := range r.front.Seen().Requests {
		known, _, _ := r.front.Front.Request(context.Background(), asked.Key)
		if known.Index = r.front.index(asked.Key); known.Index < before {
			found = append(found, known)
		}
	}
	slices.SortFunc(found, func(a, b engine.Request) int { return cmp.Compare(b.Index, a.Index) })
	return found[:min(len(found), limit)], nil
}

// world is a bus in a bubble of virtual time.
type world struct {
	t     *testing.T
	data  string
	front front
	over  comm.Front // not nil: what the channels have in its place
	specs []channel.Spec
	*channel.Bus
	kill func() // ends the process: what it did not keep is lost
}

// inWorld has a test in a bubble; everything in it is made there.
func inWorld(t *testing.T, test func(w *world)) {
	data := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, data: data, front: front{fronttest.New(), make(chan struct{}), map[string][]error{}, map[string]bool{}}}
		defer func() { w.kill(); synctest.Wait() }()
		test(w)
	})
}

// with has channels at work.
func (w *world) with(specs ...channel.Spec) {
	w.specs = specs
	w.start()
}

// spec is a channel with the usual settings.
func spec(c channel.Channel) channel.Spec {
	return channel.Spec{
		Name: c.Name(), Kind: "fake", Of: "a test", Channel: c,
		Allow: []string{"mia", "tom"}, PerMinute: 10, TextMax: 1000, PartBytes: 100, Tells: true,
	}
}

// start begins a process.
func (w *world) start() {
	w.t.Helper()
	file, err := kept.Open(w.data)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Bus = channel.New(channel.Options{Front: cmp.Or(w.over, comm.Front(w.front)), Kept: file, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	w.Use(w.specs)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	w.kill = func() { cancel(); <-done }
	synctest.Wait()
}

// writes brings a message to a channel.
func (w *world) writes(f *fake, m channel.Message) channel.Taken {
	w.t.Helper()
	taken, err := w.brings(f, m)
	if err != nil {
		w.t.Fatalf("message %s: %v", m.ID, err)
	}
	return taken
}

func (w *world) brings(f *fake, m channel.Message) (channel.Taken, error) {
	w.t.Helper()
	in := <-f.in
	f.in <- in
	m.Chat, m.Sender = cmp.Or(m.Chat, "mia"), cmp.Or(m.Sender, "mia")
	taken, err := in.Take(w.t.Context(), m)
	synctest.Wait()
	return taken, err
}

// keyOf is the key of a message's request.
func keyOf(f *fake, id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: channel.Principal, Channel: f.name, ID: id}
}

// replies has a request answered.
func (w *world) replies(f *fake, id, text string) {
	w.front.Reply(keyOf(f, id), text, false)
	synctest.Wait()
}

// wants compares what was sent with what is wanted, with | between messages.
func (w *world) wants(f *fake, want string) []channel.Outbound {
	w.t.Helper()
	got := f.got()
	if texts(got) != want {
		w.t.Errorf("sent %q\nwant %q", texts(got), want)
	}
	return got
}

// wait lets time pass.
func (w *world) wait(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

var (
	errAway      = errors.New("the server is away")
	errForgotten = errors.New("the journal no longer has it")
)

var _ comm.Front = front{}
