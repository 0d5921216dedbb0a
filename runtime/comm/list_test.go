package comm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
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
		must(t, j.Append(engine.Batch{Requests: []engine.Request{r}}, true))
	}
	s.front.Stand(
		comm.Standing{Handle: 1, Phase: state.Summarizing}, // done, and writing memory
		comm.Standing{Handle: 3, Phase: state.Parked, Asks: &comm.Ask{Question: fsm.QuestionCrashes, Handle: 3, Key: "h3"}},
		comm.Standing{Handle: 4, Phase: state.Parked}, comm.Standing{Handle: 5, Phase: state.Queued},
		comm.Standing{Handle: 6, Phase: state.Execution, Inference: state.Acting, Label: "ACTING"},
		comm.Standing{Handle: 7, Phase: state.Approving, Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 7, Key: "h7.1", Tool: "exec", Args: "{}"}},
	)
	return s
}

// SES-25: what is left of a request whose session was forgotten is its names, and only for who asks for it.
func TestCOM15ForgottenRequestsAreListedIfAskedFor(t *testing.T) {
	s := serveHTTP(t, nil)
	j := engine.NewMemoryJournal()
	s.front.Record(j)
	for i, id := range []string{"a", "b"} {
		r := engine.Request{Key: httpKey(id), Index: uint64(i + 1), Handle: fsm.HandleID(i + 1), Accepted: 1, Done: true, Forgotten: id == "a"}
		must(t, j.Append(engine.Batch{Requests: []engine.Request{r}}, true))
	}
	for query, want := range map[string]int{"": 1, "?forgotten=0": 1, "?forgotten=1": 2} { // order-free: each alone
		var body comm.RequestsBody
		s.do(call{method: "GET", path: "/v1/requests" + query}, &body)
		if len(body.Requests) != want || body.Requests[want-1].Forgotten != (want == 2) {
			t.Errorf("%q: %+v", query, body.Requests)
		}
	}
	if r := s.start(call{method: "GET", path: "/v1/requests?forgotten=perhaps"}); r.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", r.StatusCode)
	}
}

func TestCOM15RequestsAreListedTheLatestFirst(t *testing.T) {
	s := listed(t)
	for query, want := range map[string]string{
		"":                       "g f e d c b a",
		"?before=4":              "c b a",
		"?before=4&limit=2":      "c b +2",
		"?before=1":              "",
		"?after=5":               "g f",
		"?after=1&before=4":      "c b",
		"?after=2&limit=2":       "g f +6",
		"?after=7":               "",
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

// The record of an unfinished request has its standing, in a list and on its own.
func TestCOM15ARecordSaysWhereItsHandleStands(t *testing.T) {
	s := listed(t)
	var body comm.RequestsBody
	s.do(call{method: "GET", path: "/v1/requests?id=g"}, &body)
	want := comm.Record{
		ID: "g", Channel: "http", InSession: "cli:direct", Index: 7, Handle: 7, State: "accepted", Text: "hello", Accepted: 1, Phase: state.Approving,
		Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 7, Key: "h7.1", Tool: "exec", Args: "{}"},
	}
	same(t, []comm.Record{want}, body.Requests)
	s.do(post(good), &comm.Receipt{})
	s.front.Stand(comm.Standing{Handle: 1, Phase: state.Execution, Inference: state.Acting, Label: "ACTING"})
	var record comm.Record
	s.do(call{method: "GET", path: "/v1/requests/m1"}, &record)
	if record.Phase != state.Execution || record.Inference != state.Acting || record.Label != "ACTING" || record.Stands() != comm.StandsActive {
		t.Errorf("got %+v; want Phase %q, Inference %q, Label %q, Stands() %q", record, state.Execution, state.Acting, "ACTING", comm.StandsActive)
	}
}

// One answer looks at a bounded number of requests, and says where to continue.
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
	must(t, j.Append(b, true))
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

// An answer is bounded in bytes; by continuing where it says, all requests can be read, even one
// that is larger than the bound.
func TestCOM15ALongListComesInParts(t *testing.T) {
	s := serveHTTP(t, nil)
	j := engine.NewMemoryJournal()
	s.front.Record(j)
	const all, most = 30, 4<<20 + 200
	huge := 0
	for i := range uint64(all) {
		r := engine.Request{Key: httpKey(string(rune('A' + i))), Index: i + 1, Text: strings.Repeat("<", 100_000)} // each is 6 as JSON
		if i == 11 {
			r.Text, huge = strings.Repeat("x", 5<<20), 5<<20
		}
		must(t, j.Append(engine.Batch{Requests: []engine.Request{r}}, true))
	}
	parts, read, before := 0, 0, ""
	for {
		response := s.start(call{method: "GET", path: "/v1/requests?limit=1000" + before})
		text, err := io.ReadAll(response.Body)
		var body comm.RequestsBody
		must(t, errors.Join(err, json.Unmarshal(text, &body)))
		if bound := most + huge; len(text) > bound || len(text) > most && len(body.Requests) > 1 {
			t.Errorf("%d bytes with %d requests", len(text), len(body.Requests))
		}
		parts, read = parts+1, read+len(body.Requests)
		if body.Next == 0 {
			break
		}
		before = fmt.Sprintf("&before=%d", body.Next)
	}
	if read != all || parts < 6 {
		t.Errorf("%d requests in %d parts; want all %d", read, parts, all)
	}
}

// So are the records of tool calls and the messages: the position says where to continue.
func TestCOM15TheAuditComesInParts(t *testing.T) {
	s := serveHTTP(t, nil)
	const all = 30
	for i := range uint64(all) {
		text := strings.Repeat("<", 100_000)
		s.front.Used(engine.Audit{Position: i + 1, Audit: fsm.Audit{Result: text}})
		s.front.Send(engine.Message{Position: i + 1, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "c"}, Text: text}})
	}
	audit, messages := uint64(0), uint64(0)
	for parts := 0; audit < all || messages < all; parts++ {
		var calls comm.AuditBody
		s.do(call{method: "GET", path: fmt.Sprintf("/v1/audit?limit=100&after=%d", audit)}, &calls)
		var sent comm.MessagesBody
		s.do(call{method: "GET", path: fmt.Sprintf("/v1/messages?channel=c&limit=100&after=%d", messages)}, &sent)
		if len(calls.Audit) > 7 || len(sent.Messages) > 7 || parts > all {
			t.Fatalf("part %d: %d and %d; want at most 7 of 600 kB each", parts, len(calls.Audit), len(sent.Messages))
		}
		audit, messages = audit+uint64(len(calls.Audit)), messages+uint64(len(sent.Messages))
	}
}

func TestCOM15AWrongWishIsRefused(t *testing.T) {
	s := listed(t)
	for _, path := range []string{"/v1/requests?state=odd", "/v1/requests?limit=x", "/v1/requests?before=-1", "/v1/requests?since=3"} {
		var body comm.ProblemBody
		if r := s.do(call{method: "GET", path: path}, &body); r.StatusCode != http.StatusBadRequest || body.Error.Hint == "" {
			t.Errorf("%s: got %d %+v; want 400, some Error.Hint", path, r.StatusCode, body)
		}
	}
}
