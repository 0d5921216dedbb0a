package talk

import (
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/course"
	"shelly/cmd/shelly/internal/question"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/front/stream"
)

// kind is the kind of an item.
type kind int

const (
	nothing kind = iota
	asked        // by the person
	said         // by the model
	thought
	called // a tool
	noted  // anything else worth knowing
	mailed // a message
)

// item is a part of a turn; the items of a turn are in the order in which they came.
type item struct {
	kind kind
	call fsm.CallID // of the model: said and thought
	text string     // what was said, thought or noted; of a call its result
	done bool       // nothing more is added

	shown       int    // how many bytes of text are printed already
	skip        string // said: the printed text of a lost answer, while this one repeats it
	tool, args  string // called
	output      string // the end of the command's output so far
	preview     string // what it would do
	failed      bool
	past        bool // called: from the archive, which does not say whether it failed
	began, over time.Time
}

// turn is a request and what came of it.
type turn struct {
	id, text string
	images   int
	course   course.Course
	began    time.Time
	underway bool // it began before the chat knew of it
	items    []*item
	above    int  // how many items are printed already
	headed   bool // the request itself is printed

	open       *comm.Event // the open question
	opened     time.Time
	deciding   *comm.Event // the question that was answered last
	answered   string      // the key of that question
	decision   *item       // the note that says how it was answered
	apart      string      // the key of a question that was answered here while the connection was broken
	cancelling bool
	broken     bool // the connection is
	heard      stream.Text
	prior      string // the printed text of a lost answer: the next may begin with it
	ended      bool
}

// outputMax is how many bytes of a command's output are kept: its end.
const outputMax = 8 << 10

// happened handles an event of a request.
func (m *Model) happened(h Happened) {
	t := m.turn(h.ID)
	if t == nil {
		return
	}
	t.broken = false
	t.course.Take(h.Event)
	e := h.Event
	if e.Type != comm.EventReply { // which comes again with [Ended]
		for _, p := range t.heard.Heard(e) {
			t.piece(p, e, m.now)
		}
	}
	switch e.Type {
	case comm.EventTool:
		t.call(e, m.now)
	case comm.EventOutput:
		if c := t.running(e.Tool, ""); c != nil {
			c.output += e.Text
			if over := len(c.output) - outputMax; over > 0 {
				c.output = strings.ToValidUTF8(c.output[over:], "")
			}
		}
	case comm.EventToolResult:
		t.result(e, m.now)
	case comm.EventState:
		t.moved(e)
	case comm.EventQuestion:
		t.question(e, m.now)
	case comm.EventSubagent:
		t.beside(course.Subagent(e))
	case comm.EventDeferred:
		t.note("shelly is stopping; it keeps the request and answers after the next start")
	}
}

// lost notes that the connection broke.
func (t *turn) lost() { t.broken = true }

// attached notes that the connection is back (CLI-154); after a restart the model is asked
// again.
func (t *turn) attached(restarted bool) {
	t.broken = false
	if !restarted {
		return
	}
	t.course = course.Course{}
	t.answered = ""
	for _, i := range t.items {
		if i.kind == called && !i.done {
			i.began = time.Time{} // it may be started again
		}
	}
}

// current returns the last item, if it has the kind and is not done.
func (t *turn) current(k kind) *item {
	if n := len(t.items); n > 0 && t.items[n-1].kind == k && !t.items[n-1].done {
		return t.items[n-1]
	}
	return nil
}

// add begins an item.
func (t *turn) add(i *item) *item {
	if n := len(t.items); n > 0 && t.items[n-1].kind != called {
		t.close(t.items[n-1], i.began)
	}
	t.items = append(t.items, i)
	return i
}

// close ends an item.
func (t *turn) close(i *item, now time.Time) {
	if !i.done {
		i.done, i.over = true, now
	}
}

// piece adds a piece of an event to the text of a model call.
func (t *turn) piece(p stream.Piece, e comm.Event, now time.Time) {
	if p.Lost {
		if e.Whole {
			t.lose(p.Call)
		}
		return
	}
	t.says(thought, p.Call, p.Thinking, now)
	t.says(said, p.Call, p.Text, now)
}

// says adds a piece to what a model call thinks or says.
func (t *turn) says(k kind, call fsm.CallID, text string, now time.Time) {
	if text == "" {
		return
	}
	i := t.current(k)
	if i == nil || i.call != call {
		if strings.TrimSpace(text) == "" {
			return
		}
		i = t.add(&item{kind: k, call: call, began: now})
		if k == said {
			i.skip, t.prior = t.prior, ""
		}
	}
	i.text += text
	t.skipped(i)
}

// lose removes the text of a model call that was never answered: the next call replaces it
// (COM-90). What is printed already stays, and the next text may begin with it.
func (t *turn) lose(call fsm.CallID) {
	prior, left := "", t.items[:t.above:t.above]
	for at, i := range t.items {
		mine := i.call == call && (i.kind == said || i.kind == thought)
		switch {
		case mine && i.kind == said && i.skip != "": // i.text is shorter than what is printed
			prior += i.skip
		case mine && i.kind == said:
			prior += i.text[:i.shown]
		}
		if !mine && at >= t.above {
			left = append(left, i)
		}
	}
	t.items, t.prior = left, prior
}

// skipped continues where an interrupted answer broke off, if the new one begins with the same
// text; otherwise it notes that the answer begins again.
func (t *turn) skipped(i *item) {
	switch {
	case i.skip == "" || strings.HasPrefix(i.skip, i.text):
	case strings.HasPrefix(i.text, i.skip):
		i.shown, i.skip = len(i.skip), ""
	default:
		i.skip = ""
		at := slices.Index(t.items, i)
		t.items = slices.Insert(t.items, at, &item{kind: noted, text: "the answer begins again", done: true})
	}
}

// call handles the start of a tool. A call that a restart interrupted is continued, not added.
func (t *turn) call(e comm.Event, now time.Time) {
	if c := t.running(e.Tool, e.Args); c != nil && c.args == e.Args && c.began.IsZero() {
		c.began = now
		return
	}
	i := t.add(&item{kind: called, tool: e.Tool, args: e.Args, began: now})
	if q := t.deciding; q != nil && q.Tool == e.Tool && q.Args == e.Args {
		i.preview = q.Preview
	}
}

// running returns the oldest unfinished call of a tool; args "": with any arguments.
func (t *turn) running(tool, args string) *item {
	for _, i := range t.items {
		if i.kind == called && !i.done && i.tool == tool && (args == "" || i.args == args) {
			return i
		}
	}
	return nil
}

// result handles the end of a tool.
func (t *turn) result(e comm.Event, now time.Time) {
	i := t.running(e.Tool, e.Args)
	if i == nil {
		i = t.add(&item{kind: called, tool: e.Tool, args: e.Args, began: now})
	}
	i.text, i.failed = e.Text, e.Failed
	t.close(i, now)
}

// moved handles a transition. A new question to the model begins a new text.
func (t *turn) moved(e comm.Event) {
	if e.Inference == state.Thinking || e.State != "" {
		for _, k := range []kind{said, thought} {
			if i := t.current(k); i != nil {
				i.done = true
			}
		}
	}
	switch {
	case e.Decision != nil && e.Decision.Held():
		t.note(e.Decision.Words())
	case t.open == nil || e.State == "" || e.State == state.Approving:
	case e.State == state.Parked:
		t.open, t.apart = nil, ""
		t.note("shelly was restarted; it asks again")
	case t.cancelling:
		t.open = nil
	case e.Decision != nil && t.open.Key == t.apart: // the stream tells both again, and the note of the answer stands
		t.open, t.apart = nil, ""
	default:
		t.note(question.Ended(*t.open, e))
		t.open = nil
	}
}

// question opens a question. A question that was answered comes again when a stream is resumed.
func (t *turn) question(e comm.Event, now time.Time) {
	switch {
	case e.Question == fsm.QuestionApprove && e.Key == t.answered:
	case e.Question == fsm.QuestionApprove:
		if t.open == nil || t.open.Key != e.Key {
			t.opened = now
		}
		t.open = &e
	case e.Question == fsm.QuestionUnknown:
		t.note("what did " + e.Tool + " do? It was interrupted: see /request show and /request resolve")
	default:
		t.note("it was active in several crashes: see /request show and /request resolve")
	}
}

// beside adds a note, before the last item if that is still growing, so that its text is not
// interrupted.
func (t *turn) beside(text string) {
	n := len(t.items)
	if n == t.above || t.items[n-1].kind != said && t.items[n-1].kind != thought || t.items[n-1].done || t.items[n-1].shown > 0 {
		t.note(text)
		return
	}
	t.items = slices.Insert(t.items, n-1, &item{kind: noted, text: text, done: true})
}

func (t *turn) note(text string) *item { return t.add(&item{kind: noted, text: text, done: true}) }

// unsay replaces a note that turned out to be wrong; one that is printed already is followed by
// what is right.
func (t *turn) unsay(wrong *item, right item) {
	if at := slices.Index(t.items, wrong); wrong != nil && at >= t.above {
		*wrong = right
		return
	}
	t.add(&right)
}

// finish takes the reply. What was streamed may already be the reply, or its beginning.
func (t *turn) finish(text string, isError bool) {
	t.ended, t.open = true, nil
	text = strings.TrimSpace(text)
	var last *item
	if n := len(t.items); n > 0 && t.items[n-1].kind == said {
		last = t.items[n-1]
	}
	for _, i := range t.items {
		i.done = true
	}
	if last != nil && last.skip != "" && !isError {
		last.text = text
		t.skipped(last)
	}
	switch {
	case isError:
		t.items = append(t.items, &item{kind: noted, failed: true, text: text, done: true})
	case last == nil:
		t.items = append(t.items, &item{kind: said, text: text, done: true})
	case strings.HasSuffix(strings.TrimSpace(last.text), text):
	case strings.HasPrefix(text, strings.TrimSpace(last.text[:last.shown])):
		rest := text[len(strings.TrimSpace(last.text[:last.shown])):]
		last.text = last.text[:last.shown] + strings.TrimLeft(rest, "\n")
	case last.shown == 0:
		last.text = text
	default: // the reply does not begin with what is printed
		t.items = append(t.items, &item{kind: noted, text: "the answer:", done: true}, &item{kind: said, text: text, done: true})
	}
}
