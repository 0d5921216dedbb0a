package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/front/stream"
)

// outputBytesMax is the most bytes of a command's output that are shown: its end.
const outputBytesMax = 4 << 10

// Turn turns the events of one request into updates for an editor. It is a pure function of the
// events.
type Turn struct {
	request  string // its id
	place    Place
	text     stream.Text
	said     flow
	thoughts flow
	calls    []*call
	asking   *call // the call whose question is open
}

// call is a tool call that was sent to the editor.
type call struct {
	id, tool, args string
	output         string // the end of its output
	key            string // of the question about it
	ended          bool
}

// Heard is what an event means for an editor.
type Heard struct {
	Updates []Update
	Ask     *Permission // a person is asked, perhaps again
	Closed  bool        // the open question is no longer open
}

// NewTurn returns the turn of a request.
func NewTurn(request string, place Place) *Turn {
	return &Turn{
		request: request, place: place,
		said: flow{kind: agentMessage, prefix: request + "-"}, thoughts: flow{kind: agentThought, prefix: request + "-thought-"},
	}
}

// Heard takes an event (FRT-50).
func (t *Turn) Heard(e comm.Event) (h Heard) {
	if e.Type != comm.EventReply || !silent(e) {
		for _, p := range t.text.Heard(e) {
			h.add(t.piece(p, e)...)
		}
	}
	switch e.Type {
	case comm.EventTool:
		h.Closed = t.closes(e)
		h.add(t.started(e))
	case comm.EventOutput:
		if c := t.open(e.Tool, ""); c != nil {
			h.add(t.wrote(c, e.Text))
		}
	case comm.EventToolResult:
		h.add(t.result(e))
	case comm.EventQuestion:
		t.question(e, &h)
	case comm.EventState:
		t.decided(e.Decision, &h)
		if e.Inference == state.Thinking { // the model has the results
			t.finish(&h)
		}
	case comm.EventReply:
		t.finish(&h)
	}
	return h
}

func (h *Heard) add(updates ...Update) { h.Updates = append(h.Updates, updates...) }

// silent reports whether a reply has no text for the editor: it is an error, or says that the
// request was cancelled.
func silent(e comm.Event) bool {
	return e.IsError && e.Outcome != fsm.OutcomeCut && e.Outcome != fsm.OutcomeExhausted || e.Outcome == fsm.OutcomeCancelled
}

// piece returns the updates for a piece of the text.
func (t *Turn) piece(p stream.Piece, e comm.Event) (updates []Update) {
	id := strconv.FormatUint(uint64(p.Call), 10)
	if p.Call == stream.ReplyCall {
		id = "reply"
	}
	if p.Lost && (e.Type == comm.EventChunk || e.Type == comm.EventReply) {
		t.thoughts.lose(id)
		t.said.lose(id)
		return nil
	}
	if thought := t.thoughts.add(id, p.Thinking); thought != nil {
		t.said.last = false
		updates = thought
	}
	if said := t.said.add(id, p.Text); said != nil {
		t.thoughts.last = false
		updates = append(updates, said...)
	}
	if p.Ends {
		updates = append(updates, t.said.end(id)...)
		t.thoughts.end(id) // held thoughts are a part of those sent before, so they are not sent
	}
	return updates
}

// open is the oldest call of a tool that has not ended; args "": whatever its arguments are.
func (t *Turn) open(tool, args string) *call {
	for _, c := range t.calls {
		if !c.ended && c.tool == tool && (args == "" || c.args == args) {
			return c
		}
	}
	return nil
}

// begin adds a call.
func (t *Turn) begin(e comm.Event) *call {
	c := &call{id: fmt.Sprintf("%s-call-%d", t.request, len(t.calls)+1), tool: e.Tool, args: e.Args}
	t.calls = append(t.calls, c)
	t.said.last, t.thoughts.last = false, false
	return c
}

// whole returns everything about a call.
func (t *Turn) whole(c *call, is Status) Update {
	about := describe(c.tool, c.args, t.place.Workspace)
	about.ID, about.Status = c.id, is
	u := Update{Kind: toolCall, Call: &about}
	if parts := diffs(c.tool, c.args, t.place.Workspace, Earlier{}); parts != nil {
		u.Content = parts
	}
	return u
}

// update returns what has changed about a call.
func update(c *call, is Status, parts ...Part) Update {
	u := Update{Kind: toolUpdate, Call: &Call{ID: c.id, Status: is}}
	if len(parts) > 0 {
		u.Content = parts
	}
	return u
}

// started takes the start of a tool. A call that a restart interrupted stays the same call.
func (t *Turn) started(e comm.Event) Update {
	if c := t.open(e.Tool, e.Args); c != nil {
		return update(c, running)
	}
	return t.whole(t.begin(e), running)
}

// wrote takes a piece of a command's output.
func (t *Turn) wrote(c *call, text string) Update {
	c.output += text
	if over := len(c.output) - outputBytesMax; over > 0 {
		c.output = strings.ToValidUTF8(c.output[over:], "")
	}
	return update(c, "", shown(c.output)...)
}

// result takes the end of a tool. The diff of a change stays visible unless the change failed.
func (t *Turn) result(e comm.Event) Update {
	c := t.open(e.Tool, e.Args)
	if c == nil {
		c = t.begin(e)
		c.ended = true
		u := t.whole(c, ending(e.Failed))
		if parts := shown(e.Text); parts != nil {
			u.Content = parts
		}
		return u
	}
	c.ended = true
	if changes(c.tool) && !e.Failed {
		return update(c, completed, t.place.changed(c, e.Text, true)...)
	}
	return update(c, ending(e.Failed), shown(cmp.Or(e.Text, c.output))...)
}

// ending is the status of a call that has ended.
func ending(wrong bool) Status {
	if wrong {
		return failed
	}
	return completed
}

// question takes a question to a person. An approval is asked for in the editor; any other
// question is answered with shelly's own commands.
func (t *Turn) question(e comm.Event, h *Heard) {
	if e.Question != fsm.QuestionApprove {
		id := fmt.Sprintf("%s-held-%s", t.request, e.Key)
		h.add(message(agentThought, id, fmt.Sprintf("[shelly waits for a person: shelly request show %s]", wording.ShellArgument(t.request, "--channel", Channel))))
		return
	}
	c := t.asking
	if slices.ContainsFunc(t.calls, func(k *call) bool { return k != c && k.key == e.Key }) {
		return // it was answered; a client that comes back may get it once more (COM-90)
	}
	if c == nil || c.key != e.Key {
		h.Closed = c != nil
		known := t.open(e.Tool, e.Args)
		if c = known; known == nil {
			c = t.begin(e)
		}
		c.key, t.asking = e.Key, c
		u := permission(c, e, t.place).Call
		if u.Kind = toolUpdate; known == nil {
			u.Kind = toolCall
		}
		h.add(u)
	}
	h.Ask = permission(c, e, t.place)
}

// closes reports whether an event shows that the open question was answered.
func (t *Turn) closes(e comm.Event) bool {
	if t.asking == nil || t.asking.tool != e.Tool || t.asking.args != e.Args {
		return false
	}
	t.asking = nil
	return true
}

// decided takes how the open question has ended (APR-24). A call that does not run ends with why.
func (t *Turn) decided(d *comm.Decision, h *Heard) {
	c := t.asking
	if d == nil || c == nil || d.Held() {
		return
	}
	h.Closed, t.asking = true, nil
	if d.Verdict != comm.Approved {
		c.ended = true
		h.add(update(c, failed, shown(d.Words())...))
	}
}

// finish ends the calls that get no more events: they were refused, or stopped.
func (t *Turn) finish(h *Heard) {
	h.Closed = h.Closed || t.asking != nil
	t.asking = nil
	for _, c := range t.calls {
		if !c.ended {
			c.ended = true
			h.add(update(c, failed))
		}
	}
}
