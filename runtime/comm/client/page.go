package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"shelly/runtime/comm"
)

// Page returns the address at which a browser is let in to the daemon's page, once and for a
// while.
func (c *Client) Page(ctx context.Context) (address string, life time.Duration, err error) {
	var t comm.TicketBody
	if err := c.read(ctx, http.MethodPost, comm.TicketRoute, nil, &t); err != nil {
		return "", 0, err
	}
	at, err := ReadEndpoint(c.dir)
	if err != nil {
		return "", 0, err
	}
	u := url.URL{Scheme: "http", Host: at.HTTP, Path: t.Path, Fragment: "ticket=" + t.Ticket}
	return u.String(), time.Duration(t.LifeMS) * time.Millisecond, nil
}
