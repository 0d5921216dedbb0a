package lockstep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/sim/script"
)

// streams records how the pieces that the client passed on differ from those of the line, which
// the server has sent over the socket (SCN-27).
func (l *live) streams(ask fsm.AskBrain, line script.Line, seen []script.Piece) {
	want := line.Pieces(ask)
	if line.Stream == nil || l.stream != "" || slices.Equal(want, seen) {
		return
	}
	l.stream = fmt.Sprintf("the pieces of the answer to call %d, for %s\n  - simulated %+q\n  + runtime   %+q", ask.Call, ask.Purpose, want, seen)
}

// clientFor returns the client to ask: one that fails as the line says if the failure is not the
// server's, else the usual one.
func (l *live) clientFor(line script.Line) (*ollama.Client, error) {
	asking := l.asking
	switch {
	case line.Fails == fsm.BrainUnreachable:
		return l.absent, nil
	case line.Fails == fsm.BrainLoading:
		return l.hasty, nil
	case line.Fails == fsm.BrainTimeout && line.Stream != nil:
		asking.Timeouts.Total = patience
		return ollama.New(asking)
	case line.Fails == fsm.BrainTimeout:
		return l.restless, nil
	case line.Fails == fsm.BrainContextTruncated && line.Tokens.Prompt > 0:
		asking.NumCtx = line.Tokens.Prompt // so the count that the server reports fills the window
		return ollama.New(asking)
	default:
		return l.client, nil
	}
}

// patience is how long a client waits for an answer that never ends if it must receive the whole
// stream before it times out.
const patience = time.Second

// hang asks a server that sends no more than the pieces of the line's stream. The call lives
// until the next one hangs, the process crashes, or the run is over; a call that is cancelled
// ends once it has its pieces.
func (l *live) hang(ask fsm.AskBrain, line script.Line) (fsm.Fact, error) {
	l.mu.Lock()
	heard := l.heard
	l.mu.Unlock()
	_ = l.hangs()
	want := line.Pieces(ask)
	pieces := make(chan script.Piece, len(want)+1) // one piece too many is enough to see the difference
	done := l.call(ask, pieces)
	select {
	case <-heard:
	case <-done:
		return nil, errEnded
	}
	if err := l.alike(); err != nil {
		return nil, err
	}
	var seen []script.Piece
	guard := time.After(callTimeout)
	for wait := true; wait && len(seen) < len(want); {
		select {
		case p := <-pieces:
			seen = append(seen, p)
		case <-done:
			return nil, errEnded
		case <-guard:
			wait = false
		}
	}
	l.streams(ask, line, seen)
	if !line.Hangs {
		return l.cancelled(ask, line)
	}
	return nil, nil
}

var errEnded = errors.New("a call that should hang ended")

// call asks the real client in a goroutine. The channel is closed when the call has ended.
func (l *live) call(ask fsm.AskBrain, pieces chan<- script.Piece) <-chan struct{} {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		_, err = l.client.Chat(ctx, ask, l.offered(ask), func(c ollama.Chunk) {
			if c.Stage != "" {
				return
			}
			select {
			case pieces <- script.Piece{Thinking: c.Thinking, Text: c.Text}:
			default:
			}
		})
	}()
	l.hangs = func() error {
		cancel()
		<-done
		l.hangs = noCall
		return err
	}
	return done
}

// noCall replaces the end of a hanging call if there is none.
func noCall() error { return nil }

// cancelled gives up the hanging call.
func (l *live) cancelled(ask fsm.AskBrain, line script.Line) (fsm.Fact, error) {
	var typed *ollama.Error
	if err := l.hangs(); !errors.As(err, &typed) {
		return nil, fmt.Errorf("a call that was given up ended with %w", err)
	}
	return failed(ask, line, typed), nil
}
