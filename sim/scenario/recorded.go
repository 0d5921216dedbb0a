package scenario

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/explore"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
)

// Recorded is a replay of what a journal holds (SCN-46).
type Recorded struct {
	Name  string
	About []string // comments above it, a line each
	Start fsm.Millis
	From  *state.Snapshot // nil: a machine that never ran
	Told  []explore.Told  // at times of the wall clock, none before Start
	Hash  uint64          // of the trace; 0: it is not expected
	Reply *engine.Request
}

// Write writes the replay as a scenario, with words beside each entry.
func (r *Recorded) Write(w io.Writer) error {
	var b strings.Builder
	for _, line := range r.About {
		b.WriteString("# " + wording.OneLine(line) + "\n")
	}
	fmt.Fprintf(&b, "scenario: %d\nname: %s\ntags: [export]\n", format.FormatVersion, named(r.Name))
	fmt.Fprintf(&b, "clock: {start: %q}\n", clockTime(r.Start))
	if r.From != nil {
		text, err := json.Marshal(r.From)
		if err != nil {
			return err
		}
		v, err := data.OfJSON(string(text))
		if err != nil {
			return err
		}
		b.WriteString("from: " + v.String() + "\n")
	}
	if err := writeTold(&b, r.Told, r.Start); err != nil {
		return err
	}
	if r.Hash != 0 {
		hash := format.Hash(r.Hash).String()
		if strings.Trim(hash, "0123456789e") == "" { // YAML would take it for a number
			hash = strconv.Quote(hash)
		}
		fmt.Fprintf(&b, "hash: %s\n", hash)
	}
	if q := r.Reply; q != nil {
		v := data.Map("", data.With("id", wanted(q.Key.ID)), data.With("text", wanted(q.Reply)), data.With("outcome", data.Text(string(q.Outcome))))
		if q.IsError {
			v.Members = append(v.Members, data.With("is_error", data.Bool(true)))
		}
		b.WriteString("expect:\n  replies: " + data.Map("", data.With("$contains", v)).String() + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// literal is a text as a file has it where variables are put in.
func literal(text string) data.Value { return data.Text(strings.ReplaceAll(text, "${", "$${")) }

// wanted is a text as an expectation has it, where $any is a matcher (SCN-56).
func wanted(text string) data.Value {
	if strings.HasPrefix(text, "$") {
		return data.Map("", data.With("$literal", literal(text)))
	}
	return literal(text)
}

// named is the name of a case as a file has it.
func named(text string) string {
	return literal(wording.Clip(wording.OneLine(text), nameBytesMax)).String()
}

// clockTime is a time as clock.start has it.
func clockTime(at fsm.Millis) string {
	return time.UnixMilli(int64(at)).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

// span is a duration as a file has it.
func span(d fsm.Millis) string { return (time.Duration(d) * time.Millisecond).String() }

// writeTold writes the entries of a replay, with their times since start. A boot that
// equals one before it refers to it.
func writeTold(b *strings.Builder, told []explore.Told, start fsm.Millis) error {
	b.WriteString("replay:\n")
	var boots []string
	for _, t := range told {
		text, err := wireForm(t.Input)
		if err != nil {
			return err
		}
		if _, ok := t.Input.Fact.(fsm.Boot); ok {
			nth := slices.Index(boots, text)
			if nth < 0 {
				boots = append(boots, text)
				text = fmt.Sprintf("&boot%d %s", len(boots), text)
			} else {
				text = fmt.Sprintf("*boot%d", nth+1)
			}
		}
		fmt.Fprintf(b, "  # %s\n  - ", wording.OneLine(t.Words))
		if t.At > start {
			b.WriteString("at: " + span(t.At-start) + "\n    ")
		}
		b.WriteString("input: " + text + "\n")
		if t.Lost {
			b.WriteString("    lost: true\n")
		}
		if t.Unseen {
			b.WriteString("    unseen: true\n")
		}
	}
	return nil
}

// wireForm is an input as a replay has it, on one line.
func wireForm(in fsm.Input) (string, error) {
	wire, err := fsm.MarshalInput(in)
	if err != nil {
		return "", err
	}
	v, err := data.OfJSON(string(wire))
	if err != nil {
		return "", err
	}
	v.Members = slices.DeleteFunc(v.Members, func(m data.Member) bool { return m.Key == "at" })
	return v.String(), nil
}

// Render writes a scenario for people: a JSON object with the keys of the format, in
// their order. Its texts are meant as they stand, so that no variables are put in
// (SCN-17).
func Render(object []byte) (string, error) {
	v, err := data.OfJSON(string(object))
	if err != nil {
		return "", err
	}
	return data.YAML(verbatim(v)), nil
}

// verbatim is a value with its texts as a file has them. No variables are put into keys.
func verbatim(v data.Value) data.Value {
	if v.Kind == data.TextKind {
		return literal(v.Text)
	}
	for i := range v.List {
		v.List[i] = verbatim(v.List[i])
	}
	for i := range v.Members {
		v.Members[i].Value = verbatim(v.Members[i].Value)
	}
	return v
}
