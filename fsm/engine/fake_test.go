package engine_test

import (
	"fmt"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
)

// protocol is what an engine does to its journal and its world, in order.
type protocol struct{ lines []string }

func (p *protocol) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// journal is a journal in memory that records its use and fails on demand.
type journal struct {
	*engine.MemoryJournal
	protocol *protocol
	broken   error // of Append
	full     error // of Space
	replayed []uint64
}

func newJournal() *journal {
	return &journal{MemoryJournal: engine.NewMemoryJournal(), protocol: &protocol{}}
}

func (j *journal) Append(b engine.Batch, sync bool) error {
	line := "append"
	for _, r := range b.Records {
		line += fmt.Sprintf(" %d", r.Index)
	}
	if sync {
		line += " sync"
	}
	j.protocol.add("%s", line)
	if j.broken != nil {
		return j.broken
	}
	return j.MemoryJournal.Append(b, sync)
}

func (j *journal) Replay(after uint64, fn func(engine.Record) error) error {
	j.replayed = append(j.replayed, after)
	return j.MemoryJournal.Replay(after, fn)
}

func (j *journal) Space() error { return j.full }

// world records the effects that it is asked to perform and fails on demand.
type world struct {
	protocol *protocol
	effects  []fsm.Effect
	broken   error
}

func (w *world) Perform(e fsm.Effect) error {
	w.protocol.add("perform %s", fsm.EffectKind(e))
	if w.broken != nil {
		return w.broken
	}
	w.effects = append(w.effects, e)
	return nil
}

// start opens an engine over j with a world of its own.
func start(t *testing.T, j *journal) (*engine.Engine, *world) {
	t.Helper()
	w := &world{protocol: j.protocol}
	e, err := engine.Open(j, w)
	if err != nil {
		t.Fatal(err)
	}
	return e, w
}

// turn takes inputs in one turn or fails t.
func turn(t *testing.T, e *engine.Engine, inputs ...fsm.Input) {
	t.Helper()
	must(t, e.Turn(inputs...))
}

// config is a configuration without an initial inference and with two tools.
func config() fsm.Config {
	c := profile.Shelly()
	c.Init = fsm.InitOff
	c.Tools = []fsm.ToolDecl{
		{Name: "look", Effects: fsm.EffectsNone},
		{Name: "act", Effects: fsm.EffectsUnsafe},
	}
	return c
}

func ask(id string) fsm.Requested {
	return fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: id}, Session: "s", Text: "question " + id}
}

// answers plays the world: it steps a separate machine with the given inputs, each once
// everything before it is answered, and returns these inputs and the answers in the order
// of their turns.
func answers(inputs ...fsm.Input) []fsm.Input {
	m := machine.New()
	var all []fsm.Input
	var pending []fsm.Effect
	step := func(in fsm.Input) {
		all = append(all, in)
		pending = append(pending, m.Step(in)...)
	}
	for _, in := range inputs {
		step(in)
		for len(pending) > 0 {
			e := pending[0]
			pending = pending[1:]
			if in := answer(e); in.Fact != nil {
				step(in)
			}
		}
	}
	return all
}

// answer returns the answer to an effect: the model looks, acts, asks its memory, answers, and
// summarises.
func answer(e fsm.Effect) fsm.Input {
	switch e := e.(type) {
	case fsm.AskBrain:
		return brain(e)
	case fsm.RunTool:
		return fsm.Input{At: 21, Fact: fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: "result of " + e.Name}}
	case fsm.Recall:
		return fsm.Input{At: 22, Fact: fsm.Recalled{Answered: fsm.To(e.Call), Entries: []fsm.Memory{{ID: "h0", Summary: "it was so before"}}}}
	case fsm.Embed:
		return fsm.Input{At: 23, Fact: fsm.Embedded{Answered: fsm.To(e.Call), Vector: []byte{0, 0, 128, 63}, Model: "m"}}
	case fsm.Store:
		return fsm.Input{At: 24, Fact: fsm.Stored{Answered: fsm.To(e.Call)}}
	default:
		return fsm.Input{}
	}
}

func brain(e fsm.AskBrain) fsm.Input {
	in := fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn}
	results, users := 0, 0
	for _, msg := range e.Conversation.Messages {
		switch msg.Role {
		case fsm.RoleTool:
			results++
		case fsm.RoleUser:
			users++
		}
	}
	switch {
	case e.Purpose == fsm.PurposeSummary:
		in.Text = "a summary"
	case results == 0:
		in.Stop = fsm.StopToolUse
		in.Calls = []fsm.ToolCall{{Name: "look", Args: "{}"}, {Name: "act", Args: "{}"}}
	case users == 1:
		in.Text = fsm.NeedMarker + " how it was before"
	default:
		in.Text = "an answer"
	}
	return fsm.Input{At: 20, Fact: in}
}

// session returns a whole epoch: two requests, an event, a repeated request, a signal and
// the farewell.
func session() []fsm.Input {
	return answers(
		fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}},
		fsm.Input{At: 10, Fact: ask("a")},
		fsm.Input{At: 30, Fact: fsm.EventRaised{Source: "disk", Event: "full"}},
		fsm.Input{At: 10, Fact: ask("b")},
		fsm.Input{At: 40, Fact: fsm.TimerFired{Timer: 999}},
		fsm.Input{At: 50, Fact: fsm.Signalled{Name: "SIGTERM"}},
	)
}
