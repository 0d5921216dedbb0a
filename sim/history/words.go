package history

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// Told is a step in words.
type Told struct {
	What    string   // what the machine was told
	Moves   []string // its transitions: "cognition → execution", an inference's after its name
	Effects []string // what it did about it, one for each of the step's effects
}

// Tell puts the steps of one history, or the first of them, into words. Of a text it
// tells the first textMax bytes and how many more there are; 0 tells all, a long one on
// lines of its own.
func Tell(steps []Step, textMax int) []Told {
	tell := Telling(textMax)
	told := make([]Told, 0, len(steps))
	for _, s := range steps {
		told = append(told, tell(s))
	}
	return told
}

// Telling is Tell for steps that come one after the other, from the first on.
func Telling(textMax int) func(Step) Told {
	t := teller{textMax: textMax, calls: map[fsm.CallID]called{}, timers: map[fsm.TimerID]fsm.TimerPurpose{}}
	return t.step
}

// teller knows what the steps so far have asked for, so that an answer is shown with
// its question.
type teller struct {
	textMax int
	calls   map[fsm.CallID]called
	timers  map[fsm.TimerID]fsm.TimerPurpose
	now     fsm.Millis // of the step that is shown
	epoch   int        // then
	tools   int        // that it starts
}

// called is a call that was begun.
type called struct {
	what string // the tool's or skill's name
	at   fsm.Millis
}

func (t *teller) step(s Step) Told {
	told := Told{What: t.input(s)}
	for _, m := range s.Moves {
		if !m.Stays() {
			told.Moves = append(told.Moves, moved(m))
		}
	}
	t.tools = 0
	for _, e := range s.Effects {
		if _, ok := e.(fsm.RunTool); ok {
			t.tools++
		}
	}
	for _, e := range s.Effects {
		told.Effects = append(told.Effects, effectWords.Do(t, e))
	}
	return told
}

func moved(m state.Move) string {
	words := fmt.Sprintf("%s → %s", m.From, m.To)
	if m.From == "" {
		words = "→ " + string(m.To)
	}
	if m.Table != state.HandleTable.Name {
		words = m.Table + ": " + words
	}
	return words
}

// took is how long ago a call was begun, after a preposition, or nothing where that
// is not known.
func (t *teller) took(call fsm.CallID) string {
	if lasted, ok := t.lasted(call); ok {
		return " in " + Span(lasted)
	}
	return ""
}

// lasted is how long a call has taken, where its beginning was told.
func (t *teller) lasted(call fsm.CallID) (fsm.Millis, bool) {
	began, ok := t.calls[call]
	return t.now - began.at, ok && t.now >= began.at
}

// name is what a call was begun of, or what else to call it.
func (t *teller) name(call fsm.CallID, otherwise string) string {
	if began, ok := t.calls[call]; ok && began.what != "" {
		return began.what
	}
	return otherwise
}

// text is a text in quotes after a space, or as much of it as is shown.
func (t *teller) text(s string) string {
	if t.textMax == 0 {
		return block(s, strconv.Quote)
	}
	head, rest := Cut(s, t.textMax)
	return " " + strconv.Quote(head) + rest
}

// Quoted is a text as Tell has it: in quotes after a space, or on lines of its own.
func Quoted(s string, textMax int) string {
	t := teller{textMax: textMax}
	return t.text(s)
}

// args is a call's arguments after a space, on one line, or as much of them as is shown.
func (t *teller) args(s string) string {
	if t.textMax == 0 {
		return block(s, func(s string) string { return s })
	}
	head, rest := Cut(oneLine(s), t.textMax)
	return " " + head + rest
}

// oneLine is JSON on one line, with all the blanks that its texts have (APR-25): those between them mean
// nothing.
func oneLine(s string) string {
	var b strings.Builder
	inside, escaped, apart := false, false, false
	for _, r := range strings.TrimSpace(s) {
		blank := strings.ContainsRune(" \t\r\n", r)
		switch {
		case inside && r == '\n':
			b.WriteString(`\n`) // JSON has none in a text
			continue
		case !inside && blank:
			apart = true
			continue
		case apart:
			b.WriteByte(' ')
			apart = false
		}
		inside = inside != (r == '"' && !escaped)
		escaped = inside && r == '\\' && !escaped
		b.WriteRune(r)
	}
	return b.String()
}

// lineMax is the longest text, in bytes, that stands in the line that tells it.
const lineMax = 100

// block is a text as inline makes it, or on lines of its own.
func block(s string, inline func(string) string) string {
	if len(s) <= lineMax && !strings.Contains(s, "\n") {
		return " " + inline(s)
	}
	return "\n  | " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  | ")
}

// list joins what belongs together, each after a space or on lines of its own.
func list(parts ...string) string {
	words := parts[0]
	for i, p := range parts[1:] {
		if strings.Contains(parts[i], "\n") {
			words += "\n " + strings.TrimPrefix(p, "\n ")
		} else {
			words += "," + p
		}
	}
	return words
}

// Cut returns the first bytes of a text, at most most, and a mark for those that are
// missing.
func Cut(s string, most int) (head, rest string) {
	if len(s) <= most {
		return s, ""
	}
	head = wording.Edge(s, most)
	return head, fmt.Sprintf(" … (%s more)", wording.Count(len(s)-len(head), "byte"))
}

// size is a number of bytes in words.
func size(n int) string { return wording.Count(n, "byte") }

// Span is a length of time in words: 35 ms, 1.2 s, 5m03s, 2h07m, 3d04h. Between two times of which
// the second is the earlier one, because the clock was set back, none has passed.
func Span(d fsm.Millis) string {
	d = max(0, d)
	const minute, hour = 60 * fsm.Second, 3600 * fsm.Second
	switch {
	case d < fsm.Second:
		return fmt.Sprintf("%d ms", d)
	case d < minute:
		return fmt.Sprintf("%d.%d s", d/fsm.Second, d%fsm.Second/100)
	case d < hour:
		return fmt.Sprintf("%dm%02ds", d/minute, d%minute/fsm.Second)
	case d < 24*hour:
		return fmt.Sprintf("%dh%02dm", d/hour, d%hour/minute)
	default:
		return fmt.Sprintf("%dd%02dh", d/(24*hour), d%(24*hour)/hour)
	}
}
