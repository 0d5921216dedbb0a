// Package logging makes the log of the process.
package logging

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/lmittmann/tint"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/config"
)

// New returns a log that writes structured records, to standard error in the daemon (CFG-9).
func New(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // the configuration allows only levels
	if c.Format == "json" {
		return slog.New(asJSON(w, level))
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{
		Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal.Colours(w),
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey { // the only text that tint does not quote
				a.Value = slog.StringValue(unbroken(a.Value.String()))
			}
			if err, ok := a.Value.Any().(error); ok { // tint would write it as %+v, which for the database's errors is a stack trace
				a.Value = slog.StringValue(fmt.Sprint(err))
			}
			return a
		},
	}))
}

// asJSON writes records as JSON, and durations as 1.5s.
func asJSON(w io.Writer, level slog.Level) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.String())
		}
		return a
	}})
}

// unbroken returns a text without anything that could end a line or act on a terminal.
func unbroken(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
