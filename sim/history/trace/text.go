package trace

import (
	"fmt"
	"io"
	"strings"

	"shelly/fsm"
	"shelly/sim/history"
)

// Writer writes steps for people (SIM-31): when a step was, what came in, the transitions,
// what was done about it, what the model was sent, and what changed in the state.
type Writer struct {
	To    io.Writer
	Start fsm.Millis // what times are counted from
	Full  bool       // bookkeeping is shown, too: timers, and records of calls

	last  fsm.Millis
	begun bool
}

// Write writes the next step.
func (w *Writer) Write(s Step) error {
	if !w.begun {
		w.last, w.begun = s.At, true
	}
	var b strings.Builder
	margin := fmt.Sprintf("%5d  %9s  %9s  ", s.N, history.Span(max(0, s.At-w.Start)), "+"+history.Span(max(0, s.At-w.last)))
	w.last = s.At
	indent := strings.Repeat(" ", len([]rune(margin)))
	line := func(words string) {
		b.WriteString(strings.TrimRight(strings.ReplaceAll(words, "\n", "\n"+indent), " ") + "\n")
	}
	line(margin + s.Input.Words)
	for _, m := range s.Marks {
		line(indent + m.String())
	}
	if d := s.Differs; d != nil {
		line(fmt.Sprintf("%s! today's code decides differently: recorded %s, today %s", indent, d.Recorded, d.Today))
	}
	for _, m := range s.Moves {
		if m.From != m.To || w.Full {
			line(indent + m.String())
		}
	}
	for _, e := range s.Effects {
		if e.Minor && !w.Full {
			continue
		}
		line(indent + "→ " + e.Words)
		if e.Sent != nil {
			line(indent + "  sent: " + e.Sent.Words())
			for _, m := range e.Sent.Messages {
				line(indent + "  | " + strings.ReplaceAll(m.String(), "\n", "\n  |   "))
			}
		}
	}
	for _, c := range s.Changes {
		line(indent + "Δ " + c.String())
	}
	if s.Left > 0 {
		line(fmt.Sprintf("%sΔ and %d more", indent, s.Left))
	}
	_, err := io.WriteString(w.To, b.String())
	return err
}

// String is the mark on one line.
func (m Mark) String() string {
	words := "✗ "
	if m.Kind == Met {
		words = "✓ "
	}
	if m.Path != "" {
		words += m.Path
		if m.Text != "" {
			words += ": "
		}
	}
	return words + m.Text
}

// String is the transition on one line, with its table and rule.
func (m Move) String() string {
	words := m.Table
	if m.Handle != 0 {
		words += fmt.Sprintf(" %d", m.Handle)
	}
	words += ": "
	if m.From != "" {
		words += string(m.From) + " "
	}
	words += fmt.Sprintf("→ %s on %s", m.To, m.On)
	if m.Rule != "" {
		words += " (" + m.Rule + ")"
	}
	return words
}

// String is the message: who speaks, and what is said.
func (m Message) String() string {
	words := m.Role
	if m.Tool != "" {
		words += " " + m.Tool
	}
	words += ":"
	if m.Thinking != "" {
		words += " (thinking) " + m.Thinking
	}
	if m.Text != "" {
		words += " " + m.Text
	}
	for _, c := range m.Calls {
		words += fmt.Sprintf(" calls %s %s", c.Name, c.Text)
	}
	if m.Images > 0 {
		words += fmt.Sprintf(" [images: %d]", m.Images)
	}
	return words
}

// String is the change on one line.
func (c Change) String() string {
	words := strings.TrimSpace(c.Of + " " + c.Path)
	switch {
	case c.Path == "" && c.Before == "":
		return words + " began: " + c.After
	case c.Path == "" && c.After == "":
		return words + " ended: " + c.Before
	default:
		return words + ": " + quoted(c.Before) + " → " + quoted(c.After)
	}
}

// quoted is a value on one line; none is –.
func quoted(s string) string {
	switch {
	case s == "":
		return "–"
	case strings.ContainsAny(s, "\n\r\t"):
		return fmt.Sprintf("%q", s)
	default:
		return s
	}
}
