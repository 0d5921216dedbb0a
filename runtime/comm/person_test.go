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

func TestCOM11ARequestBringsItsOriginImagesAndHistory(t *testing.T) {
	s := serveHTTP(t, nil)
	body := `{"id":"m1","session":"s","text":"and now?","channel":"web","chat":"7","images":["/9j/","iVBORw0KGgo="],` +
		`"context":[{"role":"system","content":"be kind"},{"role":"user","content":"a"},{"content":"b","role":"assistant"}]}`
	var receipt comm.Receipt
	if r := s.do(post(body), &receipt); r.StatusCode != http.StatusAccepted {
		t.Fatalf("status %d", r.StatusCode)
	}
	want := []comm.Request{{
		Key:     fsm.RequestKey{Principal: comm.Principal, Channel: "web", ID: "m1"},
		Session: "s", Origin: fsm.Origin{Channel: "web", Chat: "7"}, Text: "and now?", Images: [][]byte{{0xff, 0xd8, 0xff}, []byte("\x89PNG\r\n\x1a\n")},
		Context: []fsm.Message{{Role: fsm.RoleSystem, Text: "be kind"}, {Role: fsm.RoleUser, Text: "a"}, {Role: fsm.RoleAssistant, Text: "b"}},
	}}
	same(t, want, s.front.Seen().Requests)
	var record comm.Record
	s.do(call{method: "GET", path: "/v1/requests/m1?channel=web"}, &record)
	if record.Chat != "7" || record.Session != "s" {
		t.Errorf("got %+v; want Chat %q, Session %q", record, "7", "s")
	}
}

// Many libraries write null for what is not set.
func TestCOM6AFieldThatIsNullIsMissing(t *testing.T) {
	s := serveHTTP(t, nil)
	var body any
	if r := s.do(post(`{"id":"m1","session":null,"text":"a","channel":null,"chat":null,"images":null,"context":null}`), &body); r.StatusCode != http.StatusAccepted {
		t.Errorf("a request: status %d", r.StatusCode)
	}
	same(t, []comm.Request{{Key: httpKey("m1"), Text: "a"}}, s.front.Seen().Requests)
	if r := s.do(call{method: "POST", path: "/v1/schedules", body: `{"message":"a","every_seconds":60,"cron_expr":null,"at":null,"by":null}`}, &body); r.StatusCode != http.StatusOK {
		t.Errorf("a schedule: status %d", r.StatusCode)
	}
	if r := s.do(call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"cli","chat":null,"position":null}]}`}, &body); r.StatusCode != http.StatusOK {
		t.Errorf("marks: status %d", r.StatusCode)
	}
}

func TestAChatWithoutAChannelIsTheListenersOwn(t *testing.T) {
	for body, want := range map[string]fsm.Origin{
		`{"text":"a","chat":"7"}`:      {Channel: "http", Chat: "7"},
		`{"text":"a","channel":"web"}`: {Channel: "web"},
		`{"text":"a"}`:                 {},
	} {
		s := serveHTTP(t, nil)
		var receipt comm.Receipt
		s.do(post(body), &receipt)
		if got := s.front.Seen().Requests; len(got) != 1 || got[0].Origin != want {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
}

// A person's decision reaches the daemon whole, by the request or by the handle
// (HND-31, APR-2, APR-6).
func TestCOM12APersonsWordIsPassedOn(t *testing.T) {
	for _, c := range []struct {
		path, body string
		want       fsm.Input
	}{
		{"/v1/requests/m1/cancel", "", fsm.Input{Fact: fsm.CancelRequested{Request: httpKey("m1")}}},
		{"/v1/requests/m1/cancel?channel=http", "", fsm.Input{Fact: fsm.CancelRequested{Request: httpKey("m1")}}},
		{"/v1/requests/m1/approve", `{"key":"h1.1"}`, fsm.Input{Fact: fsm.Decided{Handle: 1, Key: "h1.1", Approve: true, By: "local"}}},
		{"/v1/requests/m1/approve", `{"key":"h1.1","grant":"session"}`, fsm.Input{Fact: fsm.Decided{Handle: 1, Key: "h1.1", Approve: true, By: "local", Grant: fsm.GrantSession}}},
		{"/v1/approvals/g1/revoke", `{}`, fsm.Input{Fact: fsm.Revoked{Grant: "g1", By: "local"}}},
		{"/v1/requests/m1/deny", `{"key":"h1.1","by":"Ann"}`, fsm.Input{Fact: fsm.Decided{Handle: 1, Key: "h1.1", By: "Ann"}}},
		{"/v1/requests/m1/deny", `{"key":"h1.1","reason":" use\nstaging\n"}`, fsm.Input{Fact: fsm.Decided{Handle: 1, Key: "h1.1", By: "local", Reason: "use\nstaging"}}},
		{"/v1/requests/m1/resolve", `{"text":"it was sent"}`, fsm.Input{Fact: fsm.Resolved{Handle: 1, Text: "it was sent"}}},
		{"/v1/typing", `{"session":"home"}`, fsm.Input{Fact: fsm.Typing{Session: "home"}}},
		{"/v1/typing", `{"channel":"xmpp","chat":"ada@home"}`, fsm.Input{Fact: fsm.Typing{Session: "xmpp:ada@home"}}},
		{"/v1/typing", `{"chat":"7"}`, fsm.Input{Fact: fsm.Typing{Session: "http:7"}}},
		{"/v1/typing", `{}`, fsm.Input{Fact: fsm.Typing{Session: "cli:direct"}}},
		{"/v1/handles/9/cancel", "", fsm.Input{Fact: fsm.CancelRequested{Handle: 9}}},
		{"/v1/schedules/s1/pause", `{"by":"Ann"}`, fsm.Input{Fact: fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1", By: "Ann"}}},
		{"/v1/schedules/%2F/pause", `{}`, fsm.Input{Fact: fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "/", By: "local"}}},
		{"/v1/schedules/%2f%2F/pause", `{}`, fsm.Input{Fact: fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "//", By: "local"}}},
		{"/v1/schedules/s1/remove", `{}`, fsm.Input{Fact: fsm.ScheduleChanged{Change: fsm.ScheduleRemove, Schedule: "s1", By: "local"}}},
		{"/v1/schedules", `{"message":"m","every_seconds":60,"chat":"7"}`, fsm.Input{Fact: fsm.ScheduleChanged{
			Change: fsm.ScheduleAdd, Text: "m", Every: 60 * fsm.Second, Origin: fsm.Origin{Channel: "http", Chat: "7"}, By: "local",
		}}},
		{"/v1/handles/9/approve", `{"key":"h9.1"}`, fsm.Input{Fact: fsm.Decided{Handle: 9, Key: "h9.1", Approve: true, By: "local"}}},
		{"/v1/handles/9/resolve", `{}`, fsm.Input{Fact: fsm.Resolved{Handle: 9}}},
	} {
		t.Run(c.path, func(t *testing.T) {
			s := serveHTTP(t, nil)
			var receipt comm.Receipt
			s.do(post(good), &receipt)
			var got comm.Taken
			if r := s.do(call{method: "POST", path: c.path, body: c.body}, &got); r.StatusCode != http.StatusOK || !got.Taken {
				t.Errorf("status %d, %+v", r.StatusCode, got)
			}
			same(t, []fsm.Input{c.want}, s.front.Seen().Told)
			s.front.Deafen()
			if s.do(call{method: "POST", path: c.path, body: c.body}, &got); got.Taken {
				t.Error("a word that comes too late is taken")
			}
			s.front.Refuse(engine.ErrStopping)
			var body comm.ProblemBody
			if r := s.do(call{method: "POST", path: c.path, body: c.body}, &body); r.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d, %+v", r.StatusCode, body)
			}
		})
	}
}

func TestCOM14TheAuditCanBeRead(t *testing.T) {
	s := serveHTTP(t, nil)
	record := func(position uint64, session, tool string) engine.Audit {
		return engine.Audit{Position: position, At: 5, Audit: fsm.Audit{
			Handle: 1, Session: session, Key: "k", Tool: tool, Args: "{}", Message: "m", Result: "r", Attempts: 1, Duration: 7,
		}}
	}
	a, b, c := record(1, "x", "exec"), record(2, "cli:direct", "exec"), record(3, "x", "spawn")
	s.front.Used(a, b, c)
	for query, want := range map[string][]engine.Audit{
		"":                             {a, b, c},
		"?session=x":                   {a, c},
		"?session=cli%3Adirect":        {b},
		"?after=1&limit=1":             {b},
		"?session=x&after=1&limit=500": {c},
		"?session=none":                {},
	} {
		var got comm.AuditBody
		r := s.do(call{method: "GET", path: "/v1/audit" + query}, &got)
		if diff := cmp.Diff(want, got.Audit); r.StatusCode != http.StatusOK || diff != "" {
			t.Errorf("%s: status %d (-want +got)\n%s", query, r.StatusCode, diff)
		}
	}
}

// COM-40: the grants in force can be read; a grant that is not one of the three is refused.
func TestCOM40GrantsAreReadAndNamed(t *testing.T) {
	s := serveHTTP(t, nil)
	var body comm.ApprovalsBody
	s.do(call{method: "GET", path: "/v1/approvals"}, &body)
	if len(body.Approvals) != 1 || body.Approvals[0].ID != "g1" || body.Approvals[0].Match["command"] != "make" {
		t.Errorf("got %+v; want 1 Approvals, Approvals[0].ID %q, Approvals[0].Match[\"command\"] %q", body, "g1", "make")
	}
	var receipt comm.Receipt
	s.do(post(good), &receipt)
	for path, sent := range map[string]string{
		"/v1/requests/m1/approve": `{"key":"h1.1","grant":"forever"}`,
		"/v1/requests/m1/deny":    `{"key":"h1.1","grant":"always"}`,
	} {
		var problem comm.ProblemBody
		if r := s.do(call{method: "POST", path: path, body: sent}, &problem); r.StatusCode != http.StatusBadRequest || problem.Error.Code != comm.CodeBadRequest {
			t.Errorf("%s: status %d, %+v", path, r.StatusCode, problem)
		}
	}
	if told := s.front.Seen().Told; len(told) > 0 {
		t.Errorf("it was passed on: %+v", told)
	}
}

func TestAPR23OnlyARefusalHasAReasonAndItIsShort(t *testing.T) {
	for _, tt := range []struct {
		about string
		d     fsm.Decided
		want  string
		says  string // the reason that is passed on
	}{
		{"a refusal", fsm.Decided{Reason: strings.Repeat("a", comm.ReasonBytesMax)}, "", strings.Repeat("a", comm.ReasonBytesMax)},
		{"a long one", fsm.Decided{Reason: strings.Repeat("a", comm.ReasonBytesMax+1)}, "longer than 2000 bytes", ""},
		{"an approval", fsm.Decided{Approve: true, Reason: "a"}, "only a refusal has a reason", ""},
		{"blanks around it", fsm.Decided{Reason: "\n use\nstaging \t" + strings.Repeat(" ", comm.ReasonBytesMax)}, "", "use\nstaging"},
		{"blanks alone", fsm.Decided{Reason: " \n\t "}, "", ""},
		{"an approval with blanks", fsm.Decided{Approve: true, Reason: " "}, "", ""},
	} {
		got, err := comm.Reasoned(tt.d)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && got.Reason != tt.says {
			t.Errorf("%s: got %q, %v; want %q, %q", tt.about, got.Reason, err, tt.says, tt.want)
		}
	}
	s := serveHTTP(t, nil)
	s.do(post(good), &comm.Receipt{})
	var problem comm.ProblemBody
	if r := s.do(call{method: "POST", path: "/v1/requests/m1/approve", body: `{"key":"h1.1","reason":"a"}`}, &problem); r.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d, %+v; want 400", r.StatusCode, problem)
	}
}
