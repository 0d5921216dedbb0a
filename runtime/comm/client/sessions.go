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
		var body comm.SessionsBody
		if err := c.get(ctx, "/v1/sessions?"+url.Values{"after": {after}}.Encode(), &body); err != nil {
			return nil, err
		}
		all = append(all, body.Sessions...)
		if after = body.Next; after == "" {
			return all, nil
		}
	}
}

// Archive returns the first messages of a session after a number, in order. The daemon may
// return fewer than limit; none means that there are no more.
func (c *Client) Archive(ctx context.Context, id string, after uint64, limit int) ([]session.Archived, error) {
	q := url.Values{"after": {decimal(after)}, "limit": {strconv.Itoa(max(0, limit))}}
	var body comm.ArchiveBody
	err := c.get(ctx, "/v1/sessions/"+segment(id)+"?"+q.Encode(), &body)
	return body.Messages, err
}
