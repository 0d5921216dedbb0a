package script

import "shelly/fsm"

// Script is what the model says to the calls of one purpose, in order for each
// session. An empty Session is for all sessions alike, after a session's own script.
type Script struct {
	Purpose fsm.Purpose
	Session string
	Lines   []Line
}

// Line is one scripted answer of the model. At most one of the failures is set;
// without one, Text, Thinking and Calls are the answer.
type Line struct {
	Text     string
	Thinking string
	Calls    []fsm.ToolCall
	BadArgs  bool           // some of Calls have arguments that are no JSON object
	Quotes   bool           // Text ends with the last message that the model was sent
	Repeats  bool           // it asks for the calls that it asked for last
	Length   bool           // the answer is cut at the token limit
	Hangs    bool           // no answer comes
	Fails    fsm.BrainClass // the call fails so, because of Reason
	Reason   string
	AsText   bool       // the model has no calls of its own: it writes them into Text
	Tokens   fsm.Tokens // what the server counts
	Takes    fsm.Millis // until the answer, or its first piece
	Stream   *Stream    // how it comes in pieces; nil: whole
	Times    int        // how many calls it is for; 0 means 1
}

// Taken names a script entry: the Index-th of the Script-th script or stub; -1
// for none.
type Taken struct{ Script, Index int }

// Nothing names no entry.
var Nothing = Taken{-1, -1}

// lineAt returns the index of the line for the n-th call, from 0, or -1.
func lineAt(lines []Line, n int) int {
	for i := range lines {
		serves := max(lines[i].Times, 1)
		if n < serves {
			return i
		}
		n -= serves
	}
	return -1
}

// Calls is how many calls the script is for.
func (s *Script) Calls() int {
	n := 0
	for _, l := range s.Lines {
		n += max(l.Times, 1)
	}
	return n
}
