package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/runtime/mcp/kept"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/misfit"
)

// roundsMax is how many times a server may ask something before it answers a call.
const roundsMax = 10

// work gets the answer to a call: a result, perhaps after its server's questions (TOL-97), or a
// task's result (TOL-98).
func (c *calling) work(ctx context.Context) (*sdk.CallToolResult, error) {
	if id := c.known().Task; id != "" {
		return c.follow(ctx, id)
	}
	answers := c.stated()
	for range roundsMax {
		out, err := c.send(ctx, answers)
		switch {
		case err != nil:
			return nil, err
		case out.Task != nil:
			c.keep(func(n *kept.Note) { n.Task = out.Task.ID })
			return c.follow(ctx, out.Task.ID)
		case out.Result != nil:
			return out.Result, nil
		}
		c.state(out)
		answers.State = out.State
		if answers.To, err = c.respond(ctx, c.n, out.Asks); err != nil {
			return nil, err
		}
		if len(out.Asks) == 0 { // the server is busy, and wants to be asked later
			if err := clock.Pause(ctx, c.s.options.pace.least); err != nil {
				return nil, err
			}
		}
	}
	return nil, &wire.Unusable{Err: fmt.Errorf("it has asked for something %d times", roundsMax)}
}

func (c *calling) send(ctx context.Context, a wire.Answers) (wire.Outcome, error) {
	ctx, done := c.n.during(ctx)
	defer done()
	return c.n.tasks.Call(ctx, c.n.client, c.d.name, map[string]any(c.args), a)
}

// respond answers what a server wants to know before it continues.
func (c *calling) respond(ctx context.Context, n *session, asks map[string]wire.Ask) (map[string]json.RawMessage, error) {
	answers := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(asks)) {
		var p sdk.ElicitParams
		if asks[key].Method != "elicitation/create" {
			return nil, &wire.Unusable{Err: fmt.Errorf("it asks for %q, which shelly does not support", asks[key].Method)}
		}
		if err := json.Unmarshal(asks[key].Params, &p); err != nil {
			return nil, &wire.Unusable{Err: fmt.Errorf("its question cannot be read: %w", misfit.Worded(err))}
		}
		res, err := n.put(ctx, []*flight{c.f}, &p)
		if err != nil {
			return nil, err
		}
		if answers[key], err = json.Marshal(res); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// state notes the only question of a server that wants its state back with the answer, so that
// the call can continue after a crash (TOL-100).
func (c *calling) state(out wire.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note.Ask, c.note.State = "", ""
	for key := range out.Asks {
		if len(out.Asks) == 1 && out.State != "" {
			c.note.Ask, c.note.State = key, out.State
		}
	}
}

// stated returns the answers with which a call continues that a crash has interrupted, after the
// person has said yes.
func (c *calling) stated() wire.Answers {
	n := c.known()
	if n.State == "" || !c.call.Approved {
		return wire.Answers{}
	}
	return wire.Answers{To: map[string]json.RawMessage{n.Ask: n.Yes}, State: n.State}
}

func (c *calling) known() kept.Note {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.note
}

// keep durably changes a call's note. If the note cannot be kept, the call continues; after a
// crash its outcome is then unknown.
func (c *calling) keep(change func(*kept.Note)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.note
	change(&c.note)
	if c.call.Key == "" || c.s.options.notes == nil || same(before, c.note) {
		return
	}
	c.note.Key, c.note.Server, c.note.Tool = c.call.Key, c.d.server, c.d.name
	if err := c.s.options.notes.Put(c.note); err != nil {
		c.s.options.Log.Warn("cannot keep what a call waits for; after a crash its outcome is unknown", "server", c.d.server, "tool", c.d.name, "error", err)
	}
}

func same(a, b kept.Note) bool {
	return a.Task == b.Task && a.Ended == b.Ended && a.Question == b.Question
}

// noted returns the note that a crash left of a call that is started again. If the call was
// answered, the note is empty: this is another attempt.
func (s *server) noted(call fsm.RunTool) kept.Note {
	if call.Key == "" || s.options.notes == nil {
		return kept.Note{}
	}
	note, found, err := s.options.notes.Get(call.Key)
	if err != nil {
		s.options.Log.Warn("cannot read the note about a call", "server", s.config.Name, "error", err)
	}
	if !found || note.Ended || note.Task == "" && !call.Approved {
		return kept.Note{}
	}
	return note
}
