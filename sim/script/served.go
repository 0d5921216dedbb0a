package script

import (
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
		l.Thinking = server.First(l.thinking(ask), v.Written)
		l.Text = server.First(l.text(ask), max(v.Written-server.Tokens(l.Thinking), 0))
		l.Quotes, l.Repeats, l.Calls, l.Length = false, false, nil, true
	}
	return l
}
