package wire

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Dropped is the log of a client of the library, the only place where that says which tools of a
// server it drops: those with an invalid x-mcp-header, which the protocol forbids to use.
type Dropped struct {
	mu    sync.Mutex
	tools []*sdk.Tool
}

// Take returns the tools that were dropped since the last call, each with a schema that is an
// [Unreadable].
func (d *Dropped) Take() []*sdk.Tool {
	d.mu.Lock()
	defer d.mu.Unlock()
	tools := d.tools
	d.tools = nil
	return tools
}

// Handle implements [slog.Handler].
func (d *Dropped) Handle(_ context.Context, r slog.Record) error {
	var tool string
	var of bool
	var why error
	r.Attrs(func(a slog.Attr) bool {
		switch v := a.Value.Any().(type) {
		case string:
			if a.Key == "tool" {
				tool, of = v, true
			}
		case error:
			why = v
		}
		return true
	})
	if of && why != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tools = append(d.tools, &sdk.Tool{Name: tool, InputSchema: Unreadable{fmt.Errorf("its schema cannot be used: %w", why)}})
	}
	return nil
}

// Enabled implements [slog.Handler].
func (d *Dropped) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements [slog.Handler].
func (d *Dropped) WithAttrs([]slog.Attr) slog.Handler { return d }

// WithGroup implements [slog.Handler].
func (d *Dropped) WithGroup(string) slog.Handler { return d }
