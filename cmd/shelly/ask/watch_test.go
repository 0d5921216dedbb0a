package ask

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// screen is a watching with all its output in order, as a terminal would get it.
func screen(columns int) (*watching, *bytes.Buffer) {
	out := &bytes.Buffer{}
	w := &watching{t: &terminal.Terminal{Out: out, Err: out}, streams: true}
	if columns > 0 {
		w.state, w.columns = &terminal.Line{Out: out, Terminal: true}, columns
	}
	return w, out
}

// told returns pieces of a model call's text, each with its offset.
func told(w *watching, call fsm.CallID, from int, pieces ...string) {
	for _, text := range pieces {
		w.show(comm.Event{Type: comm.EventChunk, Call: call, From: from, Text: text})
		from += len(text)
	}
}

// instead returns the first piece of a call that replaces the one before.
func instead(w *watching, call fsm.CallID, text string) {
	w.show(comm.Event{Type: comm.EventChunk, Call: call, Text: text, Whole: true})
}

// Where nobody is asked at the terminal, a line says how a question has ended.
func TestAPR24ALineSaysHowAQuestionHasEnded(t *testing.T) {
	for _, columns := range []int{0, 80} {
		for _, answers := range []bool{false, true} {
			w, out := screen(columns)
			w.answers = answers
			w.show(comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on\x1ba Friday"}})
			w.show(comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Resolved, Reason: "it was sent"}})
			if !strings.Contains(out.String(), "· resolved: it was sent\n") {
				t.Errorf("%d columns, an answering asks: %t:\n%s", columns, answers, out)
			}
			if got := strings.Contains(out.String(), "· refused by ann: not on\\x1ba Friday\n"); got == answers {
				t.Errorf("%d columns, an answering asks: %t:\n%s", columns, answers, out)
			}
		}
	}
}

const lost, anew = "· no answer from shelly; trying again\n", "· the answer begins again\n"

func TestCLI214WhatStandsThereIsNotShownTwice(t *testing.T) {
	for name, c := range map[string]struct { // order-free: each has its own world
		happens     func(w *watching)
		reply, want string
	}{
		"the rest of the same answer": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
			w.retry()
			told(w, 7, 6, "wo", " three.")
		}, "One. Two three.", "One. T\n" + lost + "wo three.\n"},
		"the rest is the reply's": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
		}, "One. Two three.", "One. T\n" + lost + "wo three.\n"},
		"asked again, and the same": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
			instead(w, 9, "On")
			told(w, 9, 2, "e. ", "Two", " three.")
		}, "One. Two three.", "One. T\n" + lost + "wo three.\n"},
		"killed twice, the second time sooner": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
			instead(w, 9, "On")
			w.retry()
			instead(w, 11, "One")
			told(w, 11, 3, ". Two")
		}, "One. Two", "One. T\n" + lost + lost + "wo\n"},
		"killed twice, the second time later": {func(w *watching) {
			told(w, 7, 0, "On")
			w.retry()
			instead(w, 9, "One. T")
			w.retry()
			instead(w, 11, "One. Two")
		}, "One. Two", "On\n" + lost + "e. T\n" + lost + "wo\n"},
		"asked again, and another": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
			instead(w, 9, "On")
			told(w, 9, 2, "ce", " more.")
		}, "Once more.", "One. T\n" + lost + anew + "Once more.\n"},
		"asked again, and less": {func(w *watching) {
			told(w, 7, 0, "One. T")
			w.retry()
			instead(w, 9, "One.")
		}, "One.", "One. T\n" + lost + "One.\n"},
		"the model was asked again without a kill": {func(w *watching) {
			told(w, 7, 0, "One. T")
			instead(w, 8, "One. Tw")
			told(w, 8, 7, "o")
		}, "One. Two", "One. Two\n"},
		"a text beside a call, and the same text after it": {func(w *watching) {
			told(w, 7, 0, "Wait.")
			w.show(comm.Event{Type: comm.EventTool, Tool: "look", Args: "{}"})
			told(w, 8, 0, "Wait.")
		}, "Wait.", "Wait.\n→ look {}\nWait.\n"},
		"a call that never began": {func(w *watching) {
			told(w, 7, 0, "Wait.")
			told(w, 8, 0, "Now.")
		}, "Now.", "Wait.\nNow.\n"},
		"no answer": {func(w *watching) {
			told(w, 7, 0, "One. T")
		}, "error: the model has gone", "One. T\nerror: the model has gone\n"},
		"nothing was streamed": {func(*watching) {}, "Fine.", "Fine.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w, out := screen(0)
			c.happens(w)
			w.reply(c.reply)
			if out.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", out, c.want)
			}
		})
	}
}

func TestCLI5TheLineShowsHowLongItTakes(t *testing.T) {
	w, out := screen(30)
	lasts := time.Second
	w.lasts = func() time.Duration { return lasts }
	shows := func(what, want string) {
		t.Helper()
		if out.String() != want {
			t.Errorf("%s: %q, not %q", what, out, want)
		}
		out.Reset()
	}
	const clear = "\x1b[K"
	w.redraw()
	shows("nothing is drawn yet", "")
	w.show(comm.Event{Type: comm.EventWaiting, Text: "reading 1,072 tokens, about 18 s"})
	shows("a quick one", "\r· reading 1,072 tokens, abou…"+clear)
	lasts = 12 * time.Second
	w.redraw()
	w.redraw()
	shows("a slow one, once", "\r· reading 1,072 token… · 12 s"+clear)
	told(w, 7, 0, "It is")
	out.Reset()
	w.redraw()
	shows("beside a line of the answer", "")
	w.show(comm.Event{Type: comm.EventWaiting, Text: "nothing has come"})
	out.Reset()
	lasts = 13 * time.Second
	w.redraw()
	w.redraw()
	shows("below it", "\v\x1b[A\x1b7\r\n· nothing has come · 13 s"+clear+"\x1b8")
	w.reply("It is.")
	out.Reset()
	w.redraw()
	shows("after the reply", "")
}

func TestCOM29TheTimeUntilTheNextAttemptIsNotCut(t *testing.T) {
	const text = "· no Ollama server answers at http://127.0.0.1:11434; trying again in 6 s, or as soon as it answers"
	for width, want := range map[int]string{ // order-free: each is alone
		99: text,
		98: "· no Ollama server answers at http://127.0.0.1:114…; trying again in 6 s, or as soon as it answers",
		80: "· no Ollama server answers at ht…; trying again in 6 s, or as soon as it answers",
		40: "· no Ollama…; trying again in 6 s, or a…",
	} {
		if got := within(text, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestCLI5NothingIsShownAfterTheReply(t *testing.T) {
	w, out := screen(40)
	w.show(comm.Event{Type: comm.EventState, State: state.Saving})
	w.reply("It is.")
	if w.say("· cancel accepted"); !strings.HasSuffix(out.String(), "It is.\n") {
		t.Errorf("%q", out)
	}
}

func TestCLI214AnOutageIsSaidOnce(t *testing.T) {
	w, out := screen(0)
	for range 3 {
		w.retry()
	}
	w.show(comm.Event{Type: comm.EventState, State: state.Cognition})
	w.retry()
	if n := strings.Count(out.String(), "no answer from shelly"); n != 2 {
		t.Errorf("it is said %d times, want once for each of 2 outages:\n%s", n, out)
	}
}

func TestCLI5TheArgumentsOfACallAreCut(t *testing.T) {
	w, out := screen(0)
	w.show(comm.Event{Type: comm.EventTool, Tool: "write_file", Args: `{"content":"` + strings.Repeat("line\\n", 500) + `"}`})
	w.show(comm.Event{Type: comm.EventTool, Tool: "exec", Args: `{"command":"a  b"}`})
	if got := out.String(); len(got) > 500 || !strings.Contains(got, "…\n→ exec {\"command\":\"a  b\"}\n") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// HND-37: nobody is told that nobody is ahead.
func TestHND37ARequestThatIsNextIsQueued(t *testing.T) {
	for ahead, want := range []string{"· queued", "· queued, 1 ahead"} {
		for _, e := range []comm.Event{{Type: comm.EventQueued, Ahead: ahead}, {Type: comm.EventState, State: state.Queued, Ahead: ahead}} {
			if got := eventLine(e); got != want {
				t.Errorf("%s, %d ahead: got %q, want %q", e.Type, ahead, got, want)
			}
		}
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
	told(w, 7, 0, "It is")
	w.show(comm.Event{Type: comm.EventWaiting, Text: "thinking"})
	told(w, 7, 5, " empty.")
	const below = "\v\x1b[A\x1b7\r\n· running list_dir" + clear + "\x1b8"
	shows("an answer is not broken by it", erased+"It is"+below+"\x1b[J empty.")
	w.say("· cancelled")
	w.ask("y/n ")
	w.draw()
	shows("a prompt is not drawn over", "\n· cancelled\n\r· running list_dir"+clear+erased+"y/n ")
	w.answered()
	w.reply("It is empty.")
	shows("nothing of it stays", "")
}
