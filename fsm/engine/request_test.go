package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

func TestJRN9ARequestIsAcceptedOnceItIsDurable(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	got, err := e.Accept(10, ask("a"))
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Acceptance{New: true, Request: engine.Request{
		Key: ask("a").Request, Index: 2, Handle: 1, Session: "s", Text: "question a", Accepted: 10,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("acceptance (-want +got):\n%s", diff)
	}
	j.Crash()
	recovered, _ := start(t, j)
	if known, ok, err := j.Request(ask("a").Request); !ok || err != nil || known != want.Request {
		t.Errorf("after a crash the request is %+v, %v, %v; want it as accepted", known, ok, err)
	}
	if n := len(recovered.Machine().View().Handles); n != 1 {
		t.Errorf("after a crash there are %d handles; want the request's", n)
	}
}

func TestJRN10ARequestThatComesAgainJoinsTheFirst(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	inputs := answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	turn(t, e, inputs[:3]...)
	again := func(when string) engine.Request {
		t.Helper()
		before := len(j.protocol.lines)
		got, err := e.Accept(10, ask("a"))
		if err != nil || got.New {
			t.Errorf("%s: new %v, error %v; want the known request", when, got.New, err)
		}
		if len(j.protocol.lines) != before {
			t.Errorf("%s: it caused %v", when, j.protocol.lines[before:])
		}
		return got.Request
	}
	if r := again("while active"); r.Done || r.Handle != 1 {
		t.Errorf("while active: %+v; want handle 1 with no reply yet", r)
	}
	turn(t, e, inputs[3:]...)
	want := engine.Request{
		Key: ask("a").Request, Index: 2, Handle: 1, Session: "s", Text: "question a", Accepted: 10,
		Done: true, Replied: 24, Reply: "an answer", Outcome: fsm.OutcomeAnswered,
	}
	if diff := cmp.Diff(want, again("when done")); diff != "" {
		t.Errorf("when done (-want +got):\n%s", diff)
	}
	turn(t, e, fsm.Input{At: 50, Fact: fsm.Signalled{}})
	if r := again("while stopping"); r != want {
		t.Errorf("while stopping: %+v; want the reply", r)
	}
	e, _ = start(t, j)
	if r := again("before the next boot"); r != want {
		t.Errorf("before the next boot: %+v; want the reply", r)
	}
}

func TestJRN10AnErrorIsAnsweredFromTheRecordToo(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	call := w.effects[len(w.effects)-1].(fsm.AskBrain).Call
	turn(t, e, fsm.Input{At: 12, Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainUnreachable, Reason: "no server"}})
	got, err := e.Accept(10, ask("a"))
	if err != nil || got.New || !got.Request.Done || !got.Request.IsError || got.Request.Outcome != fsm.OutcomeFailed || got.Request.Reply != "error: unreachable: no server" {
		t.Errorf("%+v, %v; want the recorded error", got, err)
	}
}

func TestJRN10AnotherBodyUnderAKnownIdIsAConflict(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	before := len(j.protocol.lines)
	text, session, origin, images, history := ask("a"), ask("a"), ask("a"), ask("a"), ask("a")
	text.Text = "something else"
	session.Session = "another"
	origin.Origin.Chat = "another"
	images.Images = [][]byte{{1}}
	history.Context = []fsm.Message{{Role: fsm.RoleUser, Text: "before"}}
	for name, in := range map[string]fsm.Requested{
		"text": text, "session": session, "origin": origin, "images": images, "history": history,
	} {
		if _, err := e.Accept(10, in); !errors.Is(err, engine.ErrConflict) {
			t.Errorf("another %s: %v; want ErrConflict", name, err)
		}
	}
	if len(j.protocol.lines) != before {
		t.Errorf("a conflict caused %v", j.protocol.lines[before:])
	}
	for name, key := range map[string]fsm.RequestKey{
		"principal": {Principal: "other", Channel: "test", ID: "a"},
		"channel":   {Channel: "other", ID: "a"},
	} {
		in := text
		in.Request = key
		if got, err := e.Accept(10, in); err != nil || !got.New {
			t.Errorf("the id of another %s: %+v, %v; want a new request", name, got, err)
		}
	}
}

// What a request said whose session was forgotten is not known any more, so nothing is the same; nor is it done again.
func TestSES25AForgottenRequestIsNotDoneAgain(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	r, _, err := j.Request(ask("a").Request)
	if err != nil {
		t.Fatal(err)
	}
	r.Text, r.Done, r.Forgotten = "", true, true
	if err := j.Append(engine.Batch{Requests: []engine.Request{r}}, true); err != nil {
		t.Fatal(err)
	}
	before, empty := len(j.protocol.lines), ask("a")
	empty.Text = ""
	for _, in := range []fsm.Requested{ask("a"), empty} {
		if _, err := e.Accept(10, in); !errors.Is(err, engine.ErrForgotten) || !errors.Is(err, engine.ErrConflict) {
			t.Errorf("%q: %v; want ErrForgotten", in.Text, err)
		}
	}
	if len(j.protocol.lines) != before {
		t.Errorf("it caused %v", j.protocol.lines[before:])
	}
}

// Images and history are in the journal's record of the input; the request's own record only has
// a hash of them.
func TestJRN10ABodyIsKnownByItsHash(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	in := ask("a")
	in.Images = [][]byte{{1, 2}, {3}}
	in.Context = []fsm.Message{{Role: fsm.RoleUser, Text: "before"}}
	first, err := e.Accept(10, in)
	if err != nil || !first.New || first.Request.Body == "" {
		t.Fatalf("accepted as %+v, %v; want a new request with a body", first, err)
	}
	e, _ = start(t, j)
	turn(t, e, fsm.Input{At: 2, Fact: fsm.Boot{Config: config()}})
	if again, err := e.Accept(10, in); err != nil || again.New {
		t.Errorf("the same again: %+v, %v; want the known request", again, err)
	}
	in.Images = [][]byte{{1}, {2, 3}}
	if _, err := e.Accept(10, in); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("other images of the same bytes: %v; want ErrConflict", err)
	}
}

// A command is accepted and answered in one step, even if the queue is full.
func TestSES15ACommandIsAnsweredInItsOwnStep(t *testing.T) {
	c := config()
	c.Switches.Commands, c.Switches.Cancel = true, fsm.CancelImmediate
	c.Limits.MaxQueue = 1
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 10, Fact: ask("b")})
	for _, text := range []string{"/help", "/status"} {
		in := ask(text)
		in.Text = text
		got, err := e.Accept(10, in)
		if err != nil || !got.New || !got.Request.Done || got.Request.Reply == "" || got.Request.Outcome != fsm.OutcomeAnswered {
			t.Errorf("%s: %+v, %v; want an answer", text, got, err)
		}
		if reply, ok := w.effects[len(w.effects)-1].(fsm.Reply); !ok || reply.Request != in.Request || got.Request.Handle != reply.Handle {
			t.Errorf("%s: the last effect is %+v; want its reply", text, w.effects[len(w.effects)-1])
		}
	}
	if _, err := e.Accept(10, ask("c")); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a request that is not a command: %v; want ErrBusy", err)
	}
	in := ask("stop")
	in.Text = "/stop"
	if got, err := e.Accept(10, in); err != nil || !got.Request.Done {
		t.Errorf("/stop: %+v, %v; want an answer", got, err)
	}
	for _, id := range []string{"a", "b"} {
		if r, _, err := j.Request(ask(id).Request); err != nil || r.Outcome != fsm.OutcomeCancelled {
			t.Errorf("request %s: %+v, %v; want it cancelled", id, r, err)
		}
	}
}

// If a request cannot be accepted nothing happens: no write and no step.
func TestJRN9ARefusalChangesNothing(t *testing.T) {
	small := config()
	small.Limits.MaxQueue = 2
	full := fmt.Errorf("%w: 3 bytes left", engine.ErrNoSpace)
	boot := fsm.Input{At: 1, Fact: fsm.Boot{Config: small}}
	for _, test := range []struct {
		name   string
		before []fsm.Input
		full   error
		want   error
	}{
		{"busy", []fsm.Input{boot, {At: 10, Fact: ask("1")}, {At: 10, Fact: ask("2")}, {At: 10, Fact: ask("3")}}, nil, engine.ErrBusy},
		{"before the first boot", nil, nil, engine.ErrStopping},
		{"draining", []fsm.Input{boot, {At: 10, Fact: ask("1")}, {At: 5, Fact: fsm.Signalled{}}}, nil, engine.ErrStopping},
		{"farewell", []fsm.Input{boot, {At: 5, Fact: fsm.Signalled{}}}, nil, engine.ErrStopping},
		{"stopped", []fsm.Input{boot, {At: 5, Fact: fsm.Signalled{}}, {At: 6, Fact: fsm.Signalled{}}}, nil, engine.ErrStopping},
		{"JRN-14 no space", []fsm.Input{boot}, full, engine.ErrNoSpace},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newJournal()
			e, _ := start(t, j)
			turn(t, e, test.before...)
			j.full = test.full
			before, state := len(j.protocol.lines), e.Machine().Snapshot()
			if err := e.Ready(); !errors.Is(err, test.want) {
				t.Errorf("Ready: %v; want %v", err, test.want)
			}
			if _, err := e.Accept(10, ask("new")); !errors.Is(err, test.want) {
				t.Errorf("Accept: %v; want %v", err, test.want)
			}
			if err := e.Raise(0, fsm.EventRaised{Source: "disk", Event: "full"}); !errors.Is(err, test.want) {
				t.Errorf("Raise: %v; want %v", err, test.want)
			}
			if len(j.protocol.lines) != before {
				t.Errorf("the refusal caused %v", j.protocol.lines[before:])
			}
			if diff := cmp.Diff(state, e.Machine().Snapshot()); diff != "" {
				t.Errorf("state (-before +after):\n%s", diff)
			}
		})
	}
}

// HND-38: an event that joins another takes no place, so a full queue does not keep it out;
// a lack of space does.
func TestHND38AnEventThatJoinsAnotherFindsRoom(t *testing.T) {
	c := config()
	c.Switches.Coalesce = true
	c.Limits.MaxQueue = 1
	j := newJournal()
	e, _ := start(t, j)
	about := func(subject string) fsm.EventRaised {
		return fsm.EventRaised{Source: "disk", Event: "full", Subject: subject}
	}
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 10, Fact: about("/var")})
	if err := e.Raise(10, about("/home")); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("an event about something else: %v; want ErrBusy", err)
	}
	if err := e.Raise(10, about("/var")); err != nil || e.Machine().View().Ignored.Joined != 1 {
		t.Errorf("an event that joins: %v, %+v", err, e.Machine().View().Ignored)
	}
	j.full = engine.ErrNoSpace
	if err := e.Raise(10, about("/var")); !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("without space: %v; want ErrNoSpace", err)
	}
}

func TestCOM104EventsLeaveAPartOfTheQueueToRequests(t *testing.T) {
	c := config()
	c.Switches.Coalesce = true
	c.Limits.MaxQueue = 8
	e, _ := start(t, newJournal())
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}}, fsm.Input{At: 10, Fact: ask("runs")})
	about := func(n int) fsm.EventRaised {
		return fsm.EventRaised{Source: "disk", Event: "full", Subject: fmt.Sprint(n)}
	}
	for n := range 6 {
		if err := e.Raise(10, about(n)); err != nil {
			t.Errorf("event %d: %v", n, err)
		}
	}
	if err := e.Raise(10, about(6)); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("an event beyond three quarters of the places: %v; want ErrBusy", err)
	}
	if err := e.Raise(10, about(5)); err != nil || e.Machine().View().Ignored.Joined != 1 {
		t.Errorf("an event that joins: %v, %+v", err, e.Machine().View().Ignored)
	}
	for _, id := range []string{"a", "b"} {
		if got, err := e.Accept(10, ask(id)); err != nil || !got.New {
			t.Errorf("request %s: %+v, %v; want it accepted", id, got, err)
		}
	}
	if _, err := e.Accept(10, ask("c")); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a request beyond all places: %v; want ErrBusy", err)
	}
}

// The queue has room up to its limit, and requests wait while the initial
// inference runs.
func TestARequestIsAcceptedUpToTheLimitAndDuringInit(t *testing.T) {
	c := config()
	c.Init = fsm.InitEveryStart
	c.Limits.MaxQueue = 2
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}})
	for _, id := range []string{"a", "b"} {
		if got, err := e.Accept(10, ask(id)); err != nil || !got.New {
			t.Errorf("request %s: %+v, %v; want it accepted", id, got, err)
		}
	}
	if _, err := e.Accept(10, ask("c")); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("request c: %v; want ErrBusy", err)
	}
}

// Requests that arrive while another batch is synced share the next one's write and sync,
// with the facts that have arrived in between; each is received as if it had come alone.
func TestJRN4WhoAsksTogetherSharesASync(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	c := config()
	c.Limits.MaxQueue, c.Limits.MaxActive = 1, 1
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}}, fsm.Input{At: 2, Fact: ask("known")})
	call := w.effects[len(w.effects)-1].(fsm.AskBrain).Call
	before := len(j.protocol.lines)
	other := ask("a")
	other.Text = "something else"
	failed := fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainUnreachable, Reason: "no server"}
	met := e.Meet([]fsm.Input{{At: 10, Fact: failed}}, 10, ask("a"), ask("known"), ask("b"), ask("a"), other, ask("c"))
	var got []string
	for _, m := range met {
		got = append(got, fmt.Sprintf("%s new=%t done=%t %v", m.Request.Key.ID, m.New, m.Request.Done, m.Err))
	}
	want := []string{
		"a new=true done=false <nil>", "known new=false done=true <nil>", "b new=true done=false <nil>", "a new=false done=false <nil>",
		" new=false done=false " + engine.ErrConflict.Error(), " new=false done=false " + engine.ErrBusy.Error(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("acceptances (-want +got):\n%s", diff)
	}
	if line := j.protocol.lines[before]; line != "append 3 4 5 sync" {
		t.Errorf("the first action is %q; want one write of the answer and the two requests", line)
	}
	for _, line := range j.protocol.lines[before+1:] {
		if strings.HasPrefix(line, "append") {
			t.Errorf("there is a second write: %q", line)
		}
	}
	for i, m := range met[:4] {
		if known, ok, err := j.Request(m.Request.Key); !ok || err != nil || known != m.Request {
			t.Errorf("request %d is %+v; the journal has %+v, %v, %v", i, m.Request, known, ok, err)
		}
	}
}

func TestJRN10WhoAsksAgainTogetherCausesNoWrite(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 2, Fact: ask("a")}, fsm.Input{At: 2, Fact: ask("b")})
	before := len(j.protocol.lines)
	for _, m := range e.Meet(nil, 10, ask("a"), ask("b"), ask("a")) {
		if m.New || m.Err != nil {
			t.Errorf("got %+v; want the known request", m)
		}
	}
	if lines := j.protocol.lines[before:]; len(lines) > 0 {
		t.Errorf("it caused %v", lines)
	}
}

func TestJRN11WhoAsksInAWriteThatFailsHasNothingAccepted(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	j.broken = errors.New("the disk is gone")
	for _, m := range e.Meet(nil, 10, ask("a"), ask("b")) {
		if !errors.Is(m.Err, engine.ErrDead) || m.New {
			t.Errorf("got %+v; want ErrDead", m)
		}
	}
	if !errors.Is(e.Err(), engine.ErrDead) {
		t.Errorf("the engine is still alive: %v", e.Err())
	}
	handles := e.Machine().View().LastHandle
	for _, m := range e.Meet([]fsm.Input{{At: 20, Fact: ask("c")}}, 20, ask("d")) {
		if !errors.Is(m.Err, engine.ErrDead) {
			t.Errorf("afterwards got %+v; want ErrDead", m)
		}
	}
	if now := e.Machine().View().LastHandle; now != handles {
		t.Errorf("a dead engine has stepped inputs: the last handle is %d, was %d", now, handles)
	}
}

// A key may be empty: a request that is known to be absent is not the same as no request.
func TestJRN9ARequestWithAnEmptyKeyIsFoundInTheNextTurn(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	in := ask("")
	in.Request = fsm.RequestKey{}
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 2, Fact: in})
	call := w.effects[len(w.effects)-1].(fsm.AskBrain).Call
	turn(t, e, fsm.Input{At: 3, Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainUnreachable, Reason: "no server"}})
	if met, err := e.Accept(4, in); err != nil || met.New || !met.Request.Done {
		t.Errorf("asked again: %+v, %v; want the answer", met, err)
	}
}
