// Package ask is shelly ask, which asks the running daemon and shows what it does.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"shelly/cmd/shelly/chat"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/named"
	"shelly/cmd/shelly/internal/past"
	"shelly/cmd/shelly/internal/picture"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// Command is the subcommand.
type Command struct {
	Text         []string `arg:"" optional:"" help:"What to ask; - reads standard input. Without a text, on a terminal, a chat opens."`
	Session      string   `placeholder:"NAME" help:"Session of the request. Default: the chat's."`
	Channel      string   `placeholder:"NAME" help:"Channel the request comes from."`
	Chat         string   `placeholder:"NAME" help:"Chat in the channel, which the agent's messages go to."`
	Image        []string `placeholder:"FILE" sep:"none" help:"Attach an image; may be repeated."`
	ID           string   `name:"id" placeholder:"ID" help:"Id of the request. The same id with the same text is never executed twice; without a text, the request that has it is shown up to its reply."`
	Quiet        bool     `short:"q" help:"Print only the reply."`
	flags.AsJSON `set:"json=Print each event as a line of JSON."`
	flags.Place

	client string // whose request it is that has the id; "": the token's
}

// Help is the text after the usage.
func (c *Command) Help() string {
	return "On a terminal you are asked about the calls that need approval: yes, no, for this session, or always (see shelly approval). " +
		"^C cancels the request and waits for its reply. Press it again, or if the profile does not allow cancelling, " +
		"to quit without waiting; shelly ask --id ID then waits for the reply."
}

// Validate refuses flags that contradict each other. The parser calls it.
func (c *Command) Validate() error {
	if c.JSON && c.Quiet {
		return exit.Errorf(exit.Usage, "--json prints each event, --quiet only the reply; give one of them")
	}
	return nil
}

// Run implements the subcommand (CLI-5).
func (c *Command) Run(t *terminal.Terminal, shell terminal.Shell) error {
	if len(c.Text) == 0 && c.ID == "" {
		return c.talk(t, shell)
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	w := newWatching(t, c.JSON, c.Quiet)
	daemon := client.New(cfg.Data, client.Options{Again: w.retry})
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	ask, err := c.asking(ctx, t, daemon, int64(cfg.RequestBytesMax))
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	a := newAnswering(t, w, daemon)
	go heed(ctx, signals, w.say, leave, func() (bool, error) {
		a.cancels()
		return daemon.CancelOf(ctx, client.About{ID: c.ID, Channel: c.Channel, Client: c.client})
	})
	if w.state != nil {
		go w.tick(ctx)
	}
	show := w.show
	if a != nil {
		go a.listen(ctx, t.In)
		show = func(e comm.Event) {
			if a.show(e) {
				w.hear(e)
			} else {
				w.show(e)
			}
		}
	}
	read := c.hear(ctx, t, w, daemon)
	reply, err := ask(ctx, show)
	read()
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

// asking returns what gets the reply: of a new request or, if there is an id without a text, of the
// one that has it.
func (c *Command) asking(ctx context.Context, t *terminal.Terminal, daemon *client.Client, most int64) (func(context.Context, func(comm.Event)) (client.Reply, error), error) {
	if len(c.Text) == 0 {
		if err := c.find(ctx, daemon); err != nil {
			return nil, err
		}
		return func(ctx context.Context, show func(comm.Event)) (client.Reply, error) {
			return daemon.AttachTo(ctx, client.About{ID: c.ID, Channel: c.Channel, Client: c.client}, show)
		}, nil
	}
	asked, err := c.asked(t, most)
	return func(ctx context.Context, show func(comm.Event)) (client.Reply, error) {
		return daemon.Ask(ctx, asked, show)
	}, err
}

// find completes the id and the channel of a request whose id, or the beginning of it, was given
// alone.
func (c *Command) find(ctx context.Context, daemon *client.Client) error {
	if len(c.Image) > 0 || c.Session != "" || c.Chat != "" {
		return exit.Errorf(exit.Usage, "--id without a text takes no --image, --session and --chat; say what to ask, or leave them out")
	}
	known, err := named.Record(ctx, daemon, c.ID, c.Channel)
	if handle, is := past.RunID(c.ID); is && exit.Code(err, io.Discard) == exit.NoMatch { // as where several clients share the id
		switch found, ok, wrong := named.OfHandle(ctx, daemon, handle); {
		case wrong != nil:
			err = wrong
		case ok && (c.Channel == "" || c.Channel == found.Channel):
			known, err = found, nil
		}
	}
	if e := (exit.Error{}); errors.As(err, &e) && e.Code == exit.NoMatch {
		return exit.Errorf(exit.NoMatch, "there is no request %s; to ask it, give its text, too", wording.Word(c.ID))
	}
	if err != nil {
		return err
	}
	c.ID, c.Channel, c.client = known.ID, known.Channel, known.Client
	return nil
}

// asked returns the request with its text, pictures and id. It may take at most most bytes.
func (c *Command) asked(t *terminal.Terminal, most int64) (r client.AskRequest, err error) {
	text := strings.Join(c.Text, " ")
	if text == "-" {
		if text, err = readAll(t.In, most); err != nil {
			return r, err
		}
	}
	images, err := readImages(c.Image, most)
	if err != nil {
		return r, err
	}
	if c.ID == "" {
		c.ID = client.NewID()
	}
	return client.AskRequest{ID: c.ID, Session: c.Session, Text: text, Channel: c.Channel, Chat: c.Chat, Images: images}, nil
}

// talk opens a chat if no text was given (CLI-159).
func (c *Command) talk(t *terminal.Terminal, shell terminal.Shell) error {
	if !terminal.Is(t.In) || !terminal.Is(t.Out) || c.JSON || c.Quiet || len(c.Image) > 0 {
		return exit.Errorf(exit.Usage, "say what to ask, or - to read it from standard input; see shelly ask --help")
	}
	return (&chat.Command{Session: c.Session, Channel: c.Channel, Chat: c.Chat, Place: c.Place}).Run(t, shell)
}

// heed handles signals. The first ^C asks the daemon to cancel; it leaves at once only if that
// changes nothing (HND-31); if not, the reply ends the command. Any other signal leaves at
// once, but not before the daemon has the cancel (CLI-212).
func heed(ctx context.Context, signals <-chan os.Signal, say func(string), leave func(), cancel func() (taken bool, err error)) {
	select {
	case <-ctx.Done():
		return
	case s := <-signals:
		if s != syscall.SIGINT {
			leave()
			return
		}
	}
	say("· cancelling; ^C again quits without waiting")
	delivered := make(chan struct{})
	go func() {
		taken, err := cancel()
		close(delivered)
		if err != nil || !taken {
			leave()
			return
		}
		say("· cancel accepted")
	}()
	select {
	case <-ctx.Done():
		return
	case <-signals:
	}
	exit.Delivered(delivered)
	leave()
}

// readImages reads the files of --image.
func readImages(files []string, bytesMax int64) ([][]byte, error) {
	var images [][]byte
	for _, file := range files {
		image, err := picture.Read(file, bytesMax)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--image: %w", err)
		}
		images = append(images, image)
	}
	return images, nil
}

// readAll reads a text of at most bytesMax bytes. A longer one is refused rather than cut: a
// part must not be sent as if it were the whole.
func readAll(in io.Reader, bytesMax int64) (string, error) {
	all, err := io.ReadAll(io.LimitReader(in, bytesMax+1))
	switch {
	case err != nil:
		return "", err
	case int64(len(all)) > bytesMax:
		return "", exit.Errorf(exit.Usage, "standard input is longer than request_bytes_max, %d bytes: send less, or name a file in the workspace that holds it", bytesMax)
	}
	return string(all), nil
}

// failed words an error and chooses its exit code.
func (c *Command) failed(ctx context.Context, id string, err error) error {
	if ctx.Err() != nil {
		return exit.Errorf(exit.Failed, "left before the reply; shelly continues; get the reply with shelly ask --id=%s", wording.ShellWord(id))
	}
	code := exit.DaemonCode(err)
	if errors.Is(err, client.ErrInterrupted) || errors.Is(err, client.ErrDeferred) {
		err = fmt.Errorf("%w; when shelly runs again, see: shelly request show %s", err, wording.ShellArgument(id))
	} else if code == exit.Failed {
		err = fmt.Errorf("request %s: %w", id, err)
	}
	return exit.With(code, err)
}
