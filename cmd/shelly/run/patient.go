package run

import (
	"context"

	"shelly/cmd/shelly/internal/brain"
	"shelly/fsm"
	"shelly/runtime/daemon"
)

// patiently returns the brain that the daemon asks: the opened one or, if that preloads its model, one
// that reads ahead only then (HND-71), when loaded is closed. The test that follows a preload (BRN-33) may make the
// server unload the model, and with it what was read.
func patiently(b brain.Brain, loaded <-chan struct{}) daemon.Brain {
	awaits, ok := b.Brain.(daemon.Awaiter)
	if b.Preload == nil || !ok {
		return b.Brain
	}
	return &patient{b.Brain, awaits, loaded}
}

// reads reports whether a brain reads prompts: not the demo in place of a model. One that has no model
// yet will.
func reads(b brain.Brain) bool { return b.Asks != nil }

type patient struct {
	daemon.Brain
	daemon.Awaiter
	loaded <-chan struct{}
}

// Chat implements [daemon.Brain].
func (p *patient) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	select {
	case <-p.loaded:
		return p.Brain.Chat(ctx, ask, tools, stream)
	default:
	}
	if ask.Purpose == fsm.PurposePrefill {
		stream(daemon.Piece{Stage: fsm.StageLoading})
		select {
		case <-p.loaded:
		case <-ctx.Done():
			return fsm.BrainAnswered{}, context.Cause(ctx)
		}
	}
	return p.Brain.Chat(ctx, ask, tools, stream)
}
