package talk

import (
	"errors"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/session"
)

func TestCOM98SubagentsAreSentBesideTheAnswer(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	one := comm.Event{Type: comm.EventSubagent, Handle: 12, Called: "left", State: state.Execution, Text: "look left"}
	p.happens(id, calls("spawn", "{}"), one, returns("spawn", "started", false), chunk("They "))
	one.State = state.Done
	p.happens(id, one, chunk("look."))
	p.shows("subagent h12 (left) starts; shelly request cancel h12 cancels it", "subagent h12 (left) has done its task", "They look.")
	p.replies(id, "They look.")
	p.shows("They look.")
}

func TestCLI151AReplyStreamsAndStands(t *testing.T) {
	p := newPerson(t)
	id := p.asks("what is here?")
	p.happens(id, moves(state.Cognition, ""), moves("", state.Thinking), thinks("The person wants "), thinks("a list."))
	p.shows("› what is here?", "∴ thinking", "The person wants a list.", "thinking", "esc cancels")
	if !strings.Contains(p.raw, "\x1b[2m  \x1b[3mThe person wants a list.") {
		t.Errorf("thinking is not dimmed: %q", p.raw)
	}
	p.happens(id, chunk("There is **one"), chunk(" file**."))
	p.shows("∴ thought for", "There is one file.")
	p.shows0("wants a list")
	p.replies(id, "There is **one file**.")
	p.shows("› what is here?", "∴ thought for", "There is one file.")
	if len(p.live) != 2 || p.live[1] != "›" || p.Busy() {
		t.Errorf("live: %q", p.live)
	}
}

func TestCLI151ACallIsALineThatUnfolds(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, moves("", state.Acting), calls("exec", `{"command":"make\nall"}`), comm.Event{Type: comm.EventOutput, Tool: "exec", Text: "one\ntwo\n"})
	p.shows("→ exec command: make all │ two", "running exec")
	p.presses("ctrl+o")
	p.shows("→ exec", "command: make", "      all", "so far", "one", "two")
	p.presses("ctrl+o")
	p.happens(id, returns("exec", "exit status 2\nno rule\n", true))
	p.shows("✗ exec command: make all │ exit status 2 (+1)")
	p.replies(id, "It failed.")
	p.shows("✗ exec command: make all │ exit status 2 (+1)", "It failed.")
	p.shows0("no rule")
	p.presses("ctrl+o") // nothing runs: the last turn, in full, below
	p.shows("│ exit status 2", "It failed.", "result", "no rule")
}

func TestCLI151NothingActsOnTheTerminal(t *testing.T) {
	const hostile = "a\x1b[2J\x1b]0;title\x07\x9b31m\u202egnp.exe\r\nb\x00"
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, thinks(hostile), moves("", state.Thinking), chunk(hostile+"&#27;[2J `"+hostile+"` [x](http://e\x1b[2Jx)\n\n| a\x1b[1m | b |\n| - | - |\n| "+hostile+" | c |\n"),
		calls("tool\x1b[2J", `{"x\u001b[2J":"\u001b[2J`+"\x1b[2J"+`"}`), returns("tool\x1b[2J", hostile, true),
		comm.Event{Type: comm.EventWaiting, Text: hostile},
		comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 1, Key: "k", Tool: hostile, Args: `{"a":"\u001b[2J"}`, Preview: hostile, Text: hostile, Subject: []string{hostile}})
	p.presses("ctrl+o")
	p.does(Mail{Messages: []comm.Message{{Message: engine.Message{SendMessage: fsm.SendMessage{Session: hostile, Text: hostile}}}}},
		Past{Session: hostile, Messages: []session.Archived{{Message: fsm.Message{Role: fsm.RoleUser, Text: hostile}}, {Message: fsm.Message{Role: fsm.RoleTool, Tool: hostile, Text: hostile}}, {Message: fsm.Message{Role: fsm.RoleAssistant, Text: hostile}}}},
		Greeted{Brain: hostile}, Said{Text: hostile}, Image{Path: hostile, Data: []byte("x")}, Image{Path: hostile, Err: errors.New(hostile)}, Paste{Text: hostile}, Named{For: "", Files: []string{hostile}})
	p.does(Ended{ID: id, Reply: client.Reply{Text: hostile, IsError: true}})
	for at, r := range p.raw {
		if r == '\n' || r >= ' ' && r != 0x7f && !(r >= 0x80 && r < 0xa0) && r != '\u202e' {
			continue
		}
		code, _, ok := strings.Cut(p.raw[at:], "m")
		if r != 0x1b || !ok || strings.Trim(code, "\x1b[0123456789;") != "" {
			t.Fatalf("%q reaches the terminal in %q", r, p.raw[max(0, at-20):min(len(p.raw), at+20)])
		}
	}
}

func TestCLI158MessagesAreShownAndRead(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, chunk("I am "))
	m := comm.Message{Message: engine.Message{Position: 8, SendMessage: fsm.SendMessage{Session: "schedule:s1", To: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "Water the **plants**."}}, From: comm.FromSchedule}
	p.does(Mail{Messages: []comm.Message{m}, More: 3})
	if r, ok := last[Read](p); !ok || r.Messages[0].Position != 8 {
		t.Errorf("got %#v; want a Read of position 8", p.effects)
	}
	p.shows("schedule s1 to cli:direct", "Water the plants.", "3 unread messages", "I am")
	p.replies(id, "I am here.")
	p.shows("Water the plants.", "I am here.")
}
