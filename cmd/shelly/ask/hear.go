package ask

import (
	"context"
	"time"

	"shelly/cmd/shelly/internal/mail"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/inbox"
)

// unreadShown is how many unread messages are counted at the start.
const unreadShown = 100

// readWait is how long the end waits for the daemon to note what was read.
const readWait = 2 * time.Second

// hear shows the messages to the request's chat as they come, if a person is present (CLI-141).
// The function that it returns stops that, and notes which were read.
func (c *Command) hear(ctx context.Context, t *terminal.Terminal, w *watching, daemon *client.Client) (end func()) {
	if !terminal.Is(t.Err) || w.json || w.quiet {
		return func() {}
	}
	ctx, leave := context.WithCancel(ctx)
	h := hearing{to: comm.ChatOf(c.Channel, c.Chat), w: w, daemon: daemon}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.run(ctx)
	}()
	return func() {
		leave()
		<-done
	}
}

// mailbox is the part of the client that a hearing needs.
type mailbox interface {
	LastPosition(ctx context.Context) (uint64, error)
	Messages(ctx context.Context, to fsm.Origin, after uint64, limit int, unread bool) ([]comm.Message, error)
	Follow(ctx context.Context, to fsm.Origin, after uint64, each func(comm.Message) error) error
	Read(ctx context.Context, marks ...inbox.Mark) (comm.Unread, error)
}

// hearing shows what is sent to a chat.
type hearing struct {
	to     fsm.Origin
	w      *watching
	daemon mailbox
}

func (h hearing) run(ctx context.Context) {
	after, err := h.daemon.LastPosition(ctx)
	if err != nil {
		return // the request itself reports the error
	}
	waiting, err := h.daemon.Messages(ctx, h.to, 0, unreadShown, true)
	if err == nil && len(waiting) > 0 {
		h.w.say("· " + mail.Waiting(comm.Unread{Messages: len(waiting), More: len(waiting) == unreadShown}) + ": see shelly messages")
	}
	var seen []comm.Message
	_ = h.daemon.Follow(ctx, h.to, after, func(m comm.Message) error {
		h.w.say(mail.Lines(m))
		seen = append(seen, m)
		return nil
	})
	if len(seen) == 0 || len(waiting) > 0 { // what was not shown stays unread, and so does all that came after it
		return
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWait)
	defer cancel()
	_, _ = h.daemon.Read(ending, mail.Marks(seen)...) // if this fails, they are shown again
}
