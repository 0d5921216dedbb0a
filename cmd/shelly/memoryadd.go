package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
)

type memoryAddCmd struct {
	Text    []string `arg:"" help:"What to remember; - reads standard input."`
	Summary string   `placeholder:"TEXT" help:"What a model is told of it. Default: the text, or the beginning of a long one."`
	Session string   `placeholder:"NAME" help:"Session that it belongs to."`
	Kind    string   `default:"note" placeholder:"KIND" help:"Its kind (${default})."`
	place
}

// Help says when a note is found.
func (memoryAddCmd) Help() string {
	return "It is found by keyword at once, and by vector as soon as the daemon has embedded it. Its id is printed when it is durable."
}

// Run implements the subcommand (CLI-20).
func (c *memoryAddCmd) Run(t *terminal) error {
	text := strings.Join(c.Text, " ")
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(t.in, memory.TextBytesMax+1))
		if err != nil {
			return exit.Errorf(exit.Failed, "read standard input: %w", err)
		}
		text = string(read)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	e := fsm.Entry{
		ID: noteID(), Kind: fsm.Kind(c.Kind), Session: c.Session, At: nowMillis(), Summary: strings.TrimSpace(c.Summary), Text: text,
	}
	if strings.TrimSpace(text) == "" {
		return exit.Errorf(exit.Usage, "there is nothing to remember: give a text")
	}
	if err := memory.Check(e); err != nil {
		return exit.With(exit.Usage, err)
	}
	return c.use(writing, func(ctx context.Context, _ config.Config, m memories) error {
		if _, err := m.Bring(ctx, []fsm.Entry{e}, memory.Bringing{}); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.out, e.ID)
		return err
	})
}

// noteID is an id that no entry has: those of the machine begin with h.
func noteID() string { return "note-" + strings.ToLower(rand.Text()[:12]) }
