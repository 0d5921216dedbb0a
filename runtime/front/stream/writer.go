package stream

import (
	"context"
	"net/http"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// Options sets the bounds of writing answers. The zero value has the listener's bounds.
type Options struct {
	WriteTimeout time.Duration // for one write; 0: 10 s
	// Heartbeat starts a stream's ticker and returns its ticks and how to stop it; nil: one
	// each [comm.HeartbeatEvery].
	Heartbeat func() (ticks <-chan time.Time, stop func())
}

func (o Options) withDefaults() Options {
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.Heartbeat == nil {
		o.Heartbeat = func() (<-chan time.Time, func()) {
			t := time.NewTicker(comm.HeartbeatEvery)
			return t.C, t.Stop
		}
	}
	return o
}

// Writer writes an answer piece by piece. Each write has its own deadline, so that a client
// that does not read is dropped.
type Writer struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	o    Options
	tick <-chan time.Time
	stop func()
}

// Begin begins an answer that is written while it is made.
func Begin(w http.ResponseWriter, o Options, media string) *Writer {
	w.Header().Set("Content-Type", media)
	o = o.withDefaults()
	s := &Writer{w: w, rc: http.NewResponseController(w), o: o}
	s.tick, s.stop = o.Heartbeat()
	return s
}

// End stops the heartbeat.
func (s *Writer) End() { s.stop() }

// Write writes a piece and sends it off.
func (s *Writer) Write(piece []byte) error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(s.o.WriteTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(piece); err != nil {
		return err
	}
	return s.rc.Flush()
}

// Follow calls each with the events of a request after a position (nil: those from now on) up to
// its reply, and writes a beat at each tick. Without a reply the error is that of [comm.Ended].
func (s *Writer) Follow(ctx context.Context, front comm.Front, key fsm.RequestKey, after *position.Position, beat []byte, each func(comm.Event) error) (replied bool, err error) {
	replied, err = comm.Attend(ctx, front, key, after, s.tick, func() error { return s.Write(beat) }, each)
	if !replied {
		err = comm.Ended(ctx, err)
	}
	return replied, err
}

// Wait waits for a request's reply, for an answer that is written as a whole, and calls each with
// the events after a position (nil: those from now on). Its error is that of Follow.
func Wait(ctx context.Context, w http.ResponseWriter, front comm.Front, key fsm.RequestKey, after *position.Position, o Options, each func(comm.Event)) (reply comm.Event, replied bool, err error) {
	replied, err = comm.Attend(ctx, front, key, after, nil, nil, func(e comm.Event) error {
		each(e)
		if e.Type == comm.EventReply {
			reply = e
		}
		return nil
	})
	if !replied {
		err = comm.Ended(ctx, err)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(o.withDefaults().WriteTimeout))
	return reply, replied, err
}
