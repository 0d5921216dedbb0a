package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"shelly/runtime/comm/client"
)

// A client that resumes names the position of the last event that it got, and a client that
// keeps getting more does not use up its tries (FRT-50).
func TestCOM90AClientThatResumesSaysHowFarItHasHeard(t *testing.T) {
	d := newDaemon(t)
	var asked []string
	d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String())
		w.Header().Set("Content-Type", "text/event-stream")
		switch n := len(asked); {
		case n == 1:
			fmt.Fprint(w, ": stream\n\n") // cut before it was accepted
		case n == 2:
			fmt.Fprint(w, "id: 0.0.0.0.0.0.0\nevent: accepted\ndata: {\"type\":\"accepted\"}\n\nid: 1.1.0.0.7.2.0\ndata: {\"type\":\"chunk\",\"text\":\"It\"}\n\n")
		case n < 2*client.TriesMax:
			fmt.Fprintf(w, "id: 1.%d.0.0.7.2.0\ndata: {\"type\":\"state\"}\n\n", n)
		default:
			fmt.Fprint(w, "id: 2.1.0.0.0.0.0\ndata: {\"type\":\"reply\",\"text\":\"It is.\"}\n\n")
		}
	})
	d.onWait = nil
	d.client = client.New(d.dir, client.Options{Beginning: true, Pause: d.pause})
	a := d.ask(hello)
	if a.all(); a.err != nil || a.reply.Text != "It is." {
		t.Errorf("got %+v, %v; want Text %q", a.reply, a.err, "It is.")
	}
	want := []string{
		"POST /v1/requests?after=0.0.0.0.0.0.0&stream=1", "POST /v1/requests?after=0.0.0.0.0.0.0&stream=1",
		"GET /v1/requests/m1/events?after=1.1.0.0.7.2.0", "GET /v1/requests/m1/events?after=1.3.0.0.7.2.0",
	}
	same(t, want, asked[:min(len(asked), len(want))])
}
