//go:build failpoint

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/ws"
	"shelly/runtime/mock"
	"shelly/runtime/store"
)

var (
	loadSessions = flag.Int("load-sessions", 50, "sessions at once under load")
	loadRequests = flag.Int("load-requests", 3, "requests of each, one after the other")
)

// asWait is a client of shelly's own that waits for the reply in one answer.
const asWait killAs = "wait"

// loadSocketSessions is how many sessions share a WebSocket.
const loadSocketSessions = 25

// load is many sessions at once with a daemon that is killed on the way.
type load struct {
	*killed
	kinds []killAs

	mu    sync.Mutex
	took  map[killAs][]time.Duration // from the first try to the reply
	left  int                        // replies until the kill
	kills chan struct{}              // closed then
}

// Many sessions talk at once, by waiting, streams of events, WebSockets, datagrams and OpenAI's
// API; in the middle the daemon is killed with SIGKILL and started again. Each request is
// accepted once, answered once with the reply that its client has, and has done what it does
// once (COM-2, COM-5, COM-90, COM-93, FRT-7, JRN-9, JRN-10). How long replies take is said and
// not judged.
func TestKilledUnderLoadNothingIsLostOrDoneTwice(t *testing.T) {
	l := &load{
		killed: newKilled(t, "--profile", "default", "--brain", "ollama", "--set", "switches.remember=off", "--set", "limits.max_active=8", "--set", "limits.max_queue=2000"),
		kinds:  []killAs{asWait, asStream, asSocket, asShelly, asChat},
		took:   map[killAs][]time.Duration{}, kills: make(chan struct{}),
	}
	l.env = []string{"OLLAMA_HOST=" + serveMock(t, loadBrain{})}
	ctx, cancel := context.WithTimeout(context.Background(), 5*guard)
	defer cancel()
	talks := l.sessions()
	requests := slices.Concat(talks...)
	l.left = len(requests) / 2
	began := time.Now()
	process := l.start()
	done := l.begin(ctx, talks)
	select {
	case <-l.kills:
	case err := <-done:
		t.Fatalf("before the kill: %v\n%s", err, process.log.text())
	}
	process.kill()
	process = l.start()
	if err := <-done; err != nil {
		t.Fatalf("%v\n%.3000s", err, process.log.text())
	}
	took := time.Since(began)
	l.sample(ctx, requests)
	for _, line := range strings.Split(process.log.text(), "\n") {
		if strings.Contains(line, "is not told") {
			l.t.Error(line)
		}
	}
	l.stop(process)
	l.holds(requests)
	t.Logf("%d sessions, %d requests, one kill: %.1fs, %.0f requests/s\n%s", len(talks), len(requests), took.Seconds(), float64(len(requests))/took.Seconds(), l)
}

// sessions are conversations of clients of each kind, in turn.
func (l *load) sessions() (talks [][]*killAsk) {
	for n := range *loadSessions {
		as := l.kinds[n%len(l.kinds)]
		var talk []*killAsk
		for m := range *loadRequests {
			id := fmt.Sprintf("q%dx%d", n, m)
			talk = append(talk, &killAsk{id: id, session: fmt.Sprint("s", n), text: "tell " + id, as: as, udp: as == asShelly})
		}
		talks = append(talks, talk)
	}
	return talks
}

// begin has all conversations at once. The first error ends them.
func (l *load) begin(ctx context.Context, talks [][]*killAsk) <-chan error {
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	var shared [][]*killAsk
	for _, talk := range talks {
		if talk[0].as == asSocket {
			shared = append(shared, talk)
			continue
		}
		running.Go(func() {
			for _, a := range talk {
				began := time.Now()
				if err := l.insist(ctx, func(now life) error { return l.askLoad(ctx, now, a) }); err != nil {
					cancel(fmt.Errorf("request %s: %w", a.id, err))
					return
				}
				l.replied(a, began)
			}
		})
	}
	for talks := range slices.Chunk(shared, loadSocketSessions) {
		s := &loadSocket{load: l, talks: talks, began: map[string]time.Time{}}
		running.Go(func() {
			if err := l.insist(ctx, func(now life) error { return s.attach(ctx, now) }); err != nil {
				cancel(fmt.Errorf("a WebSocket: %w", err))
			}
		})
	}
	done := make(chan error, 1)
	go func() {
		running.Wait()
		done <- context.Cause(ctx)
		cancel(nil)
	}()
	return done
}

// insist tries again until it has worked: in a moment, as a client does that is told to come
// later, or whose daemon is gone.
func (l *load) insist(ctx context.Context, try func(life) error) error {
	for {
		now, err := l.await(ctx, 0)
		if err != nil {
			return err
		}
		if try(now) == nil {
			return nil
		}
		select {
		case <-time.After(5 * resendAfter):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *load) askLoad(ctx context.Context, now life, a *killAsk) error {
	if a.as == asWait {
		return a.overWait(ctx, l.data, now)
	}
	return l.askOf(ctx, now, a)
}

// overWait waits for the reply in one answer.
func (a *killAsk) overWait(ctx context.Context, data string, l life) error {
	at, err := client.ReadEndpoint(data)
	if err != nil {
		return errKilled
	}
	body, err := json.Marshal(client.AskRequest{ID: a.id, Session: a.session, Text: a.text})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at.HTTP+"/v1/requests?wait=1", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return errKilled
	}
	defer func() { _ = resp.Body.Close() }()
	var record comm.Record
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&record) != nil {
		return errKilled
	}
	a.reply = record.Reply
	return nil
}

// replied counts a reply.
func (l *load) replied(a *killAsk, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := cmp.Or(a.as, "datagram")
	l.took[kind] = append(l.took[kind], time.Since(began))
	if l.left--; l.left == 0 {
		close(l.kills)
	}
}

// loadSocket is a WebSocket with many sessions.
type loadSocket struct {
	*load
	talks [][]*killAsk // what is unanswered
	began map[string]time.Time
}

// attach goes on with all of them over one connection.
func (s *loadSocket) attach(ctx context.Context, now life) error {
	at, err := client.ReadEndpoint(s.data)
	if err != nil {
		return errKilled
	}
	conn, _, err := websocket.Dial(ctx, "ws://"+at.HTTP+ws.Route, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + now.token}}})
	if err != nil {
		return errKilled
	}
	defer func() { _ = conn.CloseNow() }()
	for _, talk := range s.talks {
		if err := s.ask(ctx, conn, talk[0]); err != nil {
			return err
		}
	}
	for len(s.talks) > 0 {
		_, data, err := conn.Read(ctx)
		var e ws.Event
		if err != nil || json.Unmarshal(data, &e) != nil || e.Type == "error" {
			return errKilled
		}
		n := slices.IndexFunc(s.talks, func(talk []*killAsk) bool { return talk[0].id == e.ID })
		if n < 0 || !s.talks[n][0].takes(e.Event, e.At) {
			continue
		}
		s.replied(s.talks[n][0], s.began[e.ID])
		if s.talks[n] = s.talks[n][1:]; len(s.talks[n]) == 0 {
			s.talks = slices.Delete(s.talks, n, n+1)
		} else if err := s.ask(ctx, conn, s.talks[n][0]); err != nil {
			return err
		}
	}
	return nil
}

// ask asks, or goes on hearing.
func (s *loadSocket) ask(ctx context.Context, conn *websocket.Conn, a *killAsk) error {
	if _, asked := s.began[a.id]; !asked {
		s.began[a.id] = time.Now()
	}
	a.ears.comes()
	text, err := json.Marshal(map[string]string{"type": "ask", "id": a.id, "session": a.session, "text": a.text, "after": a.ears.place()})
	if err != nil {
		return err
	}
	if conn.Write(ctx, websocket.MessageText, text) != nil {
		return errKilled
	}
	return nil
}

// sample holds what some clients have heard in parts against all of it.
func (l *load) sample(ctx context.Context, requests []*killAsk) {
	l.t.Helper()
	cut := slices.DeleteFunc(slices.Clone(requests), func(a *killAsk) bool { return len(a.ears.parts) < 2 })
	var running sync.WaitGroup
	for _, a := range cut[:min(len(cut), 100)] {
		running.Go(func() { // at once: the journal is folded for all of them
			other := *a
			other.ears = killEars{}
			// A connection that is idle may be closed as it is used again, to make room.
			err := l.insist(ctx, func(now life) error { return l.askOf(ctx, now, &other) })
			if err != nil || other.reply != a.reply {
				l.t.Errorf("request %s asked again: %q, %v; the reply was %q", a.id, other.reply, err, a.reply)
			}
			a.checkHeard(l.t, other.ears)
		})
	}
	running.Wait()
	l.t.Logf("%d streams were cut", len(cut))
}

// holds looks into what is kept: nothing is lost, nothing is done twice.
func (l *load) holds(requests []*killAsk) {
	l.t.Helper()
	s, err := store.Open(filepath.Join(l.data, "store"), store.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	l.checkRequests(s, requests)
	l.checkTold(requests)
	sent := map[string]int{}
	for after := uint64(0); ; {
		page, err := s.Messages(fsm.Origin{Channel: "desk", Chat: "one"}, after, engine.ReadMax)
		if err != nil || len(page) == 0 {
			break
		}
		for _, m := range page {
			sent[m.Text]++
			after = m.Position
		}
	}
	for _, a := range requests {
		if n := sent["news of "+a.id]; n != 1 || a.reply != "told "+a.id || len(a.ears.wrong) > 0 {
			l.t.Errorf("request %s: sent its message %d times, replied %q, %v", a.id, n, a.reply, a.ears.wrong)
		}
	}
	if err := s.Close(); err != nil {
		l.t.Error(err)
	}
}

// String is how long replies took.
func (l *load) String() string {
	var b strings.Builder
	say := func(name string, took []time.Duration) {
		slices.Sort(took)
		at := func(percent int) time.Duration {
			return took[min(len(took)-1, len(took)*percent/100)].Round(time.Millisecond)
		}
		fmt.Fprintf(&b, "%-10s %5d replies: p50 %v, p99 %v, most %v\n", name, len(took), at(50), at(99), at(100))
	}
	say("all", slices.Concat(slices.Collect(maps.Values(l.took))...)) // order-free: they are sorted
	for _, kind := range slices.Sorted(maps.Keys(l.took)) {
		say(string(kind), l.took[kind])
	}
	return b.String()
}

// loadBrain writes to a chat once, and then says so.
type loadBrain struct{}

func (loadBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	_, id, results, _ := killStanding(q.Messages)
	if len(results) == 0 {
		return killCall("message", fmt.Sprintf(`{"content":"news of %s","channel":"desk","chat_id":"one"}`, id)), nil
	}
	return mock.Answer{Text: "told " + id}, nil
}
