package fork

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// Point is a step of the history of a request or of a run from which a fork can go on.
type Point struct {
	History history.History
	Step    history.Step

	before state.Snapshot // the state before the record of Step
	asking state.Snapshot // where Step answers a question: the state before the record that asked it,
	lead   []fsm.Input    // and the inputs from that record up to that of Step
}

// ErrNoPoint says that no fork can begin at a step.
var ErrNoPoint = errors.New("no fork can begin there")

// At returns the point before the record of a request's n-th step, from 1. It is
// ErrNoPoint where the step is not about one of the request's handles, and
// engine.ErrTrimmed where its state is no longer kept.
func At(j engine.Reader, h history.History, n int) (Point, error) {
	if h.Request.Handle == 0 {
		return Point{}, fmt.Errorf("%w: request %q was answered in its own step, without a handle", ErrNoPoint, h.Request.Key.ID)
	}
	if n < 1 || n > len(h.Steps) {
		return Point{}, fmt.Errorf("step %d: %w: %s has no such step; it can start at %s", n, ErrNoPoint, h.Name(), places(h))
	}
	p := Point{History: h, Step: h.Steps[n-1]}
	if !p.Step.About {
		return Point{}, fmt.Errorf("step %d: %w: its %s is not about %s, which only waited for it; it can start at %s",
			n, ErrNoPoint, fsm.InputKind(p.Step.Input), h.Name(), places(h))
	}
	if begunBy(h, p.Step) {
		return Point{}, fmt.Errorf("step 1: %w: it belongs to the work that began the run; it can start at %s", ErrNoPoint, places(h))
	}
	if _, asks := p.Step.Input.Fact.(fsm.Requested); asks && replies(p.Step) {
		return Point{}, fmt.Errorf("step %d: %w: request %q was answered in its own step", n, ErrNoPoint, h.Request.Key.ID)
	}
	var err error
	if p.before, err = engine.StateAt(j, p.Step.Index-1); err != nil {
		return Point{}, err
	}
	if p.before.Lifecycle == state.Initializing {
		return Point{}, fmt.Errorf("step %d: %w: shelly was initializing, and no request had started; it can start at a later step", n, ErrNoPoint)
	}
	return p, p.question(j)
}

// begunBy reports whether a step is another handle's that began a run, as a subagent's parent does.
func begunBy(h history.History, s history.Step) bool {
	return h.Run && s.N == 1 && s.Handle != 0 && s.Handle != h.Request.Handle
}

func replies(s history.Step) bool {
	return slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool {
		_, ok := e.(fsm.Reply)
		return ok
	})
}

// Answer returns the reply to the request if an effect is that. A run has none: it is what the run
// says when it ends.
func (p *Point) Answer(e fsm.Effect) (fsm.Reply, bool) {
	q := &p.History.Request
	if said, ok := e.(fsm.SendMessage); ok && p.History.Run && said.Handle == q.Handle && said.Key == q.Handle.Entry() {
		return fsm.Reply{Handle: q.Handle, Text: said.Text, IsError: said.IsError}, true
	}
	reply, ok := e.(fsm.Reply)
	return reply, ok && reply.Request == q.Key && !p.History.Run
}

// Answers reports whether the step answers a question to the model, which can then be
// asked again.
func (p *Point) Answers() bool { return fsm.AnswersKind(p.Step.Input.Fact, fsm.CallBrain) }

// Config is the configuration in force at the step.
func (p *Point) Config() fsm.Config { return p.before.Config }

// question finds the records from the one that asked the question of Step.
func (p *Point) question(j engine.Reader) error {
	if !p.Answers() {
		return nil
	}
	call := fsm.Answers(p.Step.Input)
	i := slices.IndexFunc(p.History.Steps, func(s history.Step) bool {
		return slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool {
			ask, ok := e.(fsm.AskBrain)
			return ok && ask.Call == call
		})
	})
	if i < 0 {
		return fmt.Errorf("record %d answers a question that no step of the request has asked", p.Step.Index)
	}
	from := p.History.Steps[i].Index
	var err error
	if p.asking, err = engine.StateAt(j, from-1); err != nil {
		return err
	}
	for f, err := range engine.Fold(j, from-1) {
		if err != nil {
			return err
		}
		if f.Index >= p.Step.Index {
			break
		}
		p.lead = append(p.lead, f.Input)
	}
	return nil
}

// Edited returns the step's input with edits. If it has no such key, the error names the steps that
// have it.
func (p *Point) Edited(edits []Edit) (fsm.Input, error) {
	in, err := edited(p.Step.Input, edits)
	if key, foreign := errors.AsType[*unfit](err); foreign {
		has := func(s history.Step) bool { return slices.Contains(EditKeys(s.Input), key.Key) }
		if slices.ContainsFunc(p.History.Steps, has) {
			err = fmt.Errorf("%w; %s is of %s", err, key.Key, where(p.History, has))
		}
	}
	return in, err
}

// places names the steps at which a fork can begin.
func places(h history.History) string {
	return where(h, func(history.Step) bool { return true })
}

// where names the steps of a kind at which a fork can begin: "steps 1 to 3, 5", or "step 7".
func where(h history.History, kind func(history.Step) bool) string {
	var parts []string
	for i := 0; i < len(h.Steps); i++ {
		first := i
		for i < len(h.Steps) && h.Steps[i].About && !begunBy(h, h.Steps[i]) && kind(h.Steps[i]) {
			i++
		}
		switch {
		case i == first:
		case i == first+1:
			parts = append(parts, strconv.Itoa(first+1))
		default:
			parts = append(parts, strconv.Itoa(first+1)+" to "+strconv.Itoa(i))
		}
	}
	text := strings.Join(parts, ", ")
	if strings.Contains(text, " ") {
		return "steps " + text
	}
	return "step " + text
}

// alone is a state without the handles that are none of the request's: they stand
// still, and must not keep its handles from a place or a session that they would have
// given back.
func alone(s state.Snapshot, family []fsm.HandleID) state.Snapshot {
	s.Handles = slices.DeleteFunc(slices.Clone(s.Handles), func(h state.Handle) bool { return !slices.Contains(family, h.ID) })
	return s
}
