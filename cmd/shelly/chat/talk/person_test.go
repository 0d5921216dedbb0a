package talk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// person is a person at a window: the printed lines, the live lines, and the effects to
// perform.
type person struct {
	*Model
	t       *testing.T
	now     time.Time
	above   []string
	live    []string
	raw     string // all that was drawn, with its attributes
	effects []Effect
	streams map[string]*streaming // by request
}

// streaming is the model call that streams an answer, and how much it has streamed.
type streaming struct {
	call          fsm.CallID
	said, thought int
}

// anew marks a call after the one that streams.
const anew = fsm.CallID(1 << 40)

func newPerson(t *testing.T) *person {
	n := 0
	p := &person{t: t, now: time.UnixMilli(0)}
	p.Model = New(Options{Chat: "cli:direct", Colours: true, NewID: func() string { n++; return fmt.Sprint("r", n) }})
	p.does(Resized{80, 24})
	return p
}

// does sends messages to the model, one per second.
func (p *person) does(msgs ...Msg) {
	p.t.Helper()
	for _, msg := range msgs {
		p.now = p.now.Add(time.Second)
		p.effects = append(p.effects, p.Update(p.now, msg)...)
		f := p.Frame()
		p.raw += strings.Join(f.Above, "\n") + strings.Join(f.Live, "\n")
		p.live = nil
		for _, line := range f.Above {
			if w := ansi.StringWidth(line); w >= max(p.width, 24) { // a word in a line is never cut in a narrower one
				p.t.Errorf("a printed line of %d columns in a window of %d: %q", w, p.width, line)
			}
			p.above = append(p.above, strings.TrimRight(ansi.Strip(line), " "))
		}
		for _, line := range f.Live {
			if w := ansi.StringWidth(line); w >= p.width {
				p.t.Errorf("a line of %d columns in a window of %d: %q", w, p.width, line)
			}
			p.live = append(p.live, strings.TrimRight(ansi.Strip(line), " "))
		}
		if len(f.Live) >= p.height && p.height > 1 || f.Y >= max(len(f.Live), 1) {
			p.t.Errorf("%d live lines, the cursor in %d, in a window of %d", len(f.Live), f.Y, p.height)
		}
	}
}

// types presses the keys of a text.
func (p *person) types(text string) {
	for _, r := range text {
		p.does(Key{Name: string(r), Text: string(r)})
	}
}

func (p *person) presses(names ...string) {
	for _, name := range names {
		p.does(Key{Name: name})
	}
}

// asks sends a request and returns its id.
func (p *person) asks(text string) string {
	p.t.Helper()
	p.types(text)
	p.presses("enter")
	ask, ok := last[Ask](p)
	if !ok {
		p.t.Fatalf("%q is not asked: %+v", text, p.effects)
	}
	return ask.ID
}

// placed returns a chunk with its call and place, as the daemon sends it; a tool ends the
// call's text.
func (p *person) placed(id string, e comm.Event) comm.Event {
	if p.streams == nil {
		p.streams = map[string]*streaming{}
	}
	s := p.streams[id]
	if s == nil || e.Call == anew || e.Type == comm.EventTool {
		next := &streaming{call: 1}
		if s != nil {
			next.call = s.call + 1
		}
		s, p.streams[id] = next, next
	}
	if e.Type != comm.EventChunk {
		return e
	}
	if e.Whole {
		s.said, s.thought = 0, 0
	}
	e.Call, e.From, e.ThinkingFrom = s.call, s.said, s.thought
	s.said, s.thought = s.said+len(e.Text), s.thought+len(e.Thinking)
	return e
}

// happens sends events of a request.
func (p *person) happens(id string, events ...comm.Event) {
	p.t.Helper()
	for _, e := range events {
		p.does(Happened{ID: id, Event: p.placed(id, e)})
	}
}

func (p *person) replies(id, text string) {
	p.t.Helper()
	p.does(Ended{ID: id, Reply: client.Reply{ID: id, Text: text, Outcome: fsm.OutcomeAnswered}})
}

// shows checks that texts are in the window, printed or live, in this order and once each.
func (p *person) shows(texts ...string) {
	p.t.Helper()
	all := strings.Join(append(slices.Clone(p.above), p.live...), "\n")
	for _, text := range texts {
		if strings.Count(all, text) != 1 {
			p.t.Fatalf("%d times %q in\n%s", strings.Count(all, text), text, all)
		}
		_, all, _ = strings.Cut(all, text)
	}
}

func (p *person) shows0(texts ...string) {
	p.t.Helper()
	all := strings.Join(append(slices.Clone(p.above), p.live...), "\n")
	for _, text := range texts {
		if strings.Contains(all, text) {
			p.t.Fatalf("%q in\n%s", text, all)
		}
	}
}

// last returns the last effect, which must have the type.
func last[E Effect](p *person) (e E, ok bool) {
	if len(p.effects) > 0 {
		e, ok = p.effects[len(p.effects)-1].(E)
	}
	return e, ok
}

func chunk(text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Text: text}
}

// instead returns the beginning of a call that replaces the one before.
func instead(text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Text: text, Whole: true, Call: anew}
}

func thinks(text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Thinking: text}
}

func moves(handle, inference fsm.State) comm.Event {
	return comm.Event{Type: comm.EventState, State: handle, Inference: inference}
}

func calls(tool, args string) comm.Event {
	return comm.Event{Type: comm.EventTool, Tool: tool, Args: args}
}

func returns(tool, text string, failed bool) comm.Event {
	return comm.Event{Type: comm.EventToolResult, Tool: tool, Text: text, Failed: failed}
}
