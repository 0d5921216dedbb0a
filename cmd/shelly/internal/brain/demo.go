package brain

import (
	"context"
	"fmt"

	"shelly/fsm"
	"shelly/runtime/daemon"
	"shelly/scenarios"
	"shelly/sim/scenario"
	"shelly/sim/script"
)

// scriptedBrain answers from a scenario's script, which it repeats.
type scriptedBrain struct{ script *script.Player }

// AboutDemo is the name of the demo brain.
const AboutDemo = "the built-in demo brain (a script, not a model)"

// openDemo returns a brain that answers from the built-in script (BRN-12).
func openDemo() (Brain, error) {
	file, err := scenario.LoadOne(scenarios.Demo, scenarios.DemoFile)
	if err != nil {
		return Brain{}, fmt.Errorf("cannot load the script of the built-in demo brain: %w", err)
	}
	about := func() string { return AboutDemo }
	return Brain{Brain: &scriptedBrain{file.Player(true)}, Apart: func() bool { return false }, About: about}, nil
}

// Chat implements [daemon.Brain].
func (s *scriptedBrain) Chat(ctx context.Context, ask fsm.AskBrain, _ []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	line, err := s.script.Answer(ask)
	if err != nil {
		return fsm.BrainAnswered{}, classified{fsm.BrainError, "the script has no line for this"}
	}
	for _, p := range line.Pieces(ask) {
		stream(daemon.Piece{Text: p.Text, Thinking: p.Thinking})
	}
	said := line.Answer(ask)
	if said == nil { // the line hangs
		<-ctx.Done()
		return fsm.BrainAnswered{}, classified{fsm.BrainCancelled, "the call was given up"}
	}
	if failed, ok := said.(fsm.BrainFailed); ok {
		return fsm.BrainAnswered{}, classified{failed.Class, failed.Reason}
	}
	in := said.(fsm.BrainAnswered)
	in.Model.Name = "demo"
	if line.Stream == nil {
		stream(daemon.Piece{Text: in.Text, Thinking: in.Thinking})
	}
	return in, nil
}

// classified is a scripted failure.
type classified struct {
	class  fsm.BrainClass
	reason string
}

func (e classified) Error() string { return e.reason }

func (e classified) BrainClass() fsm.BrainClass { return e.class }
