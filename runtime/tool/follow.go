package tool

import (
	"context"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// Bounds of the output that is passed on while one command runs (TOL-50).
const (
	followEvery    = 200 * time.Millisecond // between two parts, and before the first
	followPartMax  = 4 << 10                // bytes of a part: the end of the output since the last one
	followBytesMax = 64 << 10               // of all parts
)

type followKey struct{}

// Follow returns a context in which hear gets a command's output while it runs, in parts, one
// after another, and none after the call has ended. Hear must return at once. The parts are for
// watching only; the command's result has its output.
func Follow(ctx context.Context, hear func(part string)) context.Context {
	return context.WithValue(ctx, followKey{}, hear)
}

// following passes on the output of one command.
type following struct {
	hear func(part string)

	mu    sync.Mutex
	part  []byte
	left  int         // bytes that may still be passed on
	timer *time.Timer // of the next part; nil: no output since the last one
	ended bool
}

// Followed returns writers that write to to and also pass the output on to the follower of ctx,
// and end, which must be called when the call ends. Without a follower it returns to, and an end
// that does nothing.
func Followed(ctx context.Context, to ...io.Writer) (writers []io.Writer, end func()) {
	f := followed(ctx)
	if f == nil {
		return to, func() {}
	}
	for _, w := range to {
		writers = append(writers, io.MultiWriter(w, f))
	}
	return writers, f.end
}

// followed returns what passes on output in ctx, or nil if nobody follows.
func followed(ctx context.Context) *following {
	hear, ok := ctx.Value(followKey{}).(func(string))
	if !ok {
		return nil
	}
	return &following{hear: hear, left: followBytesMax}
}

// Write takes all of p. It never waits for the follower.
func (f *following) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.left == 0 {
		return len(p), nil
	}
	f.part = append(f.part, p[max(0, len(p)-followPartMax):]...)
	if over := len(f.part) - followPartMax; over > 0 {
		f.part = append(f.part[:0], f.part[over:]...)
	}
	if f.timer == nil {
		f.timer = time.AfterFunc(followEvery, f.pass)
	}
	return len(p), nil
}

// pass passes on the output so far, in whole characters.
func (f *following) pass() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer = nil
	if f.ended || f.left == 0 {
		return
	}
	head, _ := whole(f.part[:min(len(f.part), f.left)], nil)
	rest := f.part[len(head):]
	if len(head) == f.left || len(rest) >= utf8.UTFMax {
		f.left, rest = 0, nil
	} else {
		f.left -= len(head)
	}
	if len(head) > 0 {
		f.hear(Mend(string(head)))
	}
	f.part = append([]byte(nil), rest...)
	if f.left == 0 {
		f.hear("[what follows is in the result]\n")
	}
}

// end stops passing on output: the result has the rest.
func (f *following) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	if f.timer != nil {
		f.timer.Stop()
	}
}
