package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
	"shelly/runtime/mcp/wire"
)

// question is a server's question to a person during a call (TOL-97).
type question struct {
	asks    string         // what its server asks
	text    string         // what the person is asked
	content map[string]any // what a yes sends
	answer  chan bool      // of capacity 1
}

// heldMax is the most calls of a server that may wait for a person.
const heldMax = 8

// held is a call that waits for a person's answer to its server's question.
type held struct {
	*calling
	question *question
	late     *time.Timer
}

// yes is the answer that the server gets for a yes.
func (q *question) yes() json.RawMessage {
	b, _ := json.Marshal(&sdk.ElicitResult{Action: "accept", Content: q.content}) // the content came from JSON
	return b
}

// elicited answers a server's question to a person: with the person's decision about the call,
// or by declining if nobody can be asked, and then the call's result mentions the question. The
// protocol names the call only if it is a task; otherwise the question must come while only one
// call is under way.
func (n *session) elicited(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	ctx, done := n.during(ctx)
	defer done()
	return n.put(ctx, n.askers(r.Params), r.Params)
}

// askers returns the calls to which a question may belong.
func (n *session) askers(p *sdk.ElicitParams) []*flight {
	n.mu.Lock()
	defer n.mu.Unlock()
	related, _ := p.Meta[wire.RelatedTask].(map[string]any)
	id, _ := related["taskId"].(string)
	var of []*flight
	for _, f := range n.flights {
		switch {
		case id != "" && f.task == id:
			return []*flight{f}
		case !f.waits:
			of = append(of, f)
		}
	}
	return of
}

// put puts a question to the person of the only call to which it may belong.
func (n *session) put(ctx context.Context, of []*flight, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	q, known := n.asked(of, p)
	switch {
	case known:
		return &sdk.ElicitResult{Action: "accept", Content: q.content}, nil
	case q == nil:
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	select {
	case yes := <-q.answer:
		n.goesOn(of[0])
		if yes {
			return &sdk.ElicitResult{Action: "accept", Content: q.content}, nil
		}
		return &sdk.ElicitResult{Action: "decline"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// goesOn notes that a call does not wait for a person any more: the next question may be its own.
func (n *session) goesOn(f *flight) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.waits = false
}

// asked passes a question on to its call; nil: it is declined. Known means that a person said
// yes to it before a restart.
func (n *session) asked(of []*flight, p *sdk.ElicitParams) (q *question, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	message := wording.OneLine(wording.Clip(p.Message, 300))
	content, fields, ok := yes(p)
	if ok && len(of) == 1 {
		q := &question{asks: message, text: fmt.Sprintf("its server asks %q%s", message, fields), content: content, answer: make(chan bool, 1)}
		if of[0].answered == q.text {
			of[0].answered = ""
			return q, true
		}
		if of[0].asks != nil {
			of[0].waits = true
			of[0].asks <- q // of capacity 1, and a call asks only once
			of[0].asks, of[0].unasked = nil, "the call has asked before"
			return q, false
		}
	}
	for _, f := range of {
		switch {
		case !ok:
			f.tell(message, "a yes does not answer it")
		case len(of) > 1:
			f.tell(message, "it is unclear whether it belongs to this call")
		default:
			f.tell(message, f.unasked)
		}
	}
	return nil, false
}

// tell notes a question that was declined. The caller holds the lock of its session.
func (f *flight) tell(question, why string) {
	if len(f.told) < askedMax {
		f.told = append(f.told, fmt.Sprintf("%q; it was declined, because %s", question, why))
	}
}

// decline declines a question that cannot be put to a person.
func (n *session) decline(f *flight, q *question) {
	n.mu.Lock()
	f.tell(q.asks, "too many calls wait for a person")
	n.mu.Unlock()
	q.answer <- false
}

// declined returns the declined questions of a call, and why each was.
func (n *session) declined(f *flight) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(f.told)
}

// askedMax bounds the declined questions that a result mentions.
const askedMax = 5

// yes returns what "yes" to a form means: true for a field that is a yes or no, and the defaults
// of the others. A form that needs more cannot be answered with yes, and neither can an address
// to visit.
func yes(p *sdk.ElicitParams) (content map[string]any, fields string, ok bool) {
	if p.Mode != "" && p.Mode != "form" {
		return nil, "", false
	}
	raw, err := json.Marshal(p.RequestedSchema)
	var form struct {
		Properties map[string]struct {
			Type    string `json:"type"`
			Default any    `json:"default"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err != nil || json.Unmarshal(raw, &form) != nil {
		return nil, "", false
	}
	content = map[string]any{}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		field := form.Properties[name]
		switch {
		case field.Default != nil:
			content[name] = field.Default
		case field.Type == "boolean":
			content[name] = true
		case slices.Contains(form.Required, name):
			return nil, "", false
		default:
			continue
		}
		value, _ := json.Marshal(content[name])
		words = append(words, wording.OneLine(wording.Clip(name, 100))+": "+wording.Clip(string(value), 200))
	}
	if len(words) > 0 {
		fields = "; yes answers " + strings.Join(words, ", ")
	}
	return content, fields, true
}

// hold keeps a call that waits for a person until the question is answered, or for the patience
// of the options. It returns false if too many are waiting.
func (s *server) hold(key string, c *calling, q *question) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) >= heldMax {
		return false
	}
	if s.held == nil {
		s.held = map[string]*held{}
	}
	s.held[key] = &held{calling: c, question: q, late: time.AfterFunc(s.options.patience(), func() { s.refused(key) })}
	return true
}

// patience returns how long a call that begins to wait now may wait for a person.
func (o Options) patience() time.Duration {
	if o.Patience == nil {
		return time.Hour
	}
	return cmp.Or(o.Patience(), time.Hour)
}

// answered returns the call that was waiting for a person, or nil.
func (s *server) answered(key string) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[key]
	delete(s.held, key)
	if h != nil {
		h.late.Stop()
	}
	return h
}

// refused declines the question of a waiting call, and lets the call end by itself.
func (s *server) refused(key string) {
	h := s.answered(key)
	if h == nil {
		if s.options.notes != nil {
			go s.forsake(key)
		}
		return
	}
	h.question.answer <- false
	go func() {
		late := time.NewTimer(s.config.Timeout)
		defer late.Stop()
		select {
		case <-h.result:
		case <-late.C:
		}
		h.end(nil)
	}()
}
