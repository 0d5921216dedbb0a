package run

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
)

type counting struct{ asked int }

func (c *counting) Chat(context.Context, fsm.AskBrain, []fsm.ToolDecl, func(daemon.Piece)) (fsm.BrainAnswered, error) {
	c.asked++
	return fsm.BrainAnswered{}, nil
}

func (c *counting) Await(context.Context) error { return nil }

// HND-71, BRN-33: what is read ahead waits for the end of the preload, and a question does not.
func TestHND71ReadingAheadWaitsForThePreload(t *testing.T) {
	asked, loaded := &counting{}, make(chan struct{})
	p := patiently(brain.Brain{Brain: asked, Preload: &brain.Preload{}}, loaded)
	var stages []fsm.Stage
	tell := func(piece daemon.Piece) { stages = append(stages, piece.Stage) }
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := p.Chat(given, fsm.AskBrain{Purpose: fsm.PurposePrefill}, nil, tell); err == nil || asked.asked > 0 {
		t.Errorf("%d calls before the end, and %v", asked.asked, err)
	}
	if len(stages) != 1 || stages[0] != fsm.StageLoading {
		t.Errorf("its stages are %v", stages)
	}
	if _, err := p.Chat(t.Context(), fsm.AskBrain{Purpose: fsm.PurposeAnswer}, nil, tell); err != nil || asked.asked != 1 {
		t.Errorf("%d calls for a question, and %v", asked.asked, err)
	}
	close(loaded)
	if _, err := p.Chat(t.Context(), fsm.AskBrain{Purpose: fsm.PurposePrefill}, nil, tell); err != nil || asked.asked != 2 {
		t.Errorf("%d calls after the end, and %v", asked.asked, err)
	}
	if _, ok := p.(daemon.Awaiter); !ok {
		t.Error("it cannot tell when the server is back")
	}
}

// HND-71: a server without a model may get one later; a script never reads.
func TestHND71OnlyAModelReads(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	away := config.Brain{Kind: "ollama", URL: "http://127.0.0.1:1", OnUnreachable: "wait", Preload: true, KeepAlive: time.Minute}
	for kind, want := range map[string]bool{"ollama": true, "demo": false, "auto": false} { // order-free: each alone
		away.Kind = kind
		b, err := brain.Open(t.Context(), away, log)
		if err != nil || reads(b) != want {
			t.Errorf("%s: %v, %v", kind, reads(b), err)
		}
	}
}
