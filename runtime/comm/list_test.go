package comm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// listed has requests a to g in the order of their acceptance, in each of the states.
func listed(t *testing.T) *site {
	t.Helper()
	s := serveHTTP(t, nil)
	j := engine.NewMemoryJournal()
	s.front.Record(j)
	for i, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		r := engine.Request{Key: httpKey(id), Index: uint64(i + 1), Handle: fsm.HandleID(i + 1), Text: "hello", Accepted: 1}
		r.Done, r.IsError = id == "a" || id == "b", id == "b"
		if err := j.Append(engine.Batch{Requests: []engine.Request{r}}, true); err != nil {
			t.Fatal(err)
		}
	}
	s.front.Stand(
		comm.Standing{Handle: 1, Phase: fsm.Summarizing}, // done, and writing memory
		comm.Standing{Handle: 3, Phase: fsm.Parked, Asks: &comm.Ask{Question: fsm.QuestionCrashes, Handle: 3, Key: "h3"}},
		comm.Standing{Handle: 4, Phase: fsm.Parked}, comm.Standing{Handle: 5, Phase: fsm.Queued},
		comm.Standing{Handle: 6, Phase: fsm.Execution, Inference: fsm.Acting, Label: "ACTING"},
		comm.Standing{Handle: 7, Phase: fsm.Approving, Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 7, Key: "h7.1", Tool: "exec", Args: "{}"}},
	)
	return s
}

func TestCOM15RequestsAreListedTheLatestFirst(t *testing.T) {
	s := listed(t)
	for query, want := range map[string]string{
		"":                       "g f e d c b a",
		"?before=4":              "c b a",
		"?before=4&limit=2":      "c b +2",
		"?before=1":              "",
		"?state=held":            "g c",
		"?state=parked":          "d",
		"?state=waiting":         "e",
		"?state=active":          "f",
		"?state=done":            "a",
		"?state=failed":          "b",
		"?state=held&limit=1":    "g +7",
		"?id=c":                  "c",
		"?id=c&state=done":       "",
		"?before=2&limit=100000": "a",
	} {
		var body comm.RequestsBody
		s.do(call{method: "GET", path: "/v1/requests" + query}, &body)
		var got []string
		for _, r := range body.Requests {
			got = append(got, r.ID)
		}
		if body.Next != 0 {
			got = append(got, "+"+string(rune('0'+body.Next)))
		}
		if text := strings.Join(got, " "); text != want || body.Requests == nil {
			t.Errorf("%s: %s, want %s", query, text, want)
		}
	}
}

// Of an unfinished request it is told where it stands, in a list and by itself.
func TestCOM15ARecordSaysWhereItsHandleStands(t *testing.T) {
	s := listed(t)
	var body comm.RequestsBody
	s.do(call{method: "GET", path: "/v1/requests?id=g"}, &body)
	want := comm.Record{
		ID: "g", Channel: "http", Index: 7, Handle: 7, State: "accepted", Text: "hello", Accepted: 1, Phase: fsm.Approving,
		Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 7, Key: "h7.1", Tool: "exec", Args: "{}"},
	}
	if diff := cmp.Diff([]comm.Record{want}, body.Requests); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.do(post(good), &comm.Receipt{})
	s.front.Stand(comm.Standing{Handle: 1, Phase: fsm.Execution, Inference: fsm.Acting, Label: "ACTING"})
	var record comm.Record
	s.do(call{method: "GET", path: "/v1/requests/m1"}, &record)
	if record.Phase != fsm.Execution || record.Inference != fsm.Acting || record.Label != "ACTING" || record.Stands() != comm.StandsActive {
		t.Errorf("%+v", record)
	}
}

// One answer looks at so many requests, and says where to go on.
func TestCOM15ALongSearchIsDoneInParts(t *testing.T) {
	s := serveHTTP(t, nil)
	j := engine.NewMemoryJournal()
	s.front.Record(j)
	const all = 5000
	var b engine.Batch
	for i := range uint64(all) {
		r := engine.Request{Key: httpKey("m"), Index: i + 1}
		r.Key.Channel, r.Key.ID = "c"+strings.Repeat("x", int(i%7)), string(rune('a'+i%26))+strings.Repeat("y", int(i/26))
		b.Requests = append(b.Requests, r)
	}
	b.Requests[0].Key.ID = "first"
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	var body comm.RequestsBody
	s.do(call{method: "GET", path: "/v1/requests?id=first"}, &body)
	if len(body.Requests) != 0 || body.Next != all-4096+1 {
		t.Errorf("%d found, next %d", len(body.Requests), body.Next)
	}
	body = comm.RequestsBody{}
	s.do(call{method: "GET", path: "/v1/requests?id=first&before=905"}, &body)
	if len(body.Requests) != 1 || body.Next != 0 {
		t.Errorf("%d found, next %d", len(body.Requests), body.Next)
	}
}

func TestCOM15AWrongWishIsRefused(t *testing.T) {
	s := listed(t)
	for _, path := range []string{"/v1/requests?state=odd", "/v1/requests?limit=x", "/v1/requests?before=-1", "/v1/requests?since=3"} {
		var body comm.ProblemBody
		if r := s.do(call{method: "GET", path: path}, &body); r.StatusCode != http.StatusBadRequest || body.Error.Hint == "" {
			t.Errorf("%s: %d %+v", path, r.StatusCode, body)
		}
	}
}
