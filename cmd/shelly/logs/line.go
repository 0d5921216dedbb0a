package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/terminal"
)

// line is a record of the log.
type line struct {
	at    time.Time
	level slog.Level
	text  string
	attrs []attr // in their order
}

// attr is a value with its name, as it is shown.
type attr struct{ name, value string }

// parse parses a record; ok is false for a line that is not a record, such as a power cut
// leaves.
func parse(record []byte) (l line, ok bool) {
	d := json.NewDecoder(bytes.NewReader(record))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return l, false
	}
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return l, false
		}
		if !l.take(fmt.Sprint(name), raw) {
			return l, false
		}
	}
	return l, !l.at.IsZero()
}

// take takes one member of a record.
func (l *line) take(name string, raw json.RawMessage) (ok bool) {
	value := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		value = text
	}
	switch name {
	case slog.TimeKey:
		var err error
		l.at, err = time.Parse(time.RFC3339Nano, value)
		return err == nil
	case slog.LevelKey:
		return l.level.UnmarshalText([]byte(value)) == nil
	case slog.MessageKey:
		l.text = value
	default:
		l.attrs = append(l.attrs, attr{name, value})
	}
	return true
}

// value returns the value of an attribute; "" if the record does not have it.
func (l *line) value(name string) string {
	for _, a := range l.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// has reports whether the record has an attribute of that name and value.
func (l *line) has(name, value string) bool { return l.value(name) == value }

// String returns the record on one line, for a person. Nothing in it acts on a terminal.
func (l *line) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", l.at.Local().Format(time.DateTime), l.level, l.text)
	for _, a := range l.attrs {
		value := a.value
		if value == "" || strings.ContainsAny(value, " \"=\n\t") {
			value = fmt.Sprintf("%q", value)
		}
		fmt.Fprintf(&b, " %s=%s", a.name, value)
	}
	return strings.ReplaceAll(terminal.Printable(b.String()), "\n", " ")
}
