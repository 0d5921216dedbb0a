package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

type askCmd struct {
	Text    []string `arg:"" help:"What to ask; - reads it from standard input."`
	Session string   `placeholder:"NAME" help:"Session to ask in."`
	ID      string   `name:"id" placeholder:"ID" help:"Id of the request. The same id with the same text is never done twice."`
	Quiet   bool     `short:"q" help:"Print the reply alone."`
	JSON    bool     `name:"json" help:"Print each event as a line of JSON."`
	place
}

// Run implements the subcommand (CLI-5).
func (c *askCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	text := strings.Join(c.Text, " ")
	if text == "-" {
		if text, err = readAll(t.in, int64(cfg.RequestBytesMax)); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	w := &watching{t: t, json: c.JSON, quiet: c.Quiet}
	reply, err := client.New(cfg.Data, client.Options{Again: w.again}).Ask(ctx,
		client.AskRequest{ID: c.ID, Session: c.Session, Text: text}, w.show)
	if err != nil {
		w.breakLine()
		return c.failed(ctx, reply.ID, err)
	}
	w.reply(reply.Text)
	if reply.IsError {
		return silent(exitFailed)
	}
	return nil
}

// readAll reads a text of at most bytesMax. A longer one is refused here: what is
// read in part must not be sent as if it were all.
func readAll(in io.Reader, bytesMax int64) (string, error) {
	all, err := io.ReadAll(io.LimitReader(in, bytesMax+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read standard input: %w", err)
	case int64(len(all)) > bytesMax:
		return "", failf(exitUsage, "standard input is longer than request_bytes_max, %d bytes: send less, or name a file in the workspace that holds it", bytesMax)
	}
	return string(all), nil
}

// failed words an error and chooses its exit code.
func (c *askCmd) failed(ctx context.Context, id string, err error) error {
	refused := (*client.Error)(nil)
	switch {
	case ctx.Err() != nil:
		return failf(exitFailed, "left before the reply; shelly goes on with it: ask again with --id %s", id)
	case errors.Is(err, client.ErrNotRunning):
		return coded{exitUnreachable, err}
	case errors.Is(err, client.ErrUnauthorized), errors.Is(err, client.ErrTooLarge), errors.Is(err, engine.ErrConflict):
		return coded{exitUsage, err}
	case errors.As(err, &refused) && refused.Code == comm.CodeBadRequest:
		return coded{exitUsage, err}
	case errors.Is(err, engine.ErrNoSpace):
		return coded{exitDisk, err}
	default:
		return failf(exitFailed, "request %s: %w", id, err)
	}
}

// watching prints events as they happen. What goes on is for standard error, so
// that standard output is the reply alone; on a terminal the reply appears there
// as it is streamed.
type watching struct {
	t           *terminal
	json, quiet bool
	streamed    strings.Builder // text of the model call that streams
}

func (w *watching) show(e comm.Event) {
	switch {
	case w.json:
		_ = json.NewEncoder(w.t.out).Encode(e)
	case w.quiet:
	case e.Type == comm.EventChunk && e.Text != "" && w.t.interactive():
		fmt.Fprint(w.t.out, printable(e.Text))
		w.streamed.WriteString(e.Text)
	default:
		if line := eventLine(e); line != "" {
			w.breakLine()
			fmt.Fprintln(w.t.err, printable(line))
		}
	}
}

// again says that the client tries once more.
func (w *watching) again() {
	if !w.json && !w.quiet {
		w.breakLine()
		fmt.Fprintln(w.t.err, "· no word from shelly; trying again")
	}
}

// breakLine ends a line of streamed text. What was streamed stays known: if it
// turns out to be the reply, it is not printed again.
func (w *watching) breakLine() {
	if s := w.streamed.String(); s != "" && !strings.HasSuffix(s, "\n") {
		fmt.Fprintln(w.t.out)
		w.streamed.WriteByte('\n')
	}
}

func (w *watching) reply(text string) {
	if w.json {
		return // the last event has it
	}
	w.breakLine()
	if streamed := strings.TrimSpace(w.streamed.String()); streamed == "" || !strings.HasSuffix(streamed, strings.TrimSpace(text)) {
		if w.t.interactive() {
			text = printable(text)
		}
		fmt.Fprintln(w.t.out, text)
	}
}

// printable shows control characters instead of sending them to a terminal: what
// a model says and a tool prints must not move the cursor or rename the window.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// eventLine is an event in one line, or empty where there is nothing to say.
func eventLine(e comm.Event) string {
	switch e.Type {
	case comm.EventAccepted:
		return "· accepted as " + e.ID
	case comm.EventState:
		switch {
		case e.State == fsm.Queued:
			return fmt.Sprintf("· queued, %d ahead", e.Ahead)
		case e.State == "":
			return "    " + string(e.Inference) // a step within the state
		case e.Inference != "":
			return fmt.Sprintf("· %s, %s", e.State, e.Inference)
		default:
			return "· " + string(e.State)
		}
	case comm.EventTool:
		return fmt.Sprintf("→ %s %s", e.Tool, e.Args)
	case comm.EventToolResult:
		mark := "←"
		if e.Failed {
			mark = "✗"
		}
		return mark + " " + strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n  ")
	case comm.EventDeferred:
		return "· shelly is going down; it keeps the request and answers after the next start"
	default: // a chunk, or the reply, which is printed on its own
		return ""
	}
}
