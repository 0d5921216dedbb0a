package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/lockstep"
	"shelly/cmd/shelly/internal/suite"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/mock"
	"shelly/sim/scenario"
)

type mockCmd struct {
	File   string `arg:"" help:"Scenario whose brain to serve." type:"path"`
	Listen string `default:"127.0.0.1:11435" placeholder:"ADDR" help:"Loopback address (${default}); port 0 picks a free one."`
	Model  string `default:"mock" help:"Name of the model."`
	Embed  int    `default:"64" placeholder:"N" help:"Length of an embedding; 0 for no embedding model."`
	Delays bool   `help:"Take the times that the script's answers take."`
}

// Run implements the subcommand (CLI-9).
func (c *mockCmd) Run(t *terminal) error {
	file, err := suite.LoadOne(c.File)
	if err != nil {
		return err
	}
	if file.Script.Live {
		return exit.Errorf(exit.Usage, "%s has brain: live, which is no script to serve", c.File)
	}
	listener, err := comm.ListenTCP(c.Listen)
	if err != nil {
		return exit.Errorf(exit.Usage, "%w; name another address with --listen 127.0.0.1:0", err)
	}
	server := &http.Server{
		Handler:           mock.New(mock.Options{Model: c.Model, EmbedDims: c.Embed, Brain: &mockBrain{script: file.Brain(), delays: c.Delays}}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	fmt.Fprintf(t.out, "serving %q as %s on http://%s (OLLAMA_HOST=%s)\n", file.Name, c.Model, listener.Addr(), listener.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// mockBrain serves a script to whoever asks. A client that is not shelly sends
// no purpose; its calls are answers.
type mockBrain struct {
	script *scenario.Brain
	delays bool
}

// Answer implements [mock.Brain].
func (b *mockBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	ask := fsm.AskBrain{
		Session: q.Session, Purpose: fsm.Purpose(q.Purpose), System: q.System, Conversation: fsm.Conversation{Messages: q.Messages},
	}
	line, ok := b.script.Answer(ask)
	if !ok {
		return mock.Answer{}, fmt.Errorf("the script has no line for a call for %s", q.Purpose)
	}
	a := lockstep.Spoken(ask, line)
	if b.delays {
		a.Delay = time.Duration(line.Takes) * time.Millisecond
		if line.Stream != nil {
			a.Every = time.Duration(line.Stream.Every) * time.Millisecond
		}
	}
	return a, nil
}
