package client

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/comm"
	"shelly/runtime/event"
)

// About names what a decision is about: a handle, or, if that is 0, the request
// with an id and a channel ("" is that of Ask).
type About struct {
	Handle  fsm.HandleID
	ID      string
	Channel string
	Client  string // whose request it is; "": the token's
}

// path is the route of a verb.
func (a About) path(verb string) string {
	if a.Handle != 0 {
		return fmt.Sprintf("/v1/handles/%d/%s", a.Handle, verb)
	}
	return a.of("/" + verb)
}

// of returns the route of the request.
func (a About) of(below string) string { return a.with(below, url.Values{}) }

// with is of with further query parameters; it adds to q.
func (a About) with(below string, q url.Values) string {
	path := "/v1/requests/" + segment(a.ID) + below
	if a.Channel != "" {
		q.Set("channel", a.Channel)
	}
	if a.Client != "" {
		q.Set("client", a.Client)
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path
}

// Decide passes on a person's decision about the tool call that a key names, and reports
// whether the call was waiting for it.
func (c *Client) Decide(ctx context.Context, about About, d Decision) (taken bool, err error) {
	verb, fields := "deny", map[string]string{"key": d.Key, "by": d.By}
	if d.Approve {
		verb, fields["grant"] = "approve", string(d.Grant)
	} else if d.Reason != "" { // which a daemon before the reasons does not know
		fields["reason"] = d.Reason
	}
	return c.tell(ctx, about.path(verb), fields)
}

// Decision is what a person decides about the call with a key.
type Decision struct {
	Key     string
	By      string // who decides; "": the holder of the token
	Approve bool
	Grant   fsm.GrantScope // (Approve) which later calls it also covers
	Reason  string         // (not Approve) for the model
}

// CancelHandle asks to end a handle that is not a request, by its number, and reports whether
// that changed anything.
func (c *Client) CancelHandle(ctx context.Context, id fsm.HandleID) (taken bool, err error) {
	return c.tell(ctx, About{Handle: id}.path("cancel"), nil)
}

// Schedules returns the schedules, in the order in which they were made.
func (c *Client) Schedules(ctx context.Context) ([]comm.Schedule, error) {
	body, err := get[comm.SchedulesBody](ctx, c, "/v1/schedules")
	return body.Schedules, err
}

// Sources returns the sources of events, in the order of the configuration.
func (c *Client) Sources(ctx context.Context) ([]event.State, error) {
	body, err := get[event.ListBody](ctx, c, event.SourcesRoute)
	return body.Sources, err
}

// Channels returns the channels, in the order of the configuration.
func (c *Client) Channels(ctx context.Context) ([]channel.State, error) {
	body, err := get[channel.ListBody](ctx, c, channel.ListRoute)
	return body.Channels, err
}

// TryChannel sends a message to a chat of a channel, once.
func (c *Client) TryChannel(ctx context.Context, name, chat, text string) (channel.TriedBody, error) {
	return post[channel.TriedBody](ctx, c, channel.ListRoute+"/"+segment(name)+"/try", channel.TryBody{Chat: chat, Text: text})
}

// Schedule makes a person's change to a schedule, and returns the schedule's id. Taken is false
// if nothing changed: a run was wanted, and one waits already.
func (c *Client) Schedule(ctx context.Context, in fsm.ScheduleChanged) (id string, taken bool, err error) {
	path, fields := "/v1/schedules", map[string]any{"by": in.By}
	if in.Change == fsm.ScheduleAdd {
		fields = map[string]any{
			"message": in.Text, "every_seconds": int64(in.Every / fsm.Second), "cron_expr": in.Cron, "at": in.Once, "zone": in.Zone,
			"session": in.Session, "channel": in.Origin.Channel, "chat": in.Origin.Chat, "by": in.By,
		}
	} else {
		path += "/" + segment(in.Schedule) + "/" + string(in.Change)
	}
	answer, err := post[comm.Scheduled](ctx, c, path, fields)
	return answer.ID, answer.Taken, err
}

// Approvals returns the grants in force.
func (c *Client) Approvals(ctx context.Context) ([]comm.Approval, error) {
	body, err := get[comm.ApprovalsBody](ctx, c, "/v1/approvals")
	return body.Approvals, err
}

// Revoke revokes a grant, and reports whether it was in force.
func (c *Client) Revoke(ctx context.Context, id, by string) (taken bool, err error) {
	return c.tell(ctx, "/v1/approvals/"+segment(id)+"/revoke", map[string]string{"by": by})
}

// Resolve passes on a person's decision about a held handle, and reports whether the handle was
// waiting for it.
func (c *Client) Resolve(ctx context.Context, about About, text string) (taken bool, err error) {
	return c.tell(ctx, about.path("resolve"), map[string]string{"text": text})
}

// Audit returns the first records of ended tool calls after a position, in order: those of a
// session, or of all if it is empty. The daemon may return fewer than limit; none means that
// there are no more.
func (c *Client) Audit(ctx context.Context, session string, after uint64, limit int) ([]engine.Audit, error) {
	query := url.Values{"after": {decimal(after)}, "limit": {strconv.Itoa(limit)}}
	if session != "" {
		query.Set("session", session)
	}
	body, err := get[comm.AuditBody](ctx, c, "/v1/audit?"+query.Encode())
	return body.Audit, err
}

// tell sends a person's decision.
func (c *Client) tell(ctx context.Context, path string, fields map[string]string) (taken bool, err error) {
	answer, err := post[comm.Taken](ctx, c, path, fields)
	return answer.Taken, err
}
