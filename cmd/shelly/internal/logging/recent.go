package logging

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// recentMax is how many warnings and errors are remembered.
const recentMax = 20

// lineBytesMax is how many bytes of each are remembered.
const lineBytesMax = 500

// Recent remembers the last warnings and errors of a log.
type Recent struct {
	mu    sync.Mutex
	lines []comm.Logged
}

// Lines returns the remembered records, the newest last.
func (r *Recent) Lines() []comm.Logged {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// add adds a record. One that says the same as an earlier one but for numbers takes its place, so that
// something that fails again and again does not push out all else (COM-53).
func (r *Recent) add(l comm.Logged) {
	r.mu.Lock()
	defer r.mu.Unlock()
	same := wording.Numberless(l.Text)
	at := slices.IndexFunc(r.lines, func(o comm.Logged) bool { return o.Level == l.Level && wording.Numberless(o.Text) == same })
	if at >= 0 {
		l.Times = max(r.lines[at].Times, 1) + 1
		r.lines = slices.Delete(r.lines, at, at+1)
	}
	r.lines = append(r.lines, l)
	r.lines = r.lines[max(0, len(r.lines)-recentMax):]
}

// Log returns a log that writes to another one and is remembered.
func (r *Recent) Log(to *slog.Logger) *slog.Logger {
	return slog.New(remembering{Handler: to.Handler(), recent: r})
}

// remembering is a handler that remembers.
type remembering struct {
	slog.Handler
	recent *Recent
	attrs  string // of the log, as they are shown
}

// Enabled implements [slog.Handler].
func (h remembering) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.Handler.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h remembering) Handle(ctx context.Context, rec slog.Record) error {
	if rec.Level >= slog.LevelWarn {
		text := unbroken(rec.Message) + h.attrs
		rec.Attrs(func(a slog.Attr) bool {
			text += said(a)
			return true
		})
		if len(text) > lineBytesMax {
			text = strings.ToValidUTF8(text[:lineBytesMax], "") + "…"
		}
		h.recent.add(comm.Logged{At: fsm.Millis(rec.Time.UnixMilli()), Level: rec.Level.String(), Text: text})
	}
	if !h.Handler.Enabled(ctx, rec.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, rec)
}

// said returns an attribute as it is shown after a message.
func said(a slog.Attr) string {
	value := unbroken(a.Value.String())
	if strings.ContainsAny(value, " \"=") {
		value = `"` + strings.ReplaceAll(value, `"`, `'`) + `"`
	}
	return " " + a.Key + "=" + value
}

// WithAttrs implements [slog.Handler].
func (h remembering) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.Handler = h.Handler.WithAttrs(attrs)
	for _, a := range attrs {
		h.attrs += said(a)
	}
	return h
}

// WithGroup implements [slog.Handler].
func (h remembering) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}
