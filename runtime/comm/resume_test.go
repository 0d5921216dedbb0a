package comm_test

import (
	"net/http"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

// A request that has ended before its sender listens, and whose course is no longer in memory, is
// repeated from the journal; one that was sent before is shown as it stands.
func TestCOM4WhoSendsARequestHearsOfItFromItsBeginning(t *testing.T) {
	s := serveHTTP(t, nil)
	for n := range 2 { // the second is no new one
		eventsOf(t, s.start(call{method: "POST", path: "/v1/requests?stream=1", body: good})).next()
		s.await(func(seen fronttest.Seen) bool { return seen.Watching == n+1 })
	}
	if got := s.front.Seen().Begun; got != 1 {
		t.Errorf("%d are told from the beginning", got)
	}
}

func TestCOM90AStreamGoesOnFromThePositionThatItsClientShows(t *testing.T) {
	s := serveHTTP(t, nil)
	const at, says = "3.7.12.1.4.120.30", "after 3.7.12.1.4.120.30"
	s.start(post(good))
	for name, c := range map[string]call{
		"a header":        with(call{method: "GET", path: "/v1/requests/m1/events"}, "Last-Event-ID", at),
		"a parameter":     {method: "GET", path: "/v1/requests/m1/events?after=" + at},
		"a second POST":   with(call{method: "POST", path: "/v1/requests?stream=1", body: good}, "Last-Event-ID", at),
		"a POST's after=": {method: "POST", path: "/v1/requests?stream=1&after=" + at, body: good},
	} {
		stream, told := eventsOf(t, s.start(c)), false
		for !told {
			e, ok := stream.next()
			if !ok {
				t.Fatalf("%s: the stream has ended", name)
			}
			if e.Type == comm.EventAccepted && e.At.String() != at {
				t.Errorf("%s: the stream began again at %s", name, e.At)
			}
			told = e.Text == says && e.At.String() == at
		}
	}
	for _, wrong := range []string{"12", "3.7.12.1.4.120.x", "3.7.12.1.4.120.30.1", "-3.7.12.1.4.120.30"} {
		for _, c := range []call{
			with(call{method: "GET", path: "/v1/requests/m1/events"}, "Last-Event-ID", wrong), {method: "POST", path: "/v1/requests?stream=1&after=" + wrong, body: good},
		} {
			if r := s.start(c); r.StatusCode != http.StatusBadRequest {
				t.Errorf("%q: status %d", wrong, r.StatusCode)
			}
		}
	}
}
