package talk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/session"
)

func TestCLI150WhatWasSaidBeforeIsShown(t *testing.T) {
	p := newPerson(t)
	p.does(Greeted{Brain: "qwen3"}, Past{Session: "cli:direct", Earlier: 7, Messages: []session.Archived{
		{Message: fsm.Message{Role: fsm.RoleUser, Text: "How full is the disk?"}},
		{Message: fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "exec", Args: `{"command":"df"}`}}}},
		{Message: fsm.Message{Role: fsm.RoleTool, Tool: "exec", Text: "92%\nand more"}},
		{Message: fsm.Message{Role: fsm.RoleAssistant, Text: "It is **92%** full."}},
		{Message: fsm.Message{Role: fsm.RoleUser, Text: "This is your heartbeat.\n\nLook.", Source: fsm.FromOperator}},
	}})
	p.shows("7 messages before this", "› How full is the disk?", "• exec command: df │ 92% (+1)", "It is 92% full.", "· This is your heartbeat.", "session cli:direct, qwen3")
	p.does(Past{Session: "a;b", Earlier: 7, Messages: []session.Archived{{Message: fsm.Message{Role: fsm.RoleUser, Text: "And now?"}}}})
	p.shows("7 messages before this: shelly session show 'a;b'") // CLI-217
}

func TestCLI150WhereAConversationBeganIsShown(t *testing.T) {
	said := func(at fsm.Millis, text string) session.Archived {
		return session.Archived{At: at, Message: fsm.Message{Role: fsm.RoleUser, Text: text}}
	}
	p := newPerson(t)
	p.does(Past{Session: "s", Messages: []session.Archived{said(10, "one"), said(20, "two"), said(30, "three")}, Anew: []fsm.Millis{5, 12, 14, 35}})
	const begins = "· /new: from here on a new conversation"
	want := []string{"› one", "", begins, "", "› two", "", "› three", "", begins, "· session s; /help"}
	if diff := cmp.Diff(want, p.above); diff != "" {
		t.Error(diff)
	}
	p.does(Past{Session: "other", New: true})
	p.shows("· new session other; /help")
}

func TestCLI150TheDaysOfEarlierMessagesAreNamed(t *testing.T) {
	p := newPerson(t)
	p.now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.FixedZone("there", 2*3600))
	said := func(hour int, role fsm.Role, text string) session.Archived {
		at := time.Date(2026, 11, 28, hour, 30, 0, 0, time.UTC)
		return session.Archived{At: fsm.Millis(at.UnixMilli()), Message: fsm.Message{Role: role, Text: text}}
	}
	p.does(Past{Session: "s", Messages: []session.Archived{
		said(21, fsm.RoleUser, "late"), said(22, fsm.RoleUser, "later"), said(22, fsm.RoleAssistant, "yes"), said(24+9, fsm.RoleUser, "next"), said(48+2, fsm.RoleUser, "now"),
	}})
	want := []string{
		"· Saturday, 2026-11-28", "", "› late", "", "· Sunday, 2026-11-29", "", "› later", "", "yes", "", "› next", "", "· today", "", "› now", "", "· session s; /help",
	}
	if diff := cmp.Diff(want, p.above); diff != "" {
		t.Error(diff)
	}
}

func TestCLI150AnAnswerOfAnyLengthFitsAnyWindow(t *testing.T) {
	text := "# Head\n\n" + strings.Repeat("one two three four 五六七八九十 ", 60) + "\n\n- a\n- b\n\n```\n" + strings.Repeat("code\n", 60) + "```\n\n| a | b |\n|---|---|\n| 漢字 | x |\n\nThe end."
	for _, size := range []Resized{{40, 10}, {120, 50}, {9, 4}, {2, 2}, {1, 1}} {
		p := newPerson(t)
		p.does(size)
		id := p.asks("tell me")
		for part := range slices.Chunk([]rune(text), 37) {
			p.happens(id, chunk(string(part)))
		}
		p.does(Resized{33, 12}, Resized{77, 20})
		p.replies(id, text)
		if size.Width >= 40 {
			p.shows("Head", "The end.")
		}
		if n := strings.Count(strings.Join(p.above, "\n"), "  code"); n != 60 {
			t.Errorf("%v: %d lines of code", size, n)
		}
	}
}

func TestCLI150ATextOfManyLinesIsPastedAndSent(t *testing.T) {
	p := newPerson(t)
	text := strings.Repeat("a line\twith 漢字\n", 300) + "the last"
	p.does(Paste{Text: strings.ReplaceAll(text, "\n", "\r\n")})
	p.shows("rows above", "the last")
	p.presses("enter")
	if a, _ := last[Ask](p); a.Text != text {
		t.Errorf("%d bytes are sent, not %d", len(a.Text), len(text))
	}
	p.shows("… 261 more lines")
}

// What is wrong comes first, and what is done about it last.
func TestCLI150WhatARequestWaitsForIsShownToItsEnd(t *testing.T) {
	p := newPerson(t)
	id := p.asks("tell")
	why := "no Ollama server answers at http://127.0.0.1:11434 (connection refused): start it with \"ollama serve\", or set OLLAMA_HOST to where it runs"
	p.happens(id, comm.Event{Type: comm.EventWaiting, Text: why + "; trying again in 19 s"})
	p.shows("no Ollama server", "again in 19 s · 1 s · esc cancels")
	p.happens(id, comm.Event{Type: comm.EventWaiting, Text: strings.Repeat("word ", 100)})
	if n := strings.Count(strings.Join(p.live, "\n"), "word word"); n == 0 || len(p.live) > 6 {
		t.Errorf("the window is full of it:\n%s", strings.Join(p.live, "\n"))
	}
}

func TestCLI150QueuedRequestsWaitInALine(t *testing.T) {
	p := newPerson(t)
	one, two := p.asks("one"), p.asks("two")
	p.happens(two, comm.Event{Type: comm.EventQueued, Ahead: 1})
	p.shows("› one", "⋯ two  (queued, 1 ahead)")
	for range 20 {
		p.does(Tick{}) // a second
	}
	p.replies(one, "First.")
	p.happens(two, moves(state.Cognition, state.Thinking))
	p.shows("› one", "First.", "› two", "asking the model · 1 s")
	p.replies(two, "Second.")
	p.shows("First.", "› two", "Second.")
}

func TestCLI150WhatGoesOnIsShownAgain(t *testing.T) {
	p := newPerson(t)
	p.does(Going{ID: "old", Text: "tell"}, Going{ID: "old", Text: "tell"})
	p.happens("old", comm.Event{Type: comm.EventChunk, Text: "Once up", Whole: true}, chunk("on a time."))
	p.shows("› tell", "Once upon a time.")
	p.replies("old", "Once upon a time.")
	p.shows("› tell", "Once upon a time.")
}

// A chat that is opened later says how long an answer is awaited, and not how long the chat is open.
func TestCLI150WhatGoesOnHasTakenItsTime(t *testing.T) {
	p := newPerson(t)
	for range 100 {
		p.does(Tick{}) // a second
	}
	p.does(Going{ID: "old", Text: "tell", Since: time.UnixMilli(10_000)}, Going{ID: "next", Text: "more", Since: time.UnixMilli(20_000)})
	p.happens("old", moves(state.Cognition, state.Thinking))
	p.shows("asking the model · 1 min 34 s")
	p.replies("old", "Told.")
	p.happens("next", moves(state.Cognition, state.Thinking))
	p.shows("› more", "asking the model · 1 s") // it has waited for the other until now
}

func TestCLI150WithoutColoursNoLineHasAny(t *testing.T) {
	m := New(Options{NewID: func() string { return "x" }})
	m.Update(time.Time{}, Paste{Text: "go"})
	m.Update(time.Time{}, Key{Name: "enter"})
	m.Update(time.Time{}, Happened{ID: "x", Event: calls("a", "{}")})
	f := m.Frame()
	for _, line := range append(f.Above, f.Live...) {
		if strings.Contains(line, "\x1b[3") {
			t.Errorf("%q has a colour", line)
		}
	}
}
