package fork

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/history"
	"shelly/sim/history/regression"
)

// Brain answers a question to the model with an fsm.BrainAnswered or an fsm.BrainFailed.
// Its At is how long that took; its Call is left to the caller. An error ends the fork.
type Brain func(ask fsm.AskBrain, tools []fsm.ToolDecl) (fsm.Input, error)

// Change is what is different in a fork. Its zero value changes nothing: the step is
// told as recorded.
type Change struct {
	Config   *fsm.Config // in force from before the step on, as after a reload; nil: that of the record
	Input    fsm.Input   // told in place of the step's, see [Edited]; without a fact: that
	AskAgain bool        // the question that the step answers is asked again; of other steps it says nothing
	StepsMax int         // more steps than this are an error; 0: the constant of this name
}

// StepsMax bounds a fork whose change names no bound.
const StepsMax = 2000

// Result is what came of a fork.
type Result struct {
	Steps      []Step
	Reply      *fsm.Reply // to the request, or the message of a run; nil: none was given from the step on
	Refused    []Refusal
	Parted     int               // the first of Steps that is not as recorded; len(Steps) where the record goes on; -1: the ways never part
	Stands     string            // why nothing goes on though the request is unfinished; empty: it has ended
	Violations []check.Violation // of the invariants

	From state.Snapshot // the state that the machine began in
	Told []fsm.Input    // all that it was told; stepped from From it gives the same
}

// Step is one step of a fork. N continues from the step that the fork begins at; the index and
// the hashes, which the journal gives, are 0.
type Step struct {
	history.Step
	Source  Source
	Against int  // the number of the step of the record that it was held against; 0: none, or the record is not that long yet
	Same    bool // that step was told the same, and decided the same
}

// Source is where an input comes from.
type Source string

// An input is the step's own, edited or not; the model's; recorded; or what a fork
// says to what it does not do.
const (
	FromStep   Source = "step"
	FromEdit   Source = "edit"
	FromModel  Source = "model"
	FromRecord Source = "record"
	FromFork   Source = "fork"
)

// Refusal is a tool call that was not in the record.
type Refusal struct {
	Handle fsm.HandleID `json:"handle"`
	Tool   string       `json:"tool"`
	Args   string       `json:"args"`
	Why    string       `json:"why"`
}

// ErrSteps says that a fork came to no end.
var ErrSteps = errors.New("the fork has come to no end")

// Run continues from a point with what is changed (SIM-15). An error is the brain's, or
// ErrSteps; the result then tells how far it came.
func Run(p Point, c Change, brain Brain) (Result, error) {
	f := &forking{point: &p, brain: brain, record: newRecord(p.History.Steps, p.Step.N), calls: map[fsm.CallID]fsm.Effect{}}
	f.result.Parted = -1
	f.ahead = told(p.History.Steps[p.Step.N:])
	for _, s := range p.History.Steps[:p.Step.N-1] {
		f.asked = append(f.asked, s.Effects...)
	}
	if err := f.begin(c); err != nil {
		return f.end(), err
	}
	most := cmp.Or(c.StepsMax, StepsMax)
	for {
		list := f.pending()
		if len(list) == 0 {
			break
		}
		if len(f.result.Steps) >= most {
			return f.end(), fmt.Errorf("%w after %d steps", ErrSteps, most)
		}
		if err := f.answer(f.choose(list)); err != nil {
			return f.end(), err
		}
	}
	return f.end(), nil
}

// forking is a fork under way. It is the world of its driver: it answers from the record,
// and has the model asked.
type forking struct {
	point   *Point
	brain   Brain
	record  *record
	journal *engine.MemoryJournal
	driver  *engine.Driver
	machine *machine.Machine // the driver's, to read
	monitor *check.Monitor
	family  []fsm.HandleID            // the request's handles, in the order of history.Handles
	asked   []fsm.Effect              // before the driver came
	calls   map[fsm.CallID]fsm.Effect // what was asked of the world for them
	ahead   []history.Step            // of the record, those that are about them, as long as the ways go together
	astray  bool                      // they do not any more
	taken   engine.Step               // the last
	result  Result
}

// begin brings the machine to the step, and tells it that.
func (f *forking) begin(c Change) error {
	p, from := f.point, f.point.before
	again := c.AskAgain && p.Answers() && c.Input.Fact == nil
	if again && c.Config != nil {
		from = f.askAgain(*c.Config)
	}
	if err := f.start(from); err != nil {
		return err
	}
	if c.Config != nil && !again {
		if err := f.step(fsm.Input{At: from.Now, Fact: fsm.Configured{Config: *c.Config}}); err != nil {
			return err
		}
	}
	if _, cancels := p.Step.Input.Fact.(fsm.CancelRequested); !cancels {
		if err := f.unqueue(); err != nil {
			return err
		}
	}
	if again {
		f.ahead = append([]history.Step{p.Step}, f.ahead...)
		return nil
	}
	in, source := p.Step.Input, FromStep
	if c.Input.Fact != nil {
		in, source = c.Input, FromEdit
	}
	return f.tell(in, source, &p.Step)
}

// start drives the machine alone with the request's handles, and with what they have asked
// already.
func (f *forking) start(s state.Snapshot) (err error) {
	h := &f.point.History
	f.family = slices.DeleteFunc(slices.Clone(h.Handles), func(id fsm.HandleID) bool { return id > s.LastHandle })
	f.result.From = alone(s, f.family)
	f.journal = engine.NewMemoryJournalFrom(f.point.Step.Index-1, f.result.From)
	if !h.Run {
		unanswered := engine.Request{Key: h.Request.Key, Index: h.Request.Index, Handle: h.Request.Handle, Session: h.Request.Session, Text: h.Request.Text}
		if err := f.journal.Append(engine.Batch{Requests: []engine.Request{unanswered}}, true); err != nil {
			return err
		}
	}
	if f.driver, err = engine.Drive(f.journal, f); err != nil {
		return err
	}
	f.machine = f.driver.Machine()
	f.monitor = check.MonitorFrom(f.machine)
	f.driver.Check = f.check
	f.driver.Observe = func(s engine.Step) { f.taken = s }
	f.driver.Adopt(f.asked...)
	for _, e := range f.asked {
		f.know(e)
	}
	return nil
}

// unqueue lets what waited for others start, now that it is alone.
func (f *forking) unqueue() error {
	s := f.machine.View()
	if !slices.ContainsFunc(s.Handles, func(h state.Handle) bool { return h.State == state.Queued }) {
		return nil
	}
	return f.step(fsm.Input{At: s.Now, Fact: fsm.Configured{Config: s.Config}})
}

// askAgain folds from the record that asked the question, as it would have been with
// another configuration, so that the question is put in its words, and returns the state
// that this leads to.
func (f *forking) askAgain(config fsm.Config) (s state.Snapshot) {
	lead := append([]fsm.Input{{At: f.point.asking.Now, Fact: fsm.Configured{Config: config}}}, f.point.lead...)
	for i, folded := range engine.FoldInputs(f.point.asking, slices.Values(lead)) {
		if i > 0 {
			f.asked = append(f.asked, folded.Caused...)
		}
		if i == len(lead)-1 {
			s = folded.Machine.Snapshot()
		}
	}
	return s
}

// Perform implements [engine.World]: nothing is done, and what is asked is noted.
func (f *forking) Perform(e fsm.Effect) error {
	f.know(e)
	if reply, ok := f.point.Answer(e); ok {
		f.result.Reply = &reply
	}
	return nil
}

// know notes what is asked of the world.
func (f *forking) know(e fsm.Effect) {
	if call := fsm.CallOf(e); call != 0 {
		f.calls[call] = e
	}
}

// tell tells the machine an input, and notes it against a step of the record.
func (f *forking) tell(in fsm.Input, source Source, against *history.Step) error {
	if call := fsm.Answers(in); call != 0 {
		in.Fact = f.driver.Outcome(call, in.Fact)
	}
	s := Step{Source: source}
	s.N, s.Epoch, s.Input, s.About = f.point.Step.N+len(f.result.Steps), f.point.Step.Epoch, in, true
	s.Handle = f.machine.View().Concerns(in)
	if against != nil {
		s.Against = against.N
	}
	if err := f.step(in); err != nil {
		return err
	}
	for _, e := range f.taken.Effects {
		if slices.Contains(f.family, fsm.HandleOf(e)) {
			s.Effects = append(s.Effects, e)
		}
	}
	for _, m := range f.taken.Moves {
		if slices.Contains(f.family, m.Handle) {
			s.Moves = append(s.Moves, m)
		}
	}
	s.Same = against != nil && alike(in, against.Input) && decidedAlike(s.Moves, against.Moves)
	beyond := against == nil && !f.astray && !f.point.History.Ended // the record ends here, and nobody knows how it goes on
	if !s.Same && !beyond && f.result.Parted < 0 {
		f.result.Parted = len(f.result.Steps)
	}
	f.result.Steps = append(f.result.Steps, s)
	return nil
}

// step has the driver tell the machine an input.
func (f *forking) step(in fsm.Input) error {
	f.taken = engine.Step{}
	return f.driver.Tell(engine.Now{Wall: in.At, Steady: in.At}, in.Fact)
}

// check checks the invariants after a step, and takes in new subagents.
func (f *forking) check(m *machine.Machine, in fsm.Input, effects []fsm.Effect) {
	f.result.Told = append(f.result.Told, in)
	f.result.Violations = append(f.result.Violations, f.monitor.Step(m, in, effects)...)
	own := f.point.History.Request.Handle
	for _, h := range m.View().Handles {
		child := slices.Contains(f.family, h.Parent) || h.ID == own
		if child && !slices.Contains(f.family, h.ID) {
			f.family = append(f.family, h.ID)
		}
	}
}

// end tells how the fork ended.
func (f *forking) end() Result {
	r := f.result
	if r.Parted < 0 && len(f.ahead) > 0 {
		r.Parted = len(r.Steps)
	}
	if f.machine == nil {
		return r
	}
	for _, h := range f.machine.View().Handles {
		if slices.Contains(f.family, h.ID) {
			r.Stands = fmt.Sprintf("handle %d is %s, and waits for nothing that the record or the model could answer", h.ID, h.State)
			break
		}
	}
	return r
}

// told returns the steps that are about the request's handles, without a person's words
// that nobody waited for.
func told(steps []history.Step) []history.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s history.Step) bool {
		return !s.About || personal(s.Input) && len(s.Moves) == 0
	})
}

// decidedAlike reports whether a step took the transitions of another. When it was a
// handle's turn to start is not looked at: in a fork nobody is before it.
func decidedAlike(a, b []state.Move) bool {
	decided := func(moves []state.Move) []state.Move {
		return slices.DeleteFunc(slices.Clone(moves), func(m state.Move) bool { return m.From == state.Queued || m.To == state.Queued })
	}
	return slices.EqualFunc(decided(a), decided(b), func(a, b state.Move) bool {
		return a.Table == b.Table && a.From == b.From && a.On == b.On && a.To == b.To
	})
}

// alike reports whether two inputs say the same, their times and the names of calls apart.
// What is loaded is the recorded, and what is written is not: of these the kind alone counts.
func alike(a, b fsm.Input) bool {
	differs := func(same func(a, b fsm.Fact) bool) bool { return !same(a.Fact, b.Fact) }
	return fsm.InputKind(a) == fsm.InputKind(b) && !slices.ContainsFunc(comparing(), differs)
}

// comparing compares two facts of one kind, each of a kind of its own: of other kinds it finds
// no difference.
func comparing() []func(a, b fsm.Fact) bool {
	return []func(a, b fsm.Fact) bool{
		same(func(a, b fsm.BrainAnswered) bool {
			return a.Stop == b.Stop && a.Text == b.Text && slices.EqualFunc(a.Calls, b.Calls, func(x, y fsm.ToolCall) bool {
				return x.Name == y.Name && regression.Canonical(x.Args) == regression.Canonical(y.Args)
			})
		}),
		same(func(a, b fsm.BrainFailed) bool { return a.Class == b.Class && a.Reason == b.Reason }),
		same(func(a, b fsm.ToolAnswered) bool {
			return a.Text == b.Text && a.Failed == b.Failed && a.Nothing == b.Nothing && a.Invalid == b.Invalid && a.Asks == b.Asks
		}),
		same(func(a, b fsm.Requested) bool { return a.Text == b.Text }),
		same(func(a, b fsm.Recalled) bool { return a.Error == b.Error && slices.Equal(a.Entries, b.Entries) }),
		same(func(a, b fsm.Decided) bool {
			return a.Approve == b.Approve && a.Grant == b.Grant && a.Reason == b.Reason
		}),
		same(func(a, b fsm.Resolved) bool { return a.Text == b.Text }),
	}
}

func same[F fsm.Fact](equal func(a, b F) bool) func(a, b fsm.Fact) bool {
	return func(a, b fsm.Fact) bool {
		one, is := a.(F)
		return !is || equal(one, b.(F))
	}
}
