package comm_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/page"
)

func serveWithPage(t *testing.T) *site {
	return serveHTTP(t, func(o *comm.HTTPOptions) { o.Page = page.New(page.Options{}) })
}

// paged returns a call with a page's token.
func (s *site) paged(c call) call {
	s.t.Helper()
	var ticket comm.TicketBody
	s.do(call{method: "POST", path: comm.TicketRoute, body: "{}"}, &ticket)
	var got struct{ Token string }
	s.do(with(call{method: "POST", path: ticket.Path + "token", body: fmt.Sprintf(`{"ticket": %q}`, ticket.Ticket)}, "Authorization", ""), &got)
	return with(c, "Authorization", "Bearer "+got.Token)
}

func TestCOM70ThePageNeedsNoTokenAndHasTheSameGuards(t *testing.T) {
	s := serveWithPage(t)
	get := with(call{method: "GET", path: page.Path}, "Authorization", "")
	r := s.start(get)
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(body), "<title>shelly") || strings.Contains(string(body), token) {
		t.Errorf("status %d, %v: %.80s", r.StatusCode, err, body)
	}
	hosted := get
	hosted.host = "evil.example"
	for name, c := range map[string]call{
		"another host":                hosted,
		"a page of another site":      {method: "GET", path: page.Path, header: http.Header{"Authorization": {""}, "Origin": {"https://evil.example"}}},
		"a frame of another site":     {method: "GET", path: page.Path, header: http.Header{"Authorization": {""}, "Sec-Fetch-Site": {"cross-site"}}},
		"another port's ticket":       {method: "POST", path: page.Path + "token", body: `{"ticket":"a"}`, header: http.Header{"Authorization": {""}, "Sec-Fetch-Site": {"same-site"}}},
		"a sandboxed page's ticket":   {method: "POST", path: page.Path + "token", body: `{"ticket":"a"}`, header: http.Header{"Authorization": {""}, "Origin": {"null"}}},
		"another port's own Origin":   {method: "GET", path: page.Path + "app.js", header: http.Header{"Authorization": {""}, "Origin": {"http://127.0.0.1:1"}}},
		"a page's token from outside": with(s.paged(call{method: "GET", path: "/v1/status"}), "Origin", "https://evil.example"),
	} {
		var body comm.ProblemBody
		if r := s.do(c, &body); r.StatusCode != http.StatusForbidden || body.Error.Code != comm.CodeForbidden {
			t.Errorf("%s: status %d, %+v", name, r.StatusCode, body)
		}
	}
	if r := serveHTTP(t, nil).start(get); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("where there is no page: status %d", r.StatusCode)
	}
}

func TestCOM71OnlyTheHolderOfTheTokenGetsATicket(t *testing.T) {
	s := serveWithPage(t)
	ask := call{method: "POST", path: comm.TicketRoute, body: "{}"}
	for name, c := range map[string]call{"nobody": with(ask, "Authorization", ""), "a ticket as a token": with(ask, "Authorization", "Bearer "+strings.Repeat("0", 64))} {
		if r := s.start(c); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, r.StatusCode)
		}
	}
	if r := s.start(s.paged(ask)); r.StatusCode != http.StatusForbidden {
		t.Errorf("a page: status %d", r.StatusCode)
	}
}

func TestCOM72APageMayUseTheRoutesThatAreNamedForIt(t *testing.T) {
	s := serveWithPage(t)
	for _, c := range []call{
		{method: "GET", path: "/v1/status"}, {method: "GET", path: "/v1/requests"}, post(good), {method: "GET", path: "/v1/schedules"},
		{method: "GET", path: "/v1/approvals"}, {method: "GET", path: "/v1/messages"}, {method: "GET", path: "/v1/audit"},
	} {
		if r := s.start(s.paged(c)); r.StatusCode >= 400 {
			t.Errorf("%s %s: status %d", c.method, c.path, r.StatusCode)
		}
	}
	for _, c := range []call{
		{method: "GET", path: "/v1/journal"}, {method: "GET", path: "/v1/journal/kept"}, {method: "GET", path: "/v1/backup"}, {method: "GET", path: "/v1/memory/export"},
		{method: "POST", path: "/v1/events", body: `{"source":"disk","event":"full"}`}, {method: "POST", path: comm.TicketRoute}, {method: "GET", path: "/v2"},
		{method: "DELETE", path: "/v1/requests"}, {method: "GET", path: "/v1/requests/m1/cancel"}, {method: "HEAD", path: "/v1/journal"},
	} {
		if r := s.start(s.paged(c)); r.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: status %d", c.method, c.path, r.StatusCode)
		}
	}
	if seen := s.front.Seen(); len(seen.Raised) != 0 {
		t.Errorf("an event was raised: %+v", seen)
	}
}
