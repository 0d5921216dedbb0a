package ask

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// person is a person at a terminal, with what the daemon was told and what it answers.
type person struct {
	*answering
	out  *bytes.Buffer
	told []client.Decision
	late bool
	err  error
}

func newPerson() *person {
	p := &person{out: &bytes.Buffer{}}
	p.answering = &answering{w: &watching{t: &terminal.Terminal{Err: p.out, Out: p.out}}}
	p.decide = func(_ context.Context, about client.About, d client.Decision) (bool, error) {
		if about.Handle != 7 {
			return false, errors.New("another handle")
		}
		p.told = append(p.told, d)
		return !p.late, p.err
	}
	return p
}

func asks(key string) comm.Event {
	return comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: key, Tool: "exec", Args: `{"command":"make\nall","n":3}`}
}

func TestCLI120EachAnswerDecides(t *testing.T) {
	for line, want := range map[string]client.Decision{ // order-free: each has its own world
		"y": {Approve: true}, " YES ": {Approve: true}, "n": {}, "no": {},
		"No, use make -n": {Reason: "use make -n"}, "n it is late ": {Reason: "it is late"}, "because: it is late": {Reason: "it is late"}, "no.": {},
		"s": {Approve: true, Grant: fsm.GrantSession}, "always": {Approve: true, Grant: fsm.GrantAlways},
	} {
		p := newPerson()
		p.line(t.Context(), line) // before anything was asked
		p.show(asks("k"))
		p.line(t.Context(), "")
		p.line(t.Context(), "perhaps")
		p.line(t.Context(), line)
		p.line(t.Context(), line)
		want.Key = "k"
		if len(p.told) != 1 || p.told[0] != want {
			t.Errorf("%q: got %+v; want 1 of them, [0] %+v", line, p.told, want)
		}
		if n := strings.Count(p.out.String(), choices); n != 3 {
			t.Errorf("%q: it was asked %d times:\n%s", line, n, p.out)
		}
	}
}

func TestCLI120TheReasonOfARefusalCanHaveItsOwnLine(t *testing.T) {
	p := newPerson()
	p.line(t.Context(), "b") // nothing is open
	p.show(asks("k"))
	p.line(t.Context(), "yes please")
	p.line(t.Context(), "b")
	p.err = errors.New("the disk is full")
	p.line(t.Context(), "yes, but not now")
	p.err = nil
	p.line(t.Context(), "y")
	p.show(asks("l"))
	p.line(t.Context(), "because")
	p.show(comm.Event{Type: comm.EventState, State: state.Execution})
	p.line(t.Context(), "it is late")
	want := []client.Decision{{Key: "k", Reason: "yes, but not now"}, {Key: "k", Approve: true}}
	if diff := cmp.Diff(want, p.told); diff != "" || strings.Count(p.out.String(), reason) != 2 {
		t.Errorf("(-want +got)\n%s\n%s", diff, p.out)
	}
}

// A question that is asked again is a new one, for which no reason is awaited yet.
func TestCLI120AQuestionThatIsAskedAgainIsAnsweredFromTheBeginning(t *testing.T) {
	p := newPerson()
	p.show(asks("k"))
	p.line(t.Context(), "because")
	p.show(comm.Event{Type: comm.EventState, State: state.Parked})
	p.show(asks("k"))
	p.line(t.Context(), "yes")
	if want := []client.Decision{{Key: "k", Approve: true}}; cmp.Diff(want, p.told) != "" {
		t.Errorf("got %+v, want %+v", p.told, want)
	}
}

func TestCLI120AQuestionShowsWhatItIsAbout(t *testing.T) {
	p := newPerson()
	e := asks("k")
	e.Text, e.Preview, e.Subject = "it publishes", "-a\n+b\n", []string{"path"}
	p.show(e)
	for _, want := range []string{"may exec run? (it publishes)", "command: make\n      all", "n: 3", "    -a\n    +b", "calls with the same path"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("no %q in\n%s", want, p.out)
		}
	}
}

// Whoever cancels the request knows why its question is gone.
func TestAPR24OnesOwnCancelIsNoAnswerFromElsewhere(t *testing.T) {
	for _, d := range []*comm.Decision{nil, {Verdict: comm.Approved, By: "ann"}} {
		p := newPerson()
		p.show(asks("k"))
		p.cancels()
		p.show(comm.Event{Type: comm.EventState, State: state.Queued, Decision: d})
		if got := p.out.String(); strings.Contains(got, "no longer asked") || strings.Contains(got, "approved by ann") != (d != nil) {
			t.Errorf("decided %+v: got\n%s", d, got)
		}
	}
}

func TestCLI120AnAnswerMeetsOnlyTheQuestionThatIsOpen(t *testing.T) {
	p := newPerson()
	p.show(asks("k"))
	p.show(asks("k")) // told again
	p.show(comm.Event{Type: comm.EventState, State: state.Execution})
	p.line(t.Context(), "y")
	if len(p.told) != 0 || !strings.Contains(p.out.String(), "answered elsewhere") || strings.Count(p.out.String(), "? may exec") != 1 {
		t.Errorf("got %+v and\n%s; want no answer, %q, and 1 question", p.told, p.out, "answered elsewhere")
	}
	p.show(asks("late"))
	p.show(comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.TimedOut}}) // APR-24
	if want := "· may exec run? not answered in time, so it does not run\n"; !strings.Contains(p.out.String(), want) {
		t.Errorf("got\n%s; want %q", p.out, want)
	}
	if !strings.Contains(p.out.String(), choices+"\n·") {
		t.Errorf("what happens is said on the line of the prompt:\n%s", p.out)
	}
	p.show(asks("l"))
	p.show(comm.Event{Type: comm.EventState, State: state.Parked})
	if !strings.Contains(p.out.String(), "it asks again") {
		t.Errorf("got %s; want %q", p.out, "it asks again")
	}
	p.show(asks("l"))
	p.late = true
	p.line(t.Context(), "y")
	if !strings.Contains(p.out.String(), "not accepted") {
		t.Errorf("got %s; want %q", p.out, "not accepted")
	}
	p.show(asks("m"))
	p.late, p.err = false, errors.New("the file is damaged")
	p.line(t.Context(), "a")
	p.err = nil
	p.line(t.Context(), "s") // it stays open
	if last := p.told[len(p.told)-1]; last.Key != "m" || last.Grant != fsm.GrantSession {
		t.Errorf("got %+v, %q, %q; want last.Key %q, last.Grant %q", p.told, last.Key, last.Grant, "m", fsm.GrantSession)
	}
}
