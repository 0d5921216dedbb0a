package client

import (
	"context"
	"net/url"
	"strconv"

	"shelly/runtime/comm"
	"shelly/runtime/session"
)

// Sessions returns all sessions, in the order of ids.
func (c *Client) Sessions(ctx context.Context) ([]session.Listed, error) {
	all := []session.Listed{}
	for after := ""; ; {
		body, err := get[comm.SessionsBody](ctx, c, "/v1/sessions?"+url.Values{"after": {after}}.Encode())
		if err != nil {
			return nil, err
		}
		all = append(all, body.Sessions...)
		if after = body.Next; after == "" {
			return all, nil
		}
	}
}

// ForgetSession forgets what was said in a session, and returns how many messages were kept of it, or
// ErrNotFound.
func (c *Client) ForgetSession(ctx context.Context, id string) (int, error) {
	done, err := post[comm.ForgotBody](ctx, c, "/v1/sessions/"+segment(id)+"/forget", map[string]any{})
	return done.Messages, err
}

// Archive returns the first messages of a session after a number, in order. The daemon may
// return fewer than limit; none means that there are no more.
func (c *Client) Archive(ctx context.Context, id string, after uint64, limit int) ([]session.Archived, error) {
	q := url.Values{"after": {decimal(after)}, "limit": {strconv.Itoa(max(0, limit))}}
	body, err := get[comm.ArchiveBody](ctx, c, "/v1/sessions/"+segment(id)+"?"+q.Encode())
	return body.Messages, err
}
