package chat

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/chat/talk"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/session"
)

// Whoever presses ^C twice leaves, and the request is cancelled all the same.
func TestCLI212ALeavingChatDeliversItsCancel(t *testing.T) {
	for name, answers := range map[string]bool{"a daemon that answers": true, "a daemon that answers never": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(config.Config{Data: t.TempDir()}, &Command{}, fsm.Origin{}, terminal.Shell(nil))
				began := time.Now()
				d.cancels.Add(1)
				go func() {
					defer d.cancels.Done()
					synctest.Wait() // whatever else can happen has happened
					if d.ctx.Err() != nil {
						t.Error("the chat has given the cancel up")
					}
					if !answers {
						<-d.ctx.Done()
					}
				}()
				if d.leave(); d.ctx.Err() == nil {
					t.Error("the chat has not ended")
				}
				if waited := time.Since(began); answers != (waited == 0) || waited > time.Second {
					t.Errorf("left after %v", waited)
				}
			})
		})
	}
}

// A cancel that cannot be delivered keeps nobody.
func TestCLI212ACancelWithoutADaemonIsOver(t *testing.T) {
	d := newDesk(config.Config{Data: t.TempDir()}, &Command{}, fsm.Origin{}, terminal.Shell(nil))
	d.start(talk.Cancel{ID: "one"})
	if told, ok := (<-d.msgs).(talk.Cancelled); !ok || told.Err == nil {
		t.Errorf("%+v, want a cancel that failed", told)
	}
	d.cancels.Wait()
	d.leave()
}

// What waits for a person in another session is not said to run.
func TestCLI155StopSaysWhatOtherSessionsAreAt(t *testing.T) {
	status := comm.Status{
		Active: []comm.Active{
			{Handle: 1, Kind: fsm.KindUser, Session: "own", Request: "a"},
			{Handle: 2, Kind: fsm.KindUser, Session: "other", Request: "b"},
			{Handle: 3, Kind: fsm.KindUser, Session: "other", Request: "c", Asks: &comm.Ask{Handle: 3}},
		},
		Queue: []comm.Queued{{Handle: 4, Kind: fsm.KindUser, Session: "other"}},
	}
	want := []string{
		"  user in other, runs: /request cancel b", "  user in other, asks a person: /request cancel c", "  user in other, waits: /request cancel h4",
	}
	if diff := cmp.Diff(want, elsewhere(&status, "own")); diff != "" {
		t.Error(diff)
	}
}

// The daemon gives long messages a few at a time.
func TestCLI150TheLatestMessagesAreShownAfterLongOnes(t *testing.T) {
	gives := func(most int) func(uint64, int) ([]session.Archived, error) {
		return func(after uint64, limit int) (list []session.Archived, err error) {
			for n := after + 1; n <= min(after+uint64(min(most, limit)), 30); n++ {
				list = append(list, session.Archived{Number: n})
			}
			return list, nil
		}
	}
	for _, c := range []struct {
		most  int
		last  uint64
		count int
	}{{1, 30, 20}, {7, 30, 20}, {100, 30, 20}, {7, 40, 20}, {0, 30, 0}} {
		got, err := archived(10, c.last, gives(c.most))
		if err != nil || len(got) != c.count || c.count > 0 && got[len(got)-1].Number != 30 {
			t.Errorf("%+v: got %d messages, %+v, %v", c, len(got), got, err)
		}
	}
	wrong := errors.New("it is gone")
	if _, err := archived(0, 1, func(uint64, int) ([]session.Archived, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("got %v, want %v", err, wrong)
	}
}

// What a client with a token of its own asks in the session is followed, and cancelled, as that client's.
func TestCLI216AClientsRequestIsAskedForAsTheClients(t *testing.T) {
	data, token := t.TempDir(), strings.Repeat("a", 64)
	asked, cancelled := make(chan string, 2), make(chan struct{})
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/v1/proof":
			fmt.Fprintf(w, `{"proof": %q}`, comm.Proof(token, r.Host, r.FormValue("challenge")))
		case path == "/v1/status":
			_, _ = io.WriteString(w, `{"journal": {"last": 5}}`)
		case path == "/v1/requests":
			_, _ = io.WriteString(w, `{"requests": [{"id": "job", "channel": "http", "client": "ci", "handle": 3, "index": 4}]}`)
		default:
			asked <- path + " of " + r.FormValue("client")
			if strings.HasSuffix(path, "/events") {
				<-cancelled // it goes on until then
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error": {"code": "not_found", "message": "none"}}`)
		}
	}))
	defer daemon.Close()
	err := errors.Join(os.WriteFile(filepath.Join(data, "token"), []byte(token), 0o600), client.WriteEndpoint(data, client.Endpoint{HTTP: daemon.Listener.Addr().String(), PID: os.Getpid()}))
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(config.Config{Data: data}, &Command{}, fsm.Origin{}, terminal.Shell(nil))
	defer d.leave()
	go d.meet(d.ctx, "client:ci/direct", &seen{})
	if told, ok := (<-d.msgs).(talk.Going); !ok || told.ID != "job" {
		t.Errorf("got %+v; want a request that goes on", told)
	}
	if got, want := <-asked, "/v1/requests/job/events of ci"; got != want {
		t.Errorf("followed %s; want %s", got, want)
	}
	d.start(talk.Cancel{ID: "job"})
	if got, want := <-asked, "/v1/requests/job/cancel of ci"; got != want {
		t.Errorf("cancelled %s; want %s", got, want)
	}
	close(cancelled)
	<-d.msgs
	<-d.msgs
}
