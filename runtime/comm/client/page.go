package client

import (
	"context"
	"errors"
	"net/url"
	"time"

	"shelly/runtime/comm"
)

// Page returns the address with which a browser can open the daemon's page, once and within
// life.
func (c *Client) Page(ctx context.Context) (address string, life time.Duration, err error) {
	t, err := post[comm.TicketBody](ctx, c, comm.TicketRoute, nil)
	if err != nil {
		return "", 0, err
	}
	at, err := ReadEndpoint(c.dir)
	if err != nil {
		return "", 0, err
	}
	if at.HTTP == "" {
		return "", 0, errors.New("a browser cannot reach the running shelly: it listens only at a socket; set comm.http and start it again")
	}
	u := url.URL{Scheme: "http", Host: at.HTTP, Path: t.Path, Fragment: "ticket=" + t.Ticket}
	return u.String(), time.Duration(t.LifeMS) * time.Millisecond, nil
}
