package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/front/wire"
)

// Work answers a request; it may take as long as it needs. An error that is not an [Error] is
// sent as one of [CodeInternal].
type Work func(ctx context.Context) (Answer, error)

// Answer is the answer to a request.
type Answer struct {
	Result any    // nil: null
	Then   func() // after the answer was written; nil: nothing
}

// Handler takes what the other end sends, in the order of the lines. It must not block.
type Handler interface {
	// Request begins a request. Its error is its answer. The id is as [ID] writes it.
	Request(id, method string, params wire.Value) (Work, error)
	Notified(method string, params wire.Value)
}

// Options sets the bounds of a connection; the zero value is ready.
type Options struct {
	LineBytesMax int          // of a message; 0: 16 MiB
	AtOnce       int          // requests under way at once; 0: 64
	Log          *slog.Logger // nil: none
}

// Conn is a connection. It may be written to from many goroutines.
type Conn struct {
	handler Handler
	o       Options
	places  chan struct{} // a token per request that is under way
	working sync.WaitGroup

	writing sync.Mutex // held while a line is written
	out     io.Writer

	mu    sync.Mutex
	last  int // id of the last request of our own
	asked map[string]chan incoming
}

// New returns a connection that writes to out. It reads nothing yet.
func New(handler Handler, out io.Writer, o Options) *Conn {
	o.LineBytesMax, o.AtOnce = cmp.Or(o.LineBytesMax, 16<<20), cmp.Or(o.AtOnce, 64)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Conn{handler: handler, o: o, places: make(chan struct{}, o.AtOnce), out: out, asked: map[string]chan incoming{}}
}

// Serve reads until the input ends, then cancels the context of all work and returns once it has
// ended ([Settle]). The error is the input's.
func (c *Conn) Serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer Settle(&c.working)
	defer cancel()
	l := NewLines(in, c.o.LineBytesMax)
	for {
		line, err := l.Next()
		var long *Long
		switch {
		case errors.As(err, &long):
			c.fail(long.ID, Errorf(CodeInvalid, "%s", long))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(line) > 0:
			c.take(ctx, line)
		}
	}
}

// settleMax is how long the work that was under way may take to end after the input.
const settleMax = 5 * time.Second

// Settle waits until work has ended that was told to. Who has closed the input may have stopped reading, too,
// and still hold the output open: what is being written then never ends, and is left.
func Settle(work *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() {
		work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(settleMax):
	}
}

// take begins what a line asks for.
func (c *Conn) take(ctx context.Context, line []byte) {
	in, wrong := read(line)
	switch {
	case wrong != nil:
		c.fail(in.id, wrong)
	case in.method == "":
		c.answered(in)
	case in.id == nil:
		c.handler.Notified(in.method, in.params)
	default:
		c.begin(ctx, in)
	}
}

// begin begins a request, and works on it while further lines are read.
func (c *Conn) begin(ctx context.Context, in incoming) {
	select {
	case c.places <- struct{}{}:
	default:
		c.fail(in.id, Errorf(CodeInternal, "%d requests are under way; send it again later", c.o.AtOnce))
		return
	}
	work, err := c.handler.Request(string(in.id), in.method, in.params)
	if err != nil {
		<-c.places
		c.fail(in.id, err)
		return
	}
	c.working.Go(func() {
		a, err := work(ctx)
		<-c.places
		if err != nil && ctx.Err() != nil { // the other end has gone
			return
		}
		if err != nil {
			c.fail(in.id, err)
			return
		}
		result, err := wording.JSON(a.Result)
		if err != nil {
			c.fail(in.id, err)
			return
		}
		c.write(outgoing{ID: in.id, Result: result})
		if a.Then != nil {
			a.Then()
		}
	})
}

// Go runs do while further lines are read; the connection waits for it at its end.
func (c *Conn) Go(do func()) { c.working.Go(do) }

// fail answers with an error. Without an id it answers a line that could not be understood.
func (c *Conn) fail(id json.RawMessage, err error) {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		e = Errorf(CodeInternal, "%s", err)
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	c.write(outgoing{ID: id, Error: e})
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) { c.write(outgoing{Method: method, Params: params}) }

// Ask asks the other end and waits for the answer. An answer that is an error is an [Error].
// If ctx ends first, the other end is sent $/cancel_request.
func (c *Conn) Ask(ctx context.Context, method string, params any) (wire.Value, error) {
	answer := make(chan incoming, 1)
	c.mu.Lock()
	c.last++
	id := strconv.Itoa(c.last)
	c.asked[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asked, id)
	}()
	c.write(outgoing{ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case in := <-answer:
		if in.err.Kind != wire.Null {
			return wire.Value{}, Errorf(CodeInternal, "%s", cmp.Or(in.err.Member("message").Text, "the answer is an error"))
		}
		return in.result, nil
	case <-ctx.Done():
		c.Notify("$/cancel_request", map[string]any{"requestId": json.RawMessage(id)})
		return wire.Value{}, ctx.Err()
	}
}

// answered passes an answer to the call of Ask that waits for it. Any other is dropped.
func (c *Conn) answered(in incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.asked[string(in.id)]; answer != nil {
		delete(c.asked, string(in.id))
		answer <- in
	}
}

func (c *Conn) write(m outgoing) {
	m.Version = "2.0"
	line, err := wording.JSON(m)
	if err != nil {
		c.o.Log.Error("a message cannot be written", "method", m.Method, "error", err)
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		c.o.Log.Debug("the other end no longer reads", "error", err)
	}
}
