package memory

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
)

type addCmd struct {
	Text    []string `arg:"" help:"What to remember; - reads standard input."`
	Summary string   `placeholder:"TEXT" help:"What the model sees of it. Default: the text, or the beginning of a long one."`
	Session string   `placeholder:"NAME" help:"Session it belongs to."`
	Kind    string   `default:"note" placeholder:"KIND" help:"Its kind (default ${default})."`
	flags.Place
}

// Help says when a note is found.
func (addCmd) Help() string {
	return "It is found by keyword at once, and by vector once the daemon has embedded it. Its id is printed once it is durable."
}

// Run implements the subcommand (CLI-20).
func (c *addCmd) Run(t *terminal.Terminal) error {
	text := strings.Join(c.Text, " ")
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(t.In, memory.TextBytesMax+1))
		if err != nil {
			return err
		}
		text = string(read)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	e := fsm.Entry{
		ID: noteID(), Kind: fsm.Kind(c.Kind), Session: c.Session, At: moment.Now(), Summary: strings.TrimSpace(c.Summary), Text: text,
	}
	if strings.TrimSpace(text) == "" {
		return exit.Errorf(exit.Usage, "nothing to remember: give a text")
	}
	if err := memory.Check(e); err != nil {
		return exit.With(exit.Usage, err)
	}
	return use(&c.Place, writing, func(ctx context.Context, _ config.Config, m memories) error {
		if _, err := m.Bring(ctx, []fsm.Entry{e}, memory.Bringing{}); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.Out, e.ID)
		return err
	})
}

// noteID returns an id that no entry has: those of the machine begin with h.
func noteID() string { return "note-" + strings.ToLower(rand.Text()[:12]) }
