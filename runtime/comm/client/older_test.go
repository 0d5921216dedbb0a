package client_test

import (
	"net/http"
	"slices"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// A daemon that was started before the program was replaced does not know the newer parameters.
func TestCOM105AnOlderDaemonIsAskedForWhatItKnows(t *testing.T) {
	d := newDaemon(t)
	var asked []string
	d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
		known := []string{"before", "limit", "state", "id", "prefix", "session", "client"}
		body := `{"requests":[{"id":"c","index":9},{"id":"b","index":5},{"id":"a","index":4}],"next":4}`
		if r.URL.Path == "/v1/memory" {
			known, body = []string{"limit", "session", "kind", "since", "before"}, `{"entries":[{"id":"m1"}]}`
		}
		asked = append(asked, r.URL.Path)
		if err := comm.Query(r, known...); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			body = `{"error":{"code":"bad_request","message":"unknown query parameter"}}`
		}
		_, _ = w.Write([]byte(body))
	})
	entries, err := d.client.Memory().List(t.Context(), memory.Filter{}, 0, 10)
	if err != nil || len(entries.Entries) != 1 {
		t.Errorf("the memory: %+v, %v", entries, err)
	}
	list, err := d.client.Requests(t.Context(), comm.Wanted{Before: 100, After: 5, Limit: 10})
	if err != nil || len(list.Requests) != 1 || list.Requests[0].ID != "c" || list.Next != 0 {
		t.Errorf("the requests: %+v, %v; want those after record 5", list, err)
	}
	if want := []string{"/v1/memory", "/v1/requests", "/v1/requests"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}
