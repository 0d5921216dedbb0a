package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// What one step tells is bounded.
const (
	ChangesMax = 40
	FieldsMax  = 40

	textMax  = 4 << 10
	wordsMax = 240
	valueMax = 160
)

// Options says how much is shown. The zero value has the defaults.
type Options struct {
	TextMax  int // bytes of a text in a message or a field; 0: 4 KiB
	WordsMax int // bytes of a text in words; 0: 240
}

// Builder makes the steps of a run, one record after the other.
type Builder struct {
	of     *history.History // nil: of everything
	o      Options
	tell   func(history.Step) history.Told
	before state.Snapshot
	asks   []question
	asked  int
	n      int
	rules  map[rowKey]string // only looked up
}

type rowKey struct {
	table string
	from  fsm.State
	on    state.Event
}

// New returns a builder of all steps after a state.
func New(before state.Snapshot, o Options) *Builder {
	o.TextMax, o.WordsMax = cmp.Or(o.TextMax, textMax), cmp.Or(o.WordsMax, wordsMax)
	b := &Builder{o: o, tell: history.Telling(o.WordsMax), before: before, rules: map[rowKey]string{}}
	for _, t := range state.Tables() {
		for _, r := range t.Rows {
			b.rules[rowKey{t.Name, r.From, r.On}] = r.Rule
		}
	}
	return b
}

// NewOf returns a builder of the steps that have to do with a request, whose history has
// none yet. It takes every record after the state all the same.
func NewOf(h *history.History, before state.Snapshot, o Options) *Builder {
	b := New(before, o)
	b.of = h
	return b
}

// Take tells of the next record, unless it has nothing to do with the request.
func (b *Builder) Take(f engine.Folded) (Step, bool) {
	after := f.Machine.Snapshot()
	before := b.before
	b.before = after
	var s history.Step
	if b.of == nil {
		b.n++
		s = history.Whole(f, b.n)
	} else {
		var about bool
		if s, about = b.of.Follow(f); !about {
			return Step{}, false
		}
	}
	return b.step(s, &before, &after), true
}

func (b *Builder) step(s history.Step, before, after *state.Snapshot) Step {
	told := b.tell(s)
	out := Step{N: s.N, Index: s.Index, Epoch: s.Epoch, At: s.Input.At, Handle: s.Handle, Input: b.input(s.Input, told.What)}
	for _, m := range s.Moves {
		out.Moves = append(out.Moves, Move{
			Table: m.Table, Handle: m.Handle, Kind: m.Kind, From: m.From, On: string(m.On), To: m.To, Rule: b.rules[rowKey{m.Table, m.From, m.On}],
		})
	}
	for i, e := range s.Effects {
		out.Effects = append(out.Effects, b.effect(e, told.Effects[i], s.N))
	}
	out.Changes, out.Left = b.changes(s.Input, before, after)
	if failed := failure(s, &out.Input); failed != "" {
		out.Marks = append(out.Marks, Mark{Kind: Fault, Text: failed})
	}
	if s.Differs {
		out.Differs = &Differs{fmt.Sprintf("%016x", s.Recorded), fmt.Sprintf("%016x", s.Today)}
	}
	return out
}

func (b *Builder) input(in fsm.Input, words string) Input {
	out := Input{Kind: fsm.InputKind(in), Words: words, Call: fsm.Answers(in)}
	if fired, ok := in.Fact.(fsm.TimerFired); ok {
		out.Timer = fired.Timer
	}
	body, err := fsm.MarshalInput(in)
	if err == nil {
		out.Fields, out.Left = fields(body, b.cut)
	}
	return out
}

func (b *Builder) effect(e fsm.Effect, words string, step int) Effect {
	out := Effect{Kind: fsm.EffectKind(e), Words: words, Call: fsm.CallOf(e), Handle: fsm.HandleOf(e), Minor: history.Minor(e)}
	if ask, ok := e.(fsm.AskBrain); ok {
		out.Name, out.Sent = string(ask.Purpose), b.sent(ask, step)
		return out
	}
	var named struct {
		Name    string      `json:"name"`
		Skill   string      `json:"skill"`
		Purpose string      `json:"purpose"`
		Timer   fsm.TimerID `json:"timer"`
		Call    fsm.CallID  `json:"call"`
	}
	if body, err := fsm.MarshalEffect(e); err == nil && json.Unmarshal(body, &named) == nil {
		out.Name, out.Timer, out.Call = cmp.Or(named.Name, named.Skill, named.Purpose), named.Timer, named.Call
	}
	return out
}

// cut is a text, or its beginning and how much there is after it.
func (b *Builder) cut(s string) string { return cut(s, b.o.TextMax) }

func cut(s string, most int) string {
	head, rest := history.Cut(s, most)
	return head + rest
}

// failure says what failed, where a step says that something has.
func failure(s history.Step, in *Input) string {
	if f, ok := s.Input.Fact.(fsm.BrainFailed); ok {
		return "the model failed: " + string(f.Class)
	}
	if f, ok := s.Input.Fact.(fsm.ToolAnswered); ok && f.Failed {
		return "a tool failed"
	}
	if slices.ContainsFunc(s.Moves, func(m state.Move) bool { return m.On == state.OnLost && m.From != state.Stopped }) {
		return "the process had died"
	}
	for _, field := range in.Fields {
		if field.Name == "error" {
			return in.Kind + ": " + field.Text
		}
	}
	return ""
}

// Sum is how often each row of the machine's tables was taken.
type Sum map[string]int

// Key names a row of a table.
func Key(table string, from fsm.State, on string) string {
	return table + " " + string(from) + " " + on
}

// Add counts the transitions of steps.
func (s Sum) Add(steps ...Step) {
	for _, step := range steps {
		for _, m := range step.Moves {
			s[Key(m.Table, m.From, m.On)]++
		}
	}
}
