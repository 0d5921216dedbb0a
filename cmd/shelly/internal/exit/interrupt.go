package exit

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Together is how close two signals must be to count as one: timeout(1) signals a process and
// then its whole group, and so signals the process twice.
const Together = 100 * time.Millisecond

// deliverWithin is how long a client that leaves waits for the daemon to have its cancel.
const deliverWithin = time.Second

// Delivered returns when the daemon has a cancel that a client that leaves has begun to send, or will
// not have it soon (CLI-212).
func Delivered(cancel <-chan struct{}) {
	select {
	case <-cancel:
	case <-time.After(deliverWithin):
	}
}

// Signals returns SIGTERM and SIGINT as they come, counting signals that are close together as
// one. After stop they end the process again, and the channel is closed.
func Signals() (signals <-chan os.Signal, stop func()) {
	raw, out := make(chan os.Signal, 2), make(chan os.Signal, 2)
	signal.Notify(raw, syscall.SIGINT, syscall.SIGTERM)
	go distinct(raw, out)
	return out, sync.OnceFunc(func() {
		signal.Stop(raw)
		close(raw)
	})
}

// distinct passes signals on until there are no more. A signal that is not received is dropped.
func distinct(raw <-chan os.Signal, out chan<- os.Signal) {
	defer close(out)
	last := time.Time{}
	for s := range raw {
		if time.Since(last) < Together {
			continue
		}
		last = time.Now()
		select {
		case out <- s:
		default:
		}
	}
}

// Reader returns a reader of r that ends with the context, even while r has nothing to read, such
// as a terminal on which nothing is typed. It may read more from r than is read from it.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err) // never fails, like that above (io.PipeWriter)
	}()
	return out
}

// Interrupted is the error of work that the end of an Interruptible context has stopped. The text
// says what was done and how to go on.
func Interrupted(ctx context.Context, text string) error {
	coded := Error{Code: Failed}
	errors.As(context.Cause(ctx), &coded)
	return Errorf(coded.Code, "interrupted: %s", text)
}

// Interruptible returns a context that ends at ^C or SIGTERM. Its cause has the exit code that
// shells use for that. A second signal ends the process (CLI-2).
func Interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, stop := Signals()
	go func() {
		if s, ok := <-signals; ok {
			cancel(Silent(128 + int(s.(syscall.Signal))))
			time.Sleep(Together)
			stop()
		}
	}()
	return ctx, stop
}
