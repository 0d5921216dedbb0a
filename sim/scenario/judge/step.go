package judge

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
)

// stepLines is a step on one line, with its number, after a line for each step before it
// that a crash took away.
func stepLines(i int, s sim.Step, start fsm.Millis) []string {
	var lines []string
	for _, l := range s.Lost {
		lines = append(lines, "  x  "+lostText(l, start))
	}
	return append(lines, fmt.Sprintf("%3d  %s", i+1, stepText(s, start)))
}

// lostText is a step that a crash took away, marked as one.
func lostText(s sim.Step, start fsm.Millis) string {
	return stepText(s, start) + " (lost in the crash)"
}

// stepText is when a step was, what came in, what it moved and what it caused.
func stepText(s sim.Step, start fsm.Millis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "+%-8s %-14s", s.At-start, inputWord(s.Input))
	between := ""
	for _, m := range s.Moves {
		if m.Stays() {
			continue
		}
		b.WriteString(between)
		between = ","
		subject := m.Table
		if m.Handle != 0 {
			subject += " " + strconv.FormatUint(uint64(m.Handle), 10)
		}
		fmt.Fprintf(&b, " %s %s→%s", subject, m.From, m.To)
	}
	for n, e := range s.Effects {
		if n == 0 {
			b.WriteString(" ⇒")
		}
		b.WriteString(" " + effectWord(e))
	}
	return strings.TrimRight(b.String(), " ")
}

// topicBytesMax is how much of what tells an input from its like stands in its line.
const topicBytesMax = 80

// inputWord is an input's kind, with what tells it from its like where nothing else in the
// line does.
func inputWord(in fsm.Input) string {
	word := fsm.InputKind(in)
	if f, ok := in.Fact.(interface{ Topic() string }); ok {
		word += "(" + wording.Clip(wording.OneLine(f.Topic()), topicBytesMax) + ")"
	}
	return word
}

// effectWord is an effect's kind, with what tells it from its like.
func effectWord(e fsm.Effect) string {
	word := fsm.EffectKind(e)
	switch e := e.(type) {
	case fsm.AskBrain:
		word += "(" + string(e.Purpose) + ")"
	case fsm.RunTool:
		word += "(" + e.Name + ")"
	case fsm.SetTimer:
		word += "(" + string(e.Purpose) + " " + e.After.String() + ")"
	case fsm.LoadSkill:
		word += "(" + e.Skill + ")"
	case fsm.AskPerson:
		word += "(" + string(e.Question) + ")"
	case fsm.Audit:
		word += "(" + e.Tool + ")"
	case fsm.Exit:
		word += "(" + string(e.Code) + ")"
	}
	return word
}
