package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
	"shelly/runtime/inbox"
	"shelly/runtime/memory"
	"shelly/runtime/telemetry"
)

// Brain answers model calls. An error may have a method BrainClass to say what
// kind of failure it is.
type Brain interface {
	// Chat asks the model and streams its answer to stream, which may be
	// called from one goroutine at a time. The caller sets the answer's Call
	// and At.
	Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(Piece)) (fsm.BrainAnswered, error)
}

// Awaiter is a [Brain] that can tell when a server that could not be reached answers again.
type Awaiter interface {
	// Await returns nil once the server answers, or an error once ctx has ended.
	Await(ctx context.Context) error
}

// Embedder turns a text into a vector of float32, little-endian.
type Embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Memory stores entries and finds them again.
type Memory interface {
	Store(ctx context.Context, e fsm.Entry) error
	Recall(ctx context.Context, e fsm.Recall) ([]fsm.Memory, error)
}

// Tools runs the declared tools.
type Tools interface {
	// Run runs a tool and returns its result; the caller sets Call and At. It
	// returns soon after ctx has ended, having stopped everything it started.
	Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered
}

// Follower is [Tools] of which some pass on their output while they run: for a call in the
// context that Follow returns, hear gets it, and must return at once (TOL-50).
type Follower interface {
	Follow(ctx context.Context, hear func(part string)) context.Context
}

// Prober is [Tools] that can find out what came of a call with an unknown outcome. If the tools
// are not a Prober, every probe is unsure.
type Prober interface {
	// Probe returns what a tool knows about a call of an earlier process; the caller sets Call
	// and At. It changes nothing, and returns soon after ctx has ended.
	Probe(ctx context.Context, call fsm.RunProbe) fsm.Probed
}

// Sessions keeps sessions between their turns.
type Sessions interface {
	// Load returns a session, of version 0 if there is none.
	Load(ctx context.Context, session string) (fsm.Session, error)
	// Save writes a session over the version with which it was loaded, once for each
	// turn. On a conflict nothing is written, and now is the stored session.
	Save(ctx context.Context, e fsm.SaveSession) (now fsm.Session, conflict bool, err error)
	// Forget drops from all archives the messages archived before a time, and those of a clock that
	// was ahead of now that are followed by such, and returns how many those were (JRN-38).
	Forget(ctx context.Context, since, now fsm.Millis) (dropped int, err error)
}

// Skills reads skills. An error is worded for the model.
type Skills interface {
	// Load returns a skill's instructions, or one of its references.
	Load(ctx context.Context, skill, reference string) (string, error)
}

// Grants keeps the grants for every session. Only the daemon's loop calls it.
type Grants interface {
	Load() ([]fsm.Grant, error)
	// Add durably adds a grant.
	Add(g fsm.Grant) ([]fsm.Grant, error)
	// Remove durably removes the grant with an id, and reports whether there was one.
	Remove(id string) (bool, error)
}

// Refuser is [Tools] that want to know at once if the call with a key, for which they have asked a
// person's approval, does not get it: the person refuses it or is not asked (APR-19). Refused must not wait.
type Refuser interface{ Refused(key string) }

// Previewer is [Tools] that can say in words what a call would do; empty if unknown
// (APR-21).
type Previewer interface {
	Preview(ctx context.Context, name, args string) string
}

// Backup writes a backup of everything that is synced. It may be called from any goroutine, one
// call at a time.
type Backup func(ctx context.Context, w io.Writer) error

// Options are the parts of a daemon. A field is required unless its comment says what nil or zero
// means; Sessions and Skills are required if the configuration uses them. Tellers may be empty.
type Options struct {
	Config   fsm.Config
	Journal  engine.Journal
	Brain    Brain
	Slots    int      // calls that the model's server serves at once; 0: one
	Embedder Embedder // nil: entries are found by keyword only
	// Apart reports whether an embedding may make the server unload the chat model (MEM-11); nil: it never does.
	Apart    func() bool
	Loaded   func(ctx context.Context) (bool, error) // reports whether the chat model is loaded; nil: unknown
	Memory   Memory
	Tools    Tools
	Sessions Sessions // nil: loading and saving fail
	Skills   Skills   // nil: loading fails
	Backup   Backup   // nil: there is none
	// Counts returns the memory's status; nil: a daemon's status leaves it out.
	Counts func() memory.Counts
	// Texts returns which texts are kept; nil: a status leaves them out.
	Texts func() comm.Texts
	// Damage returns where the data folder was found damaged; nil: a status leaves it out.
	Damage func() []string
	// Rested is called when nothing has been under way for a second; nil: nothing is.
	Rested func()
	// Grants keeps the grants for every session (APR-14); nil: they last until the next start.
	Grants Grants
	// Inbox keeps up to where messages were read (COM-50); nil: this lasts until the process ends.
	Inbox *inbox.Inbox
	// Tellers report what the daemon does, in addition to the log (OBS-1).
	Tellers []telemetry.Teller
	// Violated is called for each invariant that does not hold; nil: it is only logged.
	Violated func()
	Log      *slog.Logger
	Now      func() time.Time
	About    About
	// Retention is how long records are kept; zero: for ever.
	Retention engine.Retention
}

// About is what a status says about the daemon besides its state.
type About struct {
	Version   string
	Brain     func() string                 // the model and its server in words: "ollama qwen3:8b at http://…"; called from any goroutine
	Asks      func() (model, server string) // as in the status; called from any goroutine; nil: a script answers
	Data      string                        // the data folder
	Workspace string                        // the folder that the tools work in
	Contained func() string                 // as in the status; called from any goroutine; nil: no command runs
}

// Daemon is one running shelly.
type Daemon struct {
	o       Options
	driver  *engine.Driver
	monitor *check.Monitor
	hub     *hub
	retold  retold
	watch   *telemetry.Watch
	started time.Time // by the wall clock
	began   time.Time // by the steady one

	messages chan message
	stopped  chan struct{} // closed when the loop takes no more messages

	calls     crew // goroutines that perform effects
	running   map[fsm.CallID]context.CancelCauseFunc
	begun     uint64 // calls begun since the start
	ahead     uint64 // those of them that read ahead
	timers    map[fsm.TimerID]*time.Timer
	away      away
	accepted  []*accepted // model calls that the server has and that have not begun to write
	questions questions   // of tools, to a person
	asking    bool        // somebody may wait for a question, or have been told so
	wake      *time.Timer // when the driver has something to do next
	tidies    tidying
	rests     *time.Timer   // notifies the journal that the daemon is at rest
	rested    uint64        // the last record at that time
	quiet     chan struct{} // closed once no call is under way; nil: nobody waits for this
}

// failing is a journal that reports a write that failed in the background, so that the
// daemon ends then and not at the next request.
type failing interface {
	Failed() <-chan struct{}
	Err() error
}

// message is something for the loop: a fact, a request, or something to do between turns.
type message struct {
	fact  func() fsm.Fact // called by the loop; if it returns nil there is nothing to do
	asked *asking
	do    func()
}

// asking is a request that waits to be accepted.
type asking struct {
	fsm.Requested
	met chan engine.Met // of capacity 1
}

// messagesMax bounds the messages that wait for the loop; further senders block.
const messagesMax = 256

// Open recovers the machine from the journal. It performs no effect.
func Open(o Options) (*Daemon, error) {
	if o.Inbox == nil {
		o.Inbox = inbox.New()
	}
	d := &Daemon{
		o:        o,
		hub:      newHub(),
		watch:    telemetry.New(append([]telemetry.Teller{telemetry.Lines{Log: o.Log}}, o.Tellers...)...),
		started:  o.Now(),
		began:    time.Now(),
		messages: make(chan message, messagesMax),
		stopped:  make(chan struct{}),
		calls:    crew{next: make(chan func())},
		running:  map[fsm.CallID]context.CancelCauseFunc{},
		timers:   map[fsm.TimerID]*time.Timer{},
		away:     away{waits: map[fsm.TimerID]fsm.HandleID{}},
		wake:     time.NewTimer(0),
	}
	e, err := engine.Drive(o.Journal, d)
	if err != nil {
		return nil, fmt.Errorf("recover from the journal: %w", err)
	}
	d.driver = e
	d.watch.Resume(e.Machine().View().LastHandle)
	d.o.Inbox.Cap(engine.LastOf(e.Durable()))
	if d.o.Config.Grants, err = d.granted(d.o.Config); err != nil {
		return nil, err
	}
	d.tidies.retention, d.tidies.believed = o.Retention, e.Machine().View().Now
	e.Observe, e.Check, e.Saved = d.observe, d.check, d.tidySoon
	e.Shortage, e.Slotless = d.shortage, d.slotless
	for _, v := range e.Divergences() {
		o.Log.Error("the journal was written by code that decided differently; what follows may differ",
			"record", v.Index, "expected", v.Want, "got", v.Got)
	}
	d.monitor = check.MonitorFrom(e.Machine())
	for _, h := range e.Machine().View().Handles {
		d.hub.know(h.ID, h.Request)
	}
	return d, nil
}

// granted returns the kept grants for every session; if none are kept, those of a
// configuration.
func (d *Daemon) granted(c fsm.Config) ([]fsm.Grant, error) {
	if d.o.Grants == nil {
		return c.Grants, nil
	}
	return d.o.Grants.Load()
}

// check is the self-check: it checks the proof's invariants on the live machine. A
// violation is a defect; it is logged as an error, and nothing is stopped.
func (d *Daemon) check(m *machine.Machine, in fsm.Input, effects []fsm.Effect) {
	for _, v := range d.monitor.Step(m, in, effects) {
		d.o.Log.Error("an invariant does not hold; please report this with the journal", "invariant", v.Invariant, "what", v.Text)
		if d.o.Violated != nil {
			d.o.Violated()
		}
	}
}

// Run boots the machine and serves until it has stopped. While there is less free space than
// the reserve it serves only reads, and boots once there is space. It returns how the
// machine ended, or the error that killed the engine. If ctx ends first, the
// loop ends as in a crash: everything accepted is in the journal.
func (d *Daemon) Run(ctx context.Context) (fsm.ExitCode, error) {
	defer d.close()
	failpoint.Hit(failpoint.BootRecovered)
	d.tidy()
	if err := d.driver.Err(); err != nil {
		return "", err
	}
	if err := d.driver.Boot(d.now(), d.o.Config); err != nil {
		return "", err
	}
	failpoint.Hit(failpoint.BootBooted)
	var failed <-chan struct{}
	store, watched := d.o.Journal.(failing)
	if watched {
		failed = store.Failed()
	}
	for {
		if code, ok := d.driver.Exited(); ok {
			return code, nil
		}
		d.hush()
		d.awake()
		d.restSoon()
		var err error
		select {
		case <-failed:
			return "", store.Err()
		case <-ctx.Done():
			return "", ctx.Err()
		case <-d.wake.C:
			err = d.due()
		case m := <-d.messages:
			err = d.take(m)
		}
		if err != nil {
			return "", err
		}
	}
}

// awake sets the timer for the driver's next work.
func (d *Daemon) awake() {
	now := d.now()
	wait, ok := d.driver.Next(now)
	if slot, awaited := d.driver.NextSlot(now); awaited && (!ok || slot < wait) {
		wait, ok = slot, true
	}
	if !ok {
		d.wake.Stop()
		return
	}
	d.wake.Reset(time.Duration(wait) * time.Millisecond)
}

// due makes the driver do what is due.
func (d *Daemon) due() error {
	if err := d.driver.Wake(d.now()); err != nil {
		return err
	}
	return d.driver.TellSlots(d.now())
}

// take handles a message and all that wait after it. Facts and requests go into one turn, so
// that they share a sync.
func (d *Daemon) take(m message) error {
	var facts []fsm.Fact
	var asked []*asking
	for {
		switch {
		case m.do != nil:
			if err := d.meet(facts, asked); err != nil {
				return err
			}
			facts, asked = nil, nil
			m.do()
			if _, ended := d.driver.Exited(); ended || d.driver.Err() != nil {
				return d.driver.Err() // without first serving those that still have something to ask
			}
		case m.asked != nil:
			asked = append(asked, m.asked)
		default:
			facts = append(facts, m.fact())
		}
		select {
		case m = <-d.messages:
		default:
			return d.meet(facts, asked)
		}
	}
}

// meet gives the machine what has arrived, and answers those that asked.
func (d *Daemon) meet(facts []fsm.Fact, asked []*asking) error {
	requests := make([]fsm.Requested, len(asked))
	for i, a := range asked {
		requests[i] = a.Requested
	}
	met, err := d.driver.Meet(d.now(), facts, requests...)
	for i, a := range asked {
		a.met <- met[i]
	}
	return err
}

// errEnds is the cause if a call ends because shelly is stopping, not because it was given up:
// work on it elsewhere may continue (TOL-98).
var errEnds = errors.New("shelly ends")

// close ends every call and timer and the watchers, and waits until nothing
// of the daemon runs. A call that ignores its end gets the time of an aborted
// tool and is then abandoned, so that it cannot keep the process from ending.
func (d *Daemon) close() {
	close(d.stopped)
	for _, cancel := range d.running { // order-free: each is only cancelled
		cancel(errEnds)
	}
	for _, t := range d.timers { // order-free: each is only stopped
		t.Stop()
	}
	d.away.leave()
	for _, r := range d.accepted {
		if r.due != nil {
			r.due.Stop()
		}
	}
	d.wake.Stop()
	if d.rests != nil {
		d.rests.Stop()
	}
	d.tidies.stop()
	d.hub.close()
	d.retold.close()
	ended := make(chan struct{})
	go func() {
		d.calls.Wait()
		close(ended)
	}()
	// before the boot the machine has no configuration
	patience := time.Duration(cmp.Or(d.config().Limits.AbortTimeout, d.o.Config.Limits.AbortTimeout)) * time.Millisecond
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
		d.o.Log.Error("a cancelled call does not end and is abandoned", "waited", patience)
	}
}

// config is the configuration in force. Only the loop calls it.
func (d *Daemon) config() *fsm.Config { return &d.driver.Machine().View().Config }

var errStopped = errors.New("shelly has stopped")

// send gives the loop a message. It fails if the loop has ended.
func (d *Daemon) send(ctx context.Context, m message) error {
	select {
	case <-d.stopped: // checked first: nobody empties the queue any more
		return errStopped
	default:
	}
	select {
	case d.messages <- m:
		return nil
	case <-d.stopped:
		return errStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask runs f on the loop's goroutine and returns its result. If the error is errStopped,
// f has not run; if it is ctx's, f may still run, and its result is dropped.
func ask[T any](ctx context.Context, d *Daemon, f func() T) (T, error) {
	answer := make(chan T, 1)
	return await(ctx, d, message{do: func() { answer <- f() }}, answer)
}

// await gives the loop a message and returns its answer, as ask does.
func await[T any](ctx context.Context, d *Daemon, m message, answer <-chan T) (T, error) {
	var none T
	if err := d.send(ctx, m); err != nil {
		return none, err
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return none, ctx.Err()
	case <-d.stopped:
	}
	select {
	case a := <-answer: // it was the last thing that the loop did
		return a, nil
	default: // the loop ends between messages, never in one
		return none, errStopped
	}
}

// Signal passes a signal to the machine.
func (d *Daemon) Signal(name string) {
	_ = d.send(context.Background(), message{fact: func() fsm.Fact { return fsm.Signalled{Name: name} }})
}

// now returns the time of both clocks.
func (d *Daemon) now() engine.Now {
	return engine.Now{Wall: fsm.Millis(d.o.Now().UnixMilli()), Steady: fsm.Millis(time.Since(d.began).Milliseconds())}
}

// shortage logs once that there is too little space, and once that there is enough again.
func (d *Daemon) shortage(why error, held int) {
	if why != nil {
		d.o.Log.Warn("nothing is accepted or continues until there is space", "error", why)
		return
	}
	d.o.Log.Info("there is space again", "held", held)
}

func (d *Daemon) slotless(schedule string) {
	d.o.Log.Warn("a schedule has no slot left and will not run", "schedule", schedule)
}
