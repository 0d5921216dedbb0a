package comm_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

// listening is a front that tells for which chats somebody listens, and does not know who is asked what.
type listening struct {
	*fronttest.Front
	to       []fsm.Origin
	standing error
}

func (l *listening) Listen(_ context.Context, to fsm.Origin) <-chan struct{} {
	l.to = append(l.to, to)
	return nil
}

func (l *listening) Standings(context.Context) ([]comm.Standing, error) { return nil, l.standing }

func TestCOM87AClientListensOnlyToItsOwnChats(t *testing.T) {
	for _, c := range []struct {
		caller comm.Caller
		to     fsm.Origin
		want   fsm.Origin
	}{
		{comm.Local(), fsm.Origin{Channel: "web", Chat: "7"}, fsm.Origin{Channel: "web", Chat: "7"}},
		{comm.Local(), fsm.Origin{}, fsm.Origin{}},
		{comm.Caller{Name: "ci", Rights: access.Rights{access.Ask}}, fsm.Origin{Channel: "web", Chat: "7"}, fsm.Origin{Channel: comm.ChannelClient, Chat: "ci/web:7"}},
		{comm.Caller{Name: "ci", Rights: access.Rights{access.Ask}}, fsm.Origin{Chat: "eve/7"}, fsm.Origin{Channel: comm.ChannelClient, Chat: "ci/eve/7"}},
		{comm.Caller{Name: "ci", Rights: access.Rights{access.Ask}}, fsm.Origin{}, fsm.Origin{Channel: comm.ChannelClient}}, // of which it reads its own
	} {
		l := &listening{Front: fronttest.New()}
		comm.Owned(l).Listen(comm.WithCaller(t.Context(), c.caller), c.to)
		if len(l.to) != 1 || l.to[0] != c.want {
			t.Errorf("%s listens to %+v; got %+v, want %+v", c.caller.Name, c.to, l.to, c.want)
		}
	}
}

// Who cannot tell whose question it is lets nobody answer it.
func TestCOM86NobodyDecidesWhileItIsUnknownWhoseQuestionItIs(t *testing.T) {
	unread := errors.New("the journal cannot be read")
	l := &listening{Front: fronttest.New(), standing: unread}
	ctx := comm.WithCaller(t.Context(), comm.Caller{Name: "eve", Rights: access.Rights{access.Decide}})
	front := comm.Owned(l)
	if taken, err := front.Decide(ctx, fsm.Decided{Handle: 7, Key: "h7.1", Approve: true}); taken || !errors.Is(err, unread) {
		t.Errorf("Decide: got %v, %v; want %v", taken, err, unread)
	}
	if taken, err := front.Resolve(ctx, fsm.Resolved{Handle: 7}); taken || !errors.Is(err, unread) {
		t.Errorf("Resolve: got %v, %v; want %v", taken, err, unread)
	}
	if told := l.Seen().Told; len(told) != 0 {
		t.Errorf("it was passed on: %+v", told)
	}
}

func TestCOM18EachChallengeIsAnother(t *testing.T) {
	one, two := comm.NewChallenge(), comm.NewChallenge()
	if one == two || len(one) != 64 || strings.Trim(one, "0") == "" {
		t.Errorf("got %s and %s; want two random ones of 64 digits", one, two)
	}
}

func TestAPR24ADecisionIsSaidInWords(t *testing.T) {
	for _, c := range []struct {
		decision *comm.Decision
		words    string
		held     bool
	}{
		{comm.DecisionOf(fsm.Decided{Approve: true, By: "ann", Reason: "none"}), "approved by ann", false},
		{comm.DecisionOf(fsm.Decided{Approve: true, Grant: fsm.GrantSession}), "approved for this session", false},
		{comm.DecisionOf(fsm.Decided{Approve: true, Grant: fsm.GrantAlways}), "approved from now on", false},
		{comm.DecisionOf(fsm.Decided{By: "ann", Reason: "not now"}), "refused by ann: not now", false},
		{&comm.Decision{Verdict: comm.TimedOut}, "not answered in time, so it does not run", false},
		{&comm.Decision{Verdict: comm.Resolved, Reason: "it was sent"}, "resolved: it was sent", true},
		{&comm.Decision{Verdict: comm.Unresolved}, "not resolved in time", true},
	} {
		if got := c.decision.Words(); got != c.words || c.decision.Held() != c.held {
			t.Errorf("%+v: got %q, held %t; want %q, held %t", c.decision, got, c.decision.Held(), c.words, c.held)
		}
	}
}

// over is a front whose watches have ended.
type over struct {
	*fronttest.Front
	events []comm.Event // that are still to be read
	ends   bool         // and then the watch is over
}

func (o over) Watch(context.Context, fsm.RequestKey) (<-chan comm.Event, error) {
	events := make(chan comm.Event, len(o.events))
	for _, e := range o.events {
		events <- e
	}
	if o.ends {
		close(events)
	}
	return events, nil
}

// A reply is not missed because the watch, or the follower's time, ends in that moment.
func TestCOM4AReplyThatIsThereIsPassedOn(t *testing.T) {
	key := httpKey("m1")
	front := fronttest.New()
	if _, err := front.Accept(t.Context(), comm.Request{Key: key, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	front.Reply(key, "hi", false)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	reply := comm.Event{Type: comm.EventReply, Text: "hi"}
	for range 64 { // which of the two it hears of first is not determined
		for name, c := range map[string]struct {
			ctx  context.Context
			over over
		}{
			"the watch has ended":         {t.Context(), over{front, nil, true}},
			"the follower's time is over": {ended, over{front, []comm.Event{{Type: comm.EventWaiting}, reply}, false}},
		} {
			heard := ""
			replied, err := comm.Attend(c.ctx, c.over, key, nil, nil, nil, func(e comm.Event) error { heard = e.Text; return nil })
			if !replied || err != nil || heard != "hi" {
				t.Fatalf("%s: got %t, %v, %q; want the reply", name, replied, err, heard)
			}
		}
	}
	replied, err := comm.Attend(t.Context(), over{fronttest.New(), nil, true}, key, nil, nil, nil, func(comm.Event) error { return nil })
	if replied || err != nil {
		t.Errorf("without a record: got %t, %v; want none", replied, err)
	}
}

func TestCOM88WhyEventsEnd(t *testing.T) {
	broken := errors.New("the journal cannot be read")
	if err := comm.Ended(t.Context(), broken); !errors.Is(err, broken) {
		t.Errorf("got %v; want %v", err, broken)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := comm.Ended(gone, broken); err != nil {
		t.Errorf("got %v; want nothing, since nobody is there", err)
	}
}

// A list that does not fit into an answer goes on with what is left out.
func TestCOM54SessionsAreReadPageByPage(t *testing.T) {
	var ids []string
	for n := range 4096 {
		ids = append(ids, fmt.Sprintf("%s%04d", strings.Repeat("s", 2000), n))
	}
	c := serveClub(t, ids...)
	pages, after, got := 0, "", []string{}
	for {
		var list comm.SessionsBody
		if r := c.do(call{method: "GET", path: "/v1/sessions?after=" + after}, &list); r.StatusCode != http.StatusOK || len(list.Sessions) == 0 {
			t.Fatalf("page %d: status %d, %d sessions", pages, r.StatusCode, len(list.Sessions))
		}
		for _, s := range list.Sessions {
			got = append(got, s.ID)
		}
		pages++
		if after = list.Next; after == "" {
			break
		}
	}
	if len(got) != len(ids) || got[0] != ids[0] || got[len(got)-1] != ids[len(ids)-1] || pages < 2 {
		t.Errorf("got %d sessions in %d pages; want %d in several", len(got), pages, len(ids))
	}
}

// A chat with a long name is a session, which can be read and forgotten like every other.
func TestCOM54TheSessionOfALongChatIsFound(t *testing.T) {
	longest := fsm.Origin{Channel: strings.Repeat("n", comm.ChannelBytesMax), Chat: strings.Repeat("c", comm.ChatBytesMax)}.Key()
	c := serveClub(t, longest)
	for _, at := range []call{
		{method: "GET", path: "/v1/sessions/%s"}, {method: "GET", path: "/v1/requests?session=%s"}, {method: "GET", path: "/v1/audit?session=%s"},
		{method: "POST", path: "/v1/sessions/%s/forget"},
	} {
		for id, want := range map[string]int{longest: http.StatusOK, longest + "c": http.StatusBadRequest} { // order-free
			one := at
			one.path = fmt.Sprintf(at.path, id)
			if r := c.do(one, &struct{}{}); r.StatusCode != want {
				t.Errorf("%s %s: status %d, want %d", one.method, one.path, r.StatusCode, want)
			}
		}
	}
}

// A memory that is not ready takes no place of the listener.
func TestCOM17AMemoryThatIsNotReadyLeavesThePlacesFree(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) {
		o.StreamsMax, o.StreamWait, o.Memory = 2, 1, unready{wait: engine.ErrStopping}
	})
	for n := range 5 {
		var body comm.ProblemBody
		s.do(call{method: "GET", path: "/v1/memory"}, &body)
		if body.Error.Code != comm.CodeStopping {
			t.Fatalf("question %d: got %+v; want %s", n, body, comm.CodeStopping)
		}
	}
}

// Of a body that is malformed nothing is noted.
func TestCOM50AMalformedNoteOfWhatWasReadNotesNothing(t *testing.T) {
	s := serveHTTP(t, nil)
	s.front.Send(message(1, "web", "7"))
	var problem comm.ProblemBody
	r := s.do(call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"web","chat":"7","position":1},{"position":"x"}]}`}, &problem)
	if r.StatusCode != http.StatusBadRequest || problem.Error.Code != comm.CodeBadRequest {
		t.Errorf("got %d, %+v; want 400", r.StatusCode, problem)
	}
	if got := s.positions("channel=web"); len(got) != 1 || got[0] != -1 {
		t.Errorf("got %v; want it unread", got)
	}
}
