package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"shelly/fsm"
	"shelly/runtime/comm"
)

// About names what a person's word is about: a handle, or where that is 0 the request
// of an id and a channel, "" being that of Ask.
type About struct {
	Handle  fsm.HandleID
	ID      string
	Channel string
}

// path is the route of a verb.
func (a About) path(verb string) string {
	if a.Handle != 0 {
		return fmt.Sprintf("/v1/handles/%d/%s", a.Handle, verb)
	}
	return requestPath(a.ID, "/"+verb, a.Channel)
}

// Decide brings a person's decision about the tool call that a key names, and reports
// whether it was waited for. By says who decides; "": the holder of the token.
func (c *Client) Decide(ctx context.Context, about About, approve bool, key, by string) (taken bool, err error) {
	verb := "deny"
	if approve {
		verb = "approve"
	}
	return c.tell(ctx, about.path(verb), map[string]string{"key": key, "by": by})
}

// Resolve brings a person's word on a handle that is held, and reports whether it was
// waited for.
func (c *Client) Resolve(ctx context.Context, about About, text string) (taken bool, err error) {
	return c.tell(ctx, about.path("resolve"), map[string]string{"text": text})
}

// tell sends what a person says.
func (c *Client) tell(ctx context.Context, path string, fields map[string]string) (taken bool, err error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return false, fmt.Errorf("encode the decision: %w", err)
	}
	var answer comm.Taken
	err = c.read(ctx, http.MethodPost, path, body, &answer)
	return answer.Taken, err
}
