package ask

import (
	"bytes"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// screen is a watching with all that it writes, in order, as a terminal would get it.
func screen(columns int) (*watching, *bytes.Buffer) {
	out := &bytes.Buffer{}
	w := &watching{t: &terminal.Terminal{Out: out, Err: out}}
	if columns > 0 {
		w.state, w.columns = &terminal.Line{Out: out, Terminal: true}, columns
	}
	return w, out
}

func TestCOM60WhatIsShownOfAnAnswerIsNotShownAgain(t *testing.T) {
	const lost = "· no answer from shelly; trying again\n"
	for name, c := range map[string]struct { // order-free: each has its own world
		before, whole, want string
	}{
		"nothing was shown":           {"", "One. Two", lost + "One. Two three."},
		"cut in the midst of a line":  {"One. T", "One. Two", "One. T\n" + lost + "wo three."},
		"cut at the end of a line":    {"One.\n", "One.\nTwo", "One.\n" + lost + "Two three."},
		"nothing came meanwhile":      {"One. Two", "One. Two", "One. Two\n" + lost + " three."},
		"another answer":              {"Perhaps", "One. Two", "Perhaps\n" + lost + "One. Two three."},
		"another that begins like it": {"Only O", "One. Two", "Only O\n" + lost + "One. Two three."},
		"the same, not yet so far":    {"One. Two three", "One. Two", "One. Two three\n" + lost + "One. Two three."},
	} {
		t.Run(name, func(t *testing.T) {
			w, out := screen(0)
			if c.before != "" {
				w.chunk(comm.Event{Type: comm.EventChunk, Text: c.before})
			}
			w.again()
			w.chunk(comm.Event{Type: comm.EventChunk, Text: c.whole, Whole: true})
			w.chunk(comm.Event{Type: comm.EventChunk, Text: " three."})
			if out.String() != c.want {
				t.Errorf("%q, not %q", out, c.want)
			}
			shown := out.Len()
			w.reply(c.whole + " three.")
			if rest := out.String()[shown:]; rest != "\n" {
				t.Errorf("the reply is printed again: %q", rest)
			}
		})
	}
}

// A client tries more than once, and what it says meanwhile is no part of the answer.
func TestCOM60AnAnswerContinuesAfterSeveralTries(t *testing.T) {
	w, out := screen(0)
	w.chunk(comm.Event{Type: comm.EventChunk, Text: "I look.\nOne. T"})
	w.again()
	w.again()
	w.show(comm.Event{Type: comm.EventState, State: state.Cognition})
	w.chunk(comm.Event{Type: comm.EventChunk, Text: "One. Two.", Whole: true})
	if _, after, _ := strings.Cut(out.String(), "· cognition\n"); after != "wo." {
		t.Errorf("%q", out)
	}
}

func TestCLI5WhatItDoesIsOneLineThatIsRedrawn(t *testing.T) {
	w, out := screen(20)
	shows := func(what, want string) {
		t.Helper()
		if out.String() != want {
			t.Errorf("%s: %q, not %q", what, out, want)
		}
		out.Reset()
	}
	const clear, erased = "\x1b[K", "\r\x1b[K"
	w.show(comm.Event{Type: comm.EventQueued, Ahead: 2})
	shows("the first", "\r· queued, 2 ahead"+clear)
	w.show(comm.Event{Type: comm.EventState, State: state.Cognition, Inference: state.Thinking})
	w.show(comm.Event{Type: comm.EventWaiting, Text: "the model loads, which takes a while"})
	shows("one that is wider than the terminal", erased+"\r· asking the model"+clear+erased+"\r· the model loads,…"+clear)
	w.show(comm.Event{Type: comm.EventTool, Tool: "list_dir", Args: "{}"})
	shows("a line that stays", erased+"→ list_dir {}\n\r· running list_dir"+clear)
	w.chunk(comm.Event{Type: comm.EventChunk, Text: "It is"})
	w.show(comm.Event{Type: comm.EventWaiting, Text: "thinking"})
	w.chunk(comm.Event{Type: comm.EventChunk, Text: " empty."})
	shows("an answer is not broken by it", erased+"It is empty.")
	w.say("· cancelled")
	w.ask("y/n ")
	w.draw()
	shows("a prompt is not drawn over", "\n· cancelled\n\r· running list_dir"+clear+erased+"y/n ")
	w.answered()
	w.reply("It is empty.")
	shows("nothing of it stays", "")
}
