package comm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm/position"
	"shelly/runtime/failpoint"
)

const eventStream = "text/event-stream"

// EndError is the name of the event that says in a [ProblemBody] why a stream ends before its time.
const EndError = "error"

// stream takes one of the bounded places for a stream or a wait. If none is free it waits a
// little: a low limit on open files leaves few.
func (h *HTTP) stream(ctx context.Context) (release func(), err error) {
	release = func() { <-h.streams }
	select {
	case h.streams <- struct{}{}:
		return release, nil
	default:
	}
	patience := time.NewTimer(h.o.StreamWait)
	defer patience.Stop()
	select {
	case h.streams <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
		h.o.Counters.refused.Add(1)
		return nil, busyListening("streams")
	}
}

// heard reads how far a client has followed a request (COM-90); nil: it does not say.
func heard(r *http.Request) (*position.Position, error) {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	if text == "" {
		return nil, nil
	}
	p, err := position.Parse(text)
	if err != nil {
		return nil, badRequest(err.Error(), "send the id of the last event that was received")
	}
	return &p, nil
}

// placesKey is the context key of a request's listener.
type placesKey struct{}

// Place takes one of the listener's bounded places for a stream or a wait, for routes of other
// packages.
func Place(ctx context.Context) (release func(), err error) {
	h, ok := ctx.Value(placesKey{}).(*HTTP)
	if !ok { // not a request of a listener
		return func() {}, nil
	}
	return h.stream(ctx)
}

// Misread counts a message of a caller if its problem is that it could not be read, for those
// that have no answer of their own over HTTP.
func Misread(ctx context.Context, p *Problem) {
	if c := CallerOf(ctx).counters; c != nil {
		c.misread(p.Code.Status())
	}
}

// streamEvents writes first, then the request's events until its reply
// (COM-4). A stream that ends without a reply means that the client should attach again.
func (h *HTTP) streamEvents(w http.ResponseWriter, r *http.Request, key fsm.RequestKey, after *position.Position, first ...Event) {
	s, ticks, stop, err := h.begin(w)
	defer stop()
	if err != nil {
		return
	}
	for _, e := range first {
		if err := s.event(e); err != nil {
			return
		}
	}
	replied, err := follow(r.Context(), h.front, key, after, pulse{ticks, s.beat}, s.event)
	if !replied {
		s.ended(r.Context())
	}
	if err != nil && r.Context().Err() == nil {
		h.o.Log.Debug("a stream has ended before its reply", "error", err)
	}
}

// begin begins an SSE stream with its heartbeat, which stop ends. The stream's end is written after that.
func (h *HTTP) begin(w http.ResponseWriter) (s eventWriter, ticks <-chan time.Time, stop func(), err error) {
	w.Header().Set("Content-Type", eventStream)
	s = eventWriter{w: w, rc: http.NewResponseController(w), timeout: h.o.WriteTimeout}
	ticks, beats := h.o.Heartbeat()
	stop = func() {
		beats()
		_ = s.extend() // the time of the last write may be over
	}
	return s, ticks, stop, s.write(": stream\n\n")
}

// eventWriter writes an SSE stream. Each write has its own deadline, so that a
// client that does not read is dropped.
type eventWriter struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
}

// event writes e. JSON has no raw line ends, so nothing in a text can end the
// data line and forge an event.
func (s eventWriter) event(e Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	if e.Type == EventReply {
		failpoint.Hit(failpoint.HTTPReplyBefore)
		defer failpoint.Hit(failpoint.HTTPReplyAfter)
	}
	return s.write(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", e.At, e.Type, data))
}

// ended writes why a stream ends before its time, if its client can be told (COM-88).
func (s eventWriter) ended(ctx context.Context) {
	p, is := errors.AsType[*Problem](Ended(ctx, nil))
	if !is {
		return
	}
	if data, err := json.Marshal(ProblemBody{*p}); err == nil {
		_ = s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", EndError, data)) // the connection ends anyway
	}
}

func (s eventWriter) beat() error { return s.write(": still here\n\n") }

func (s eventWriter) extend() error { return s.rc.SetWriteDeadline(time.Now().Add(s.timeout)) }

func (s eventWriter) write(text string) error {
	if err := s.extend(); err != nil {
		return fmt.Errorf("set a write deadline: %w", err)
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.rc.Flush()
}

const again = "trying again in "

// Again says in how many seconds something is tried again.
func Again(in fsm.Millis) string {
	return fmt.Sprintf("%s%d s", again, max((in+fsm.Second-1)/fsm.Second, 1))
}

// span formats a duration, rounded up: a wait of hours is not counted in seconds.
func span(d fsm.Millis) string {
	count, unit := fsm.Second, "s"
	switch minute := 60 * fsm.Second; {
	case d > 120*minute:
		count, unit = 60*minute, "h"
	case d > 2*minute:
		count, unit = minute, "min"
	}
	return fmt.Sprintf("%d %s", (d+count-1)/count, unit)
}

// Waits returns what an answer waits for at a time: the seconds until the model is asked again, which
// text says as [Again] does, are the time that is left (COM-29), but never more than text says: a clock may
// have been set back since, or be that of another machine. At 0 it is not known when that is.
func Waits(text string, at, now fsm.Millis) string {
	i := strings.LastIndex(text, again)
	if at == 0 || i < 0 {
		return text
	}
	said, rest, _ := strings.Cut(text[i+len(again):], " s")
	if at <= now {
		return text[:i] + "trying again now" + rest
	}
	left := at - now
	if most, err := strconv.ParseInt(said, 10, 32); err == nil {
		left = min(left, fsm.Millis(most)*fsm.Second)
	}
	return text[:i] + again + span(left) + rest
}
