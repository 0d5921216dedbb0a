package comm_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

func message(position uint64, channel, chat string) engine.Message {
	return engine.Message{Position: position, At: fsm.Millis(position), SendMessage: fsm.SendMessage{
		Handle: 1, Key: "k", Session: "s", To: fsm.Origin{Channel: channel, Chat: chat}, Text: "hello",
	}}
}

// positions are those of the messages that a query returns; an unread one is negative.
func (s *site) positions(query string) []int {
	s.t.Helper()
	var got comm.MessagesBody
	if r := s.do(call{method: "GET", path: "/v1/messages?" + query}, &got); r.StatusCode != http.StatusOK || got.Messages == nil {
		s.t.Errorf("%s: status %d, %+v", query, r.StatusCode, got)
	}
	list := []int{}
	for _, m := range got.Messages {
		at := int(m.Position)
		if m.Unread {
			at = -at
		}
		list = append(list, at)
	}
	return list
}

func (s *site) read(body string) comm.Unread {
	s.t.Helper()
	var unread comm.Unread
	if r := s.do(call{method: "POST", path: "/v1/messages/read", body: body}, &unread); r.StatusCode != http.StatusOK {
		s.t.Errorf("%s: status %d", body, r.StatusCode)
	}
	return unread
}

func TestCOM13MessagesOfAChatCanBeRead(t *testing.T) {
	s := serveHTTP(t, nil)
	nobodys := message(4, "", "")
	s.front.Send(message(1, "web", "7"), message(2, "web", "8"), message(3, "web", "7"), nobodys, message(5, "cli", "direct"), message(6, "http", "7"))
	for query, want := range map[string][]int{
		"channel=web":                        {-1, -2, -3},
		"channel=web&chat=7":                 {-1, -3},
		"channel=web&after=1":                {-2, -3},
		"channel=web&chat=7&after=0&limit=1": {-1},
		"channel=web&limit=999999":           {-1, -2, -3},
		"channel=other":                      {},
		"chat=7":                             {-6}, // as a request over HTTP names it
		"":                                   {-1, -2, -3, -4, -5, -6},
		"after=3":                            {-4, -5, -6},
	} {
		if diff := cmp.Diff(want, s.positions(query)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
	}
}

func TestCOM50AMessageIsUnreadUntilAPersonHasSeenIt(t *testing.T) {
	s := serveHTTP(t, nil)
	var status comm.Status
	if s.do(call{method: "GET", path: "/v1/status"}, &status); status.Unread != nil {
		t.Errorf("got %+v; want nil", status.Unread)
	}
	s.front.Send(message(1, "web", "7"), message(2, "web", "8"), message(3, "web", "7"), message(4, "", ""))
	if s.do(call{method: "GET", path: "/v1/status"}, &status); status.Unread == nil || *status.Unread != (comm.Unread{Messages: 4, Since: 1}) {
		t.Errorf("got %+v; want Messages 4, Since 1", status.Unread)
	}
	for _, c := range []struct {
		body string
		left comm.Unread
		want []int
	}{
		{`{"read":[{"channel":"web","chat":"7","position":1}]}`, comm.Unread{Messages: 3, Since: 2}, []int{-2, -3, -4}},
		{`{"read":[{"channel":"web","chat":"8","position":2},{"channel":"web","chat":"7","position":1}]}`, comm.Unread{Messages: 2, Since: 3}, []int{-3, -4}},
		{`{"read":[{"channel":"","position":4}]}`, comm.Unread{Messages: 1, Since: 3}, []int{-3}},
		{`{"read":[]}`, comm.Unread{Messages: 1, Since: 3}, []int{-3}},
		{`{"read":[{"channel":"web","chat":"7","position":3}]}`, comm.Unread{}, []int{}},
	} {
		if left := s.read(c.body); left != c.left {
			t.Errorf("%s: %+v, want %+v", c.body, left, c.left)
		}
		if diff := cmp.Diff(c.want, s.positions("unread=1")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.body, diff)
		}
	}
	same(t, []int{1, 2, 3, 4}, s.positions(""))
	s.front.Send(message(5, "http", "7"))
	if left := s.read(`{"read":[{"chat":"7","position":5}]}`); left != (comm.Unread{}) { // a chat without a channel is the listener's own
		t.Errorf("got %+v; want that nothing is unread", left)
	}
	s.front.Send(message(6, "web", "8"))
	same(t, []int{-6}, s.positions("unread=1&limit=1"))
	s.front.Refuse(engine.ErrNoSpace)
	var problem comm.ProblemBody
	if r := s.do(call{method: "POST", path: "/v1/messages/read", body: `{"read":[]}`}, &problem); r.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("status %d", r.StatusCode)
	}
}

// The ids of the events are the positions, so that a browser continues by itself.
func TestCOM51MessagesAreStreamed(t *testing.T) {
	s := serveHTTP(t, nil)
	s.front.Send(message(1, "web", "7"), message(2, "web", "8"), message(70000, "web", "7"))
	for _, c := range []struct {
		call call
		want []string // the ids of the events, the last one of a message that is sent meanwhile
	}{
		{call{method: "GET", path: "/v1/messages/events?after=0"}, []string{"1", "2", "70000", "80000"}},
		{call{method: "GET", path: "/v1/messages/events?channel=web&chat=8&after=1"}, []string{"2", "80001"}},
		{call{method: "GET", path: "/v1/messages/events?after=1", header: http.Header{"Last-Event-Id": {"70000"}}}, []string{"80000"}},
		{call{method: "GET", path: "/v1/messages/events?channel=web&chat=8"}, []string{"80001"}},
	} {
		r := s.start(c.call)
		lines := bufio.NewScanner(r.Body)
		for i, want := range c.want {
			if i == len(c.want)-1 {
				s.front.Send(message(80000, "web", "7"), message(80001, "web", "8"))
			}
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "id: ") {
			}
			if got := strings.TrimPrefix(lines.Text(), "id: "); got != want {
				t.Errorf("%s: event %q, want %q", c.call.path, got, want)
			}
		}
		_ = r.Body.Close()
		s.front.Unsend(80000)
	}
}

func TestSendersAreDistinguished(t *testing.T) {
	for key, want := range map[string]comm.Sender{"h1": comm.FromSubagent, "h1.5": comm.FromTool} {
		m := message(1, "web", "7")
		if m.Key = key; comm.NewMessage(m, false).From != want {
			t.Errorf("%s: got %s; want %s", key, comm.NewMessage(m, false).From, want)
		}
	}
	m := message(1, "web", "7")
	if m.Key, m.Session = "h1", "schedule:s1"; comm.NewMessage(m, false).From != comm.FromSchedule {
		t.Errorf("got %+v; want From %q", comm.NewMessage(m, false), comm.FromSchedule)
	}
	if m.Session, m.Schedule = "web:7", "s1"; comm.NewMessage(m, false).From != comm.FromSchedule { // HND-70
		t.Errorf("got %+v; want From %q", comm.NewMessage(m, false), comm.FromSchedule)
	}
	m.Schedule = ""
}
