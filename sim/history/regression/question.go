package regression

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// Question is one recorded question to the model with its recorded answer (CLI-18).
type Question struct {
	Request   fsm.RequestKey // zero: its handle came of no request
	Handle    fsm.HandleID
	Kind      fsm.Kind
	Session   string
	Step      int        // the step that the answer is, as the history of the request numbers it; 0: the history begins before what was folded
	Asked     uint64     // the record whose step asked
	Answered  uint64     // the record that is the answer
	At        fsm.Millis // when it was asked
	Took      fsm.Millis // until the answer was there
	Ask       fsm.AskBrain
	Tools     []fsm.ToolDecl // those that it offers
	Answer    fsm.BrainAnswered
	Cognition bool // a need may be answered

	config *fsm.Config // in force when it was asked
}

// Filter says which questions are wanted. A zero value asks for all.
type Filter struct {
	After        uint64     // records up to it are left out
	Since, Until fsm.Millis // when a question was asked; Until is left out
	Requests     []fsm.RequestKey
	Channel      string
	Session      string
	Purposes     []fsm.Purpose
}

// Found is what was looked for, in the order of the answers.
type Found struct {
	Questions  []Question
	Unanswered int      // questions that have no answer of a model in the journal
	Unasked    []Unheld // questions that cannot be asked with the changed prompts
}

// Unheld is a question that cannot be asked again, and why.
type Unheld struct {
	Request fsm.RequestKey `json:"request"`
	Record  uint64         `json:"record"`
	Reason  string         `json:"reason"`
}

// Questions folds a journal and returns the questions that a filter asks for. Prompts,
// if not nil, changes the prompts of each configuration; the questions are then those
// that the machine asks with them.
func Questions(j engine.Reader, f Filter, prompts func(*fsm.Prompts)) (Found, error) {
	at, snapshot, err := j.Snapshot(f.After)
	if err != nil {
		return Found{}, err
	}
	c := &collecting{filter: f, open: map[fsm.CallID]Question{}, followed: map[fsm.HandleID]*history.History{}}
	if at > 0 {
		c.seen, c.config = snapshot.LastHandle, &snapshot.Config
	}
	if prompts != nil {
		c.changed = newChanged(at, snapshot, prompts)
	}
	for f, err := range engine.Fold(j, at) {
		if err != nil {
			return Found{}, err
		}
		c.take(f)
	}
	c.found.Unanswered += len(c.open)
	return c.found, nil
}

// collecting is the state of one look for questions.
type collecting struct {
	filter   Filter
	found    Found
	config   *fsm.Config // in force; never changed once a question has it
	open     map[fsm.CallID]Question
	seen     fsm.HandleID // the last handle that is followed, or was there before
	followed map[fsm.HandleID]*history.History
	changed  *changed // the machine with other prompts; nil: none
}

// take looks at one record.
func (c *collecting) take(f engine.Folded) {
	asks := asksOf(f.Caused)
	other := asks
	if c.changed != nil {
		other = c.changed.step(f)
	}
	_, boots := f.Input.Fact.(fsm.Boot)
	_, reloads := f.Input.Fact.(fsm.Configured)
	if boots {
		c.found.Unanswered += len(c.open) // what was asked of the process before
		clear(c.open)
	}
	if boots || reloads {
		config := f.Machine.View().Config
		c.config = &config
	}
	c.follow(f)
	steps := c.steps(f)
	if in, ok := f.Input.Fact.(fsm.BrainAnswered); ok {
		c.answered(f, in, steps)
	}
	for _, e := range f.Caused {
		if abort, ok := e.(fsm.AbortCall); ok {
			c.drop(abort.Call)
		}
	}
	for _, ask := range asks {
		if f.Index > c.filter.After {
			c.asked(f, ask, other)
		}
	}
}

func asksOf(effects []fsm.Effect) []fsm.AskBrain {
	var asks []fsm.AskBrain
	for _, e := range effects {
		if ask, ok := e.(fsm.AskBrain); ok {
			asks = append(asks, ask)
		}
	}
	return asks
}

// follow begins to count the steps of handles that are new.
func (c *collecting) follow(f engine.Folded) {
	for _, h := range f.Machine.View().Handles {
		if h.ID > c.seen && h.Parent == 0 {
			c.followed[h.ID] = &history.History{
				Request: engine.Request{Key: h.Request, Index: f.Index, Handle: h.ID}, Handles: []fsm.HandleID{h.ID},
			}
		}
	}
	c.seen = max(c.seen, f.Machine.View().LastHandle)
}

// numbered is a step and whose it is.
type numbered struct {
	history *history.History
	step    history.Step
}

// steps returns what a record is of each history that it belongs to.
func (c *collecting) steps(f engine.Folded) []numbered {
	var list []numbered
	for id, h := range c.followed { // order-free: a question belongs to one of them
		if s, ok := h.Follow(f); ok {
			list = append(list, numbered{h, s})
		}
		if h.Ended {
			delete(c.followed, id)
		}
	}
	return list
}

// asked notes a question that the filter asks for.
func (c *collecting) asked(f engine.Folded, ask fsm.AskBrain, other []fsm.AskBrain) {
	h := handleOf(f.Machine, ask.Handle)
	q := Question{
		Request: c.requestOf(f.Machine, ask.Handle), Handle: ask.Handle, Kind: h.Kind, Session: ask.Session,
		Asked: f.Index, At: f.Input.At, Ask: ask, Cognition: h.State == state.Cognition, config: c.config,
	}
	if !c.filter.wants(q) {
		return
	}
	if c.changed != nil {
		reason := ""
		if q.Ask, reason = c.changed.question(ask, other); reason != "" {
			c.found.Unasked = append(c.found.Unasked, Unheld{Request: q.Request, Record: f.Index, Reason: reason})
			return
		}
	}
	q.Tools = c.config.Shown(&ask)
	c.open[ask.Call] = q
}

// answered takes the answer to a question.
func (c *collecting) answered(f engine.Folded, in fsm.BrainAnswered, steps []numbered) {
	q, ok := c.open[in.Call]
	if !ok {
		return
	}
	delete(c.open, in.Call)
	q.Answer, q.Answered, q.Took = in, f.Index, max(f.Input.At-q.At, 0)
	for _, n := range steps {
		if slices.Contains(n.history.Handles, q.Handle) {
			q.Step = n.step.N
		}
	}
	c.found.Questions = append(c.found.Questions, q)
}

func (c *collecting) drop(call fsm.CallID) {
	if _, ok := c.open[call]; ok {
		delete(c.open, call)
		c.found.Unanswered++
	}
}

// requestOf returns the request that a handle, or the one that started it, came of.
func (c *collecting) requestOf(m *machine.Machine, id fsm.HandleID) fsm.RequestKey {
	for _, h := range c.followed { // order-free: a handle is in one history
		if slices.Contains(h.Handles, id) {
			return h.Request.Key
		}
	}
	h := handleOf(m, id)
	if h.Parent != 0 {
		h = handleOf(m, h.Parent)
	}
	return h.Request // of a handle that was there at the beginning
}

func handleOf(m *machine.Machine, id fsm.HandleID) state.Handle {
	if i := m.View().IndexOf(id); i >= 0 {
		return m.View().Handles[i]
	}
	return state.Handle{}
}

func (f Filter) wants(q Question) bool {
	return q.At >= f.Since && (f.Until == 0 || q.At < f.Until) &&
		(len(f.Requests) == 0 || slices.Contains(f.Requests, q.Request)) &&
		(f.Channel == "" || f.Channel == q.Request.Channel) &&
		(f.Session == "" || f.Session == q.Session) &&
		(len(f.Purposes) == 0 || slices.Contains(f.Purposes, q.Ask.Purpose))
}

// Recorded is what the recorded answer decides.
func (q Question) Recorded() Decision { return q.Read(q.Answer) }

// Estimate is what the prompt is thought to cost, in tokens.
func (q Question) Estimate() int { return q.config.Estimate(q.Ask) }

// Hash names all that is asked: messages, tools, and the options that travel with it; not
// where the texts came from (MSG-3).
func (q Question) Hash() string {
	messages, tools := slices.Clone(q.Ask.Messages()), slices.Clone(q.Tools)
	for i := range messages {
		messages[i].Source = 0
	}
	for i := range tools {
		tools[i].Source = 0
	}
	data, err := json.Marshal(struct {
		Purpose  fsm.Purpose
		Messages []fsm.Message
		Tools    []fsm.ToolDecl
		Options  fsm.Options
	}{q.Ask.Purpose, messages, tools, q.Ask.Options})
	if err != nil {
		return "" // none of these types can fail
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Listing is the part of a journal that tells of requests.
type Listing interface {
	Kept() (engine.Kept, error)
	Requests(before uint64, limit int) ([]engine.Request, error)
}

// Since returns the index to begin at for what was asked from a time on: that of the
// last request that had been accepted before it, as far as records are kept.
func Since(j Listing, since fsm.Millis) (uint64, error) {
	kept, err := j.Kept()
	if err != nil {
		return 0, err
	}
	before, first := kept.Last+1, kept.First-1
	for {
		page, err := j.Requests(before, engine.ReadMax)
		if err != nil || len(page) == 0 {
			return first, err
		}
		for _, r := range page {
			if before = r.Index; r.Accepted < since {
				return max(first, r.Index), nil
			}
		}
	}
}
