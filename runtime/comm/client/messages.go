package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

// Messages returns the first messages to a chat after a position, in order, or only unread
// ones; an origin without a chat means every chat of its channel, the zero origin every chat.
// The daemon may return fewer than limit; none means that there are no more.
func (c *Client) Messages(ctx context.Context, to fsm.Origin, after uint64, limit int, unread bool) ([]comm.Message, error) {
	q := chatQuery(to)
	q.Set("after", decimal(after))
	q.Set("limit", strconv.Itoa(max(0, limit)))
	if unread {
		q.Set("unread", "1")
	}
	body, err := get[comm.MessagesBody](ctx, c, "/v1/messages?"+q.Encode())
	return body.Messages, err
}

func chatQuery(to fsm.Origin) url.Values {
	q := url.Values{}
	if to.Channel != "" {
		q.Set("channel", to.Channel)
	}
	if to.Chat != "" {
		q.Set("chat", to.Chat)
	}
	return q
}

// Read says that a person has seen the messages to chats up to positions (COM-50), and returns
// how many are unread now.
func (c *Client) Read(ctx context.Context, marks ...inbox.Mark) (comm.Unread, error) {
	return post[comm.Unread](ctx, c, "/v1/messages/read", map[string]any{"read": append([]inbox.Mark{}, marks...)})
}

// LastPosition is the highest position that a message can have now; following from there
// delivers only new messages.
func (c *Client) LastPosition(ctx context.Context) (uint64, error) {
	kept, err := c.Journal(ctx).Kept()
	return engine.LastOf(kept.Last), err
}

// Follow calls each with the messages to a chat after a position as they come, once for every
// message, until ctx ends or each returns an error. If the daemon stops or the connection breaks
// it continues with the next daemon, however long that takes; a refusal ends it.
func (c *Client) Follow(ctx context.Context, to fsm.Origin, after uint64, each func(comm.Message) error) error {
	for try := 0; ; try++ {
		last := after
		err := c.follow(ctx, to, &after, each)
		if after != last {
			try = 0
		}
		refused := (*Error)(nil)
		again := errors.Is(err, ErrBroken) || errors.Is(err, ErrNotRunning) || errors.Is(err, ErrSilent) ||
			errors.As(err, &refused) && (refused.Code == comm.CodeStopping || refused.Code == comm.CodeUnknownOutcome || refused.Code == comm.CodeBusy)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !again:
			return err
		}
		if err := c.o.Pause(ctx, pauseBefore(try)); err != nil {
			return err
		}
	}
}

// follow is one connection of Follow; it advances after.
func (c *Client) follow(ctx context.Context, to fsm.Origin, after *uint64, each func(comm.Message) error) error {
	q := chatQuery(to)
	q.Set("after", decimal(*after))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := c.do(ctx, http.MethodGet, "/v1/messages/events?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	silence := time.AfterFunc(c.o.SilenceMax, cancel)
	defer silence.Stop()
	var failed error
	err = readEvents(response.Body, func() { silence.Reset(c.o.SilenceMax) }, func(_ string, m comm.Message) bool {
		if failed = each(m); failed == nil {
			*after = m.Position
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
