package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

type askCmd struct {
	Text    []string `arg:"" help:"What to ask; - reads it from standard input."`
	Session string   `placeholder:"NAME" help:"Session to ask in. Default: that of the chat."`
	Channel string   `placeholder:"NAME" help:"Channel that the question comes from."`
	Chat    string   `placeholder:"NAME" help:"Chat of the channel; messages of the agent go there."`
	Image   []string `placeholder:"FILE" sep:"none" help:"Send an image with the question; may be repeated."`
	ID      string   `name:"id" placeholder:"ID" help:"Id of the request. The same id with the same text is never done twice."`
	Quiet   bool     `short:"q" help:"Print the reply alone."`
	JSON    bool     `name:"json" help:"Print each event as a line of JSON."`
	place
}

// Help says what no flag does.
func (c *askCmd) Help() string {
	return "^C asks shelly to cancel the request and waits for its reply; where the profile does not cancel, and the second time, " +
		"it leaves and shelly goes on: ask again with the same --id."
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
	images, err := readImages(c.Image, int64(cfg.RequestBytesMax))
	if err != nil {
		return err
	}
	if c.ID == "" {
		c.ID = client.NewID()
	}
	w := &watching{t: t, json: c.JSON, quiet: c.Quiet}
	daemon := client.New(cfg.Data, client.Options{Again: w.again})
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	go c.heed(ctx, signals, daemon, w, leave)
	reply, err := daemon.Ask(ctx, client.AskRequest{
		ID: c.ID, Session: c.Session, Text: text, Channel: c.Channel, Chat: c.Chat, Images: images,
	}, w.show)
	if err != nil {
		w.end()
		return c.failed(ctx, reply.ID, err)
	}
	w.reply(reply.Text)
	if reply.IsError {
		return exit.Silent(exit.Failed)
	}
	return nil
}

// heed leaves at a signal. At the first ^C it asks to cancel instead, and leaves where
// that changes nothing (HND-31); else the reply ends it.
func (c *askCmd) heed(ctx context.Context, signals <-chan os.Signal, daemon *client.Client, w *watching, leave func()) {
	for asked := false; ; asked = true {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			if s != syscall.SIGINT || asked {
				leave()
				return
			}
		}
		w.say("· asking to cancel; ^C again leaves")
		go func() {
			if taken, err := daemon.Cancel(ctx, c.ID, c.Channel); err != nil || !taken {
				leave()
				return
			}
			w.say("· it will be cancelled")
		}()
	}
}

// readImages reads the files of --image.
func readImages(files []string, bytesMax int64) ([][]byte, error) {
	var images [][]byte
	for _, file := range files {
		image, err := readImage(file, bytesMax)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--image %s: %w", file, err)
		}
		images = append(images, image)
	}
	return images, nil
}

func readImage(file string, bytesMax int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image, err := io.ReadAll(io.LimitReader(f, bytesMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(image) == 0:
		return nil, errors.New("is empty")
	case int64(len(image)) > bytesMax:
		return nil, fmt.Errorf("is longer than request_bytes_max, %d bytes: send a smaller one, or raise it", bytesMax)
	}
	return image, nil
}

// readAll reads a text of at most bytesMax. A longer one is refused here: what is
// read in part must not be sent as if it were all.
func readAll(in io.Reader, bytesMax int64) (string, error) {
	all, err := io.ReadAll(io.LimitReader(in, bytesMax+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read standard input: %w", err)
	case int64(len(all)) > bytesMax:
		return "", exit.Errorf(exit.Usage, "standard input is longer than request_bytes_max, %d bytes: send less, or name a file in the workspace that holds it", bytesMax)
	}
	return string(all), nil
}

// failed words an error and chooses its exit code.
func (c *askCmd) failed(ctx context.Context, id string, err error) error {
	if ctx.Err() != nil {
		return exit.Errorf(exit.Failed, "left before the reply; shelly goes on with it: ask again with --id %s", id)
	}
	code := codeOf(err)
	if code == exit.Failed {
		err = fmt.Errorf("request %s: %w", id, err)
	}
	return exit.With(code, err)
}

// codeOf is the exit code for what a daemon answers, or for none that answers.
func codeOf(err error) int {
	refused := (*client.Error)(nil)
	switch {
	case errors.Is(err, client.ErrNotRunning):
		return exit.Unreachable
	case errors.Is(err, client.ErrNotFound):
		return exit.NoMatch
	case errors.Is(err, client.ErrUnauthorized), errors.Is(err, client.ErrTooLarge), errors.Is(err, engine.ErrConflict):
		return exit.Usage
	case errors.As(err, &refused) && refused.Code == comm.CodeBadRequest:
		return exit.Usage
	case errors.Is(err, engine.ErrNoSpace):
		return exit.Disk
	default:
		return exit.Failed
	}
}

// watching prints events as they happen. What goes on is for standard error, so
// that standard output is the reply alone; on a terminal the reply appears there
// as it is streamed.
type watching struct {
	t           *terminal
	json, quiet bool

	mu       sync.Mutex      // a signal is told of between two events
	streamed strings.Builder // text of the model call that streams
}

func (w *watching) show(e comm.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
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
func (w *watching) again() { w.say("· no word from shelly; trying again") }

// say says something that is no event.
func (w *watching) say(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.json && !w.quiet {
		w.breakLine()
		fmt.Fprintln(w.t.err, line)
	}
}

// end ends what was printed where no reply comes.
func (w *watching) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breakLine()
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
	w.mu.Lock()
	defer w.mu.Unlock()
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
			return "    " + inferenceWords(e) // a step within the state
		case e.Inference != "":
			return fmt.Sprintf("· %s, %s", e.State, inferenceWords(e))
		default:
			return "· " + string(e.State)
		}
	case comm.EventWaiting:
		return "· " + e.Text
	case comm.EventTool:
		return fmt.Sprintf("→ %s %s", e.Tool, e.Args)
	case comm.EventToolResult:
		mark := "←"
		if e.Failed {
			mark = "✗"
		}
		return mark + " " + strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n  ")
	case comm.EventQueued:
		return fmt.Sprintf("· queued, %d ahead", e.Ahead)
	case comm.EventQuestion:
		return questionLine(e)
	case comm.EventHeld:
		return "· held: it waits for a person"
	case comm.EventDeferred:
		return "· shelly is going down; it keeps the request and answers after the next start"
	case comm.EventReply: // its text is printed on its own
		if e.Outcome == "" || e.Outcome == fsm.OutcomeAnswered {
			return ""
		}
		return "· ended: " + string(e.Outcome)
	default: // a chunk
		return ""
	}
}

// inferenceWords is the state of an inference, and the profile's name of it (INF-28).
func inferenceWords(e comm.Event) string {
	if e.Label == "" {
		return string(e.Inference)
	}
	return fmt.Sprintf("%s (%s)", e.Inference, e.Label)
}

// questionLine is what a person is asked, with what an answer must name.
func questionLine(e comm.Event) string {
	switch e.Question {
	case fsm.QuestionApprove:
		return fmt.Sprintf("? may %s %s run? (handle %d, key %s)", e.Tool, e.Args, e.Handle, e.Key)
	case fsm.QuestionUnknown:
		return fmt.Sprintf("? what did %s %s do? (handle %d)", e.Tool, e.Args, e.Handle)
	default:
		return fmt.Sprintf("? it was active in several crashes: shall it go on? (handle %d)", e.Handle)
	}
}
