package script

import (
	"strings"

	"shelly/fsm"
	"shelly/sim/server"
)

// Served is the line as a server with such a window has let it be said (SIM-22).
func (l Line) Served(ask fsm.AskBrain, v server.Served, window int) Line {
	if v.Refused {
		return Line{Fails: fsm.BrainContextTruncated, Reason: TruncatedReason(window), Tokens: fsm.Tokens{Prompt: window}}
	}
	if l.Tokens == (fsm.Tokens{}) && l.Fails == "" {
		l.Tokens = fsm.Tokens{Prompt: v.Prompt, Read: v.Read, Answer: v.Written, Reading: v.First - v.Loaded, Writing: v.Last - v.First}
	}
	if v.Cut {
		thinking := server.First(l.thinking(ask), v.Written)
		return l.cut(thinking, server.First(l.text(ask), max(v.Written-server.Tokens(thinking), 0)))
	}
	return l
}

// Thought is the line as a client hears it that goes when there is too much thinking (INF-33): what comes
// before the text or a call, also between tags.
func (l Line) Thought(ask fsm.AskBrain) Line {
	if l.Hangs || l.Fails != "" || !l.Overthinks(ask) {
		return l
	}
	return l.cut(server.First(l.leading(ask), ask.ThinkTokens), "")
}

// Overthinks reports whether more thinking comes before the text than the client has room for.
func (l Line) Overthinks(ask fsm.AskBrain) bool {
	return ask.ThinkTokens > 0 && server.Tokens(l.leading(ask)) > ask.ThinkTokens
}

// leading is the thinking before the text.
func (l Line) leading(ask fsm.AskBrain) string {
	thinking := l.thinking(ask)
	if text, tagged := strings.CutPrefix(l.text(ask), "<think>"); tagged {
		inside, _, _ := strings.Cut(text, "</think>")
		thinking += inside
	}
	return thinking
}

// cut is the line of which no more is said than this, in as many pieces.
func (l Line) cut(thinking, text string) Line {
	l.Thinking, l.Text = thinking, text
	l.Quotes, l.Repeats, l.Calls, l.Length = false, false, nil, true
	if l.Stream != nil && l.Stream.Texts != nil {
		stream := *l.Stream
		stream.Chunks, stream.Texts = len(stream.Texts), nil
		l.Stream = &stream
	}
	return l
}
