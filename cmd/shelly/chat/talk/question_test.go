package talk

import (
	"errors"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/question"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func ask(key string) comm.Event {
	return comm.Event{
		Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: key, Tool: "exec", Args: `{"command":"make"}`,
		Text: "it publishes", Preview: "-a\n+b\n", Subject: []string{"path"},
	}
}

func TestCLI152EachKeyDecides(t *testing.T) {
	for key, want := range map[string]client.Decision{ // order-free: each has its own world
		"y": {Approve: true}, "n": {}, "s": {Approve: true, Grant: fsm.GrantSession}, "a": {Approve: true, Grant: fsm.GrantAlways},
	} {
		p := newPerson(t)
		id := p.asks("go")
		p.happens(id, ask("k"), ask("k"))
		p.does(Tick{})
		p.shows("? may exec run? (it publishes)", "command: make", "-a", "+b", "calls with the same path", question.Choices)
		p.types("x")
		p.presses("backspace")
		p.types(key)
		p.types(key) // the question is over
		want.Key = "k"
		if d, ok := last[Decide](p); !ok || d.Handle != 7 || d.Decision != want {
			t.Errorf("%s: got %+v, %v, %d, %+v; want ok true, d.Handle 7, d.Decision %+v", key, p.effects, ok, d.Handle, d.Decision, want)
		}
		p.shows0("[y]es")
		if got := p.edit.Text(); got != key {
			t.Errorf("%s: the second goes into the line: %q", key, got)
		}
		p.happens(id, ask("k")) // told again
		p.shows0("[y]es")
	}
}

func TestAPR24AChatSaysHowAQuestionHasEnded(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, ask("m"), comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a Friday"}})
	p.shows("may exec run? refused by ann: not on a Friday")
	p.happens(id, ask("n"))
	p.does(Tick{})
	p.now = p.now.Add(restAfter)
	p.types("n")
	p.happens(id, comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Refused, By: "local"}})
	p.shows0("by local") // it was answered here
	p.happens(id, comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Unresolved}})
	p.shows("not resolved in time")
	p.happens(id, ask("o"), comm.Event{Type: comm.EventState, State: state.Cancelled})
	p.shows("no longer asked: the request was cancelled")
}

// After a restart the stream tells again what the daemon has of the question, which may be answered by then.
func TestAPR24AnAnswerBeforeTheStreamIsBackIsSaidOnce(t *testing.T) {
	for _, taken := range []bool{true, false} {
		p := newPerson(t)
		id := p.asks("go")
		p.happens(id, ask("k"))
		p.does(Broke{ID: id})
		p.types("y")
		p.does(Decided{ID: id, Key: "k", Taken: taken})
		p.does(Attached{ID: id, Restarted: true})
		p.happens(id, ask("k"), comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Approved, By: "ann"}})
		p.shows0("[y]es")
		if taken {
			p.shows("approved: exec")
			p.shows0("by ann")
		} else {
			p.shows("not accepted", "may exec run? approved by ann")
		}
	}
}

func TestCLI152NoKeyAnswersByMistake(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.types("sa")
	p.happens(id, ask("k"))
	p.shows0("[y]es") // not before a key answers
	p.types("y")      // belongs to the word
	p.shows("once the line below is sent or empty")
	p.does(Paste{Text: "y"})
	p.presses("ctrl+u")
	p.happens(id, ask("l"))
	p.effects = append(p.effects, p.Update(p.now.Add(restAfter/2), Key{Name: "y", Text: "y"})...) // it was not seen yet
	if _, ok := last[Decide](p); ok {
		t.Errorf("got %+v, %v; want ok false", p.effects, ok)
	}
	p.types("y")
	if d, ok := last[Decide](p); !ok || d.Decision.Key != "l" {
		t.Errorf("got %+v, %v, %q; want ok true, d.Decision.Key %q", p.effects, ok, d.Decision.Key, "l")
	}
}

func TestCLI152AnAnswerThatIsNotTaken(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, ask("k"), moves(state.Execution, ""))
	p.shows("answered elsewhere")
	p.shows0("[y]es")
	p.happens(id, ask("l"))
	p.types("y")
	p.does(Decided{ID: id, Key: "l", Err: errors.New("the file is damaged")})
	p.shows("not answered: the file is damaged", "[y]es")
	p.shows0("approved")
	p.types("n")
	p.does(Decided{ID: id, Key: "l", Taken: false})
	p.shows("not accepted")
	p.shows0("denied")
	p.happens(id, ask("m"))
	p.does(Broke{ID: id})
	p.shows("may exec run?", "no answer from shelly; trying again")
	p.does(Attached{ID: id})
	p.shows("may exec run?")
	p.shows0("trying again")
}

func TestCLI152ARefusalWithAReason(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, ask("k"))
	p.types("b")
	p.shows("no, because:")
	p.shows0("[y]es")
	p.types("n") // to the reason, as y and a slash would be
	p.presses("backspace")
	p.presses("backspace")
	p.shows(question.Choices)
	p.types("b/new, rather")
	p.shows0("/new  ")
	p.presses("esc")
	p.shows(question.Choices)
	if d, ok := last[Decide](p); ok || p.edit.Text() != "" || len(p.turns) != 1 || p.turns[0].cancelling {
		t.Fatalf("got %+v, %q; want nothing decided and an empty line", d, p.edit.Text())
	}
	p.types("buse make -n ")
	p.presses("enter")
	p.presses("enter")
	want := client.Decision{Key: "k", Reason: "use make -n"}
	if d, ok := last[Decide](p); !ok || d.Decision != want || p.edit.Text() != "" {
		t.Fatalf("got %+v, %v, line %q; want %+v", d, ok, p.edit.Text(), want)
	}
	p.shows("refused: exec command: make; because: use make -n")
	p.does(Decided{ID: id, Key: "k", Reason: "use make -n", Err: errors.New("the disk is full")})
	p.shows("not answered: the disk is full", "no, because:", "use make -n")
	p.happens(id, moves(state.Execution, ""))
	sent := len(p.effects)
	p.presses("enter")
	p.shows("that question is no longer open")
	if got := p.edit.Text(); got != "use make -n" || len(p.effects) != sent {
		t.Errorf("got line %q, %+v; want the reason, and nothing sent", got, p.effects[sent:])
	}
	p.presses("enter")
	if a, ok := last[Ask](p); !ok || a.Text != "use make -n" {
		t.Errorf("got %+v, %v; want it asked", a, ok)
	}
	p.happens(id, ask("l"))
	p.types("b")
	p.types(strings.Repeat("a", comm.ReasonBytesMax+1))
	p.presses("enter")
	p.shows("a reason has at most 2000 bytes")
	p.presses("ctrl+c")
	p.types("bx")
	p.happens(id, moves(state.Execution, ""), ask("m"))
	p.presses("ctrl+u")
	p.types("n")
	if d, ok := last[Decide](p); !ok || d.Decision != (client.Decision{Key: "m"}) {
		t.Errorf("got %+v, %v; want the next question refused without a reason", d, ok)
	}
}

// A long text to write leaves in sight what the call would do, and which calls a grant covers.
func TestCLI152AQuestionIsCutInItsLongestPart(t *testing.T) {
	for _, size := range []Resized{{80, 24}, {40, 24}, {40, 18}} {
		p := newPerson(t)
		p.does(size)
		id := p.asks("go")
		q := ask("k")
		q.Args = `{"content":"` + strings.Repeat(`a line\n`, 100) + `"}`
		p.happens(id, q)
		p.does(Tick{})
		p.shows("? may exec run?", "content: a line", "more lines: ctrl-o shows all", "it would do this:", "-a", "+b", "session and always:")
		if most := size.Height/2 + 8; len(p.live) > most { // with the choices and the line that is written
			t.Errorf("%v: %d lines are more than %d", size, len(p.live), most)
		}
		q.Preview = strings.Repeat("+a line\n", 100)
		p.happens(id, moves(state.Execution, ""), q)
		p.does(Tick{})
		p.shows("? may exec run?", "it would do this:", "session and always:")
		if n := strings.Count(strings.Join(p.live, "\n"), "ctrl-o shows all"); n != 2 {
			t.Errorf("%v: %d parts are cut, not 2", size, n)
		}
	}
}
