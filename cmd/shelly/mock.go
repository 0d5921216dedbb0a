package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/lockstep"
	"shelly/cmd/shelly/internal/suite"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm/listener"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/sim/scenario"
	"shelly/sim/script"
	"shelly/sim/server"
)

type mockCmd struct {
	File   string   `arg:"" help:"Scenario whose model to serve." type:"path"`
	Listen string   `default:"127.0.0.1:11435" placeholder:"ADDR" help:"Loopback address (default ${default}); port 0 picks a free port."`
	Model  []string `default:"mock" sep:"none" placeholder:"NAME[=WORD,…]" help:"Model to serve; repeat for more. Options: no-tools, no-thinking, no-levels, no-vision, window=N."`
	Embed  int      `default:"64" placeholder:"N" help:"Dimension of an embedding; 0 for no embedding model."`
	NumCtx int      `default:"4096" placeholder:"N" help:"Context window in tokens if a client names none (default ${default})."`
	Repeat bool     `help:"Restart the script for each request, as the demo brain does."`
	Delays bool     `help:"Take as long as the script says for each answer."`
	Server string   `default:"file" enum:"file,laptop,none" placeholder:"file|laptop|none" help:"What the models run on: the file's server, a laptop's slow processor, or nothing that takes time (default ${default})."`
	Speed  float64  `default:"1" placeholder:"N" help:"With --delays: N times as fast."`

	models []mock.Model
}

// Validate reads the models, and refuses figures that mean nothing.
func (c *mockCmd) Validate() error {
	for _, text := range c.Model {
		m, err := mockModel(text)
		if err != nil {
			return fmt.Errorf("--model %s: %w", text, err)
		}
		if slices.ContainsFunc(c.models, func(other mock.Model) bool { return ollama.SameModel(m.Name, other.Name) }) {
			return fmt.Errorf("--model %s: the model is named twice", text)
		}
		c.models = append(c.models, m)
	}
	if c.Embed < 0 {
		return fmt.Errorf("--embed: %d is negative; give 0 for no embedding model", c.Embed)
	}
	if c.NumCtx <= 0 {
		return fmt.Errorf("--num-ctx: %d is not a window; give at least 1 token", c.NumCtx)
	}
	if !(c.Speed > 0) || math.IsInf(c.Speed, 1) {
		return fmt.Errorf("--speed: %g is not a speed; give a factor such as 10 or 0.5", c.Speed)
	}
	if c.Speed != 1 && !c.Delays {
		return fmt.Errorf("--speed: %g has no effect without --delays; add that", c.Speed)
	}
	return nil
}

// mockModel parses a model: its name and its options.
func mockModel(text string) (mock.Model, error) {
	name, words, given := strings.Cut(text, "=")
	m := mock.Model{Name: name}
	if name == "" {
		return m, errors.New("names no model")
	}
	for word := range strings.SplitSeq(words, ",") {
		window, isWindow := strings.CutPrefix(word, "window=")
		switch {
		case !given:
		case isWindow:
			n, err := strconv.Atoi(window)
			if err != nil || n <= 0 {
				return m, fmt.Errorf("%q is not a number of tokens", window)
			}
			m.Window = n
		case word == "no-tools":
			m.NoTools = true
		case word == "no-thinking":
			m.NoThinking = true
		case word == "no-levels":
			m.NoLevels = true
		case word == "no-vision":
			m.NoVision = true
		default:
			return m, fmt.Errorf("%q is not one of no-tools, no-thinking, no-levels, no-vision, window=N", word)
		}
	}
	return m, nil
}

// Run implements the subcommand (CLI-9).
func (c *mockCmd) Run(t *terminal.Terminal) error {
	file, err := suite.LoadOne(c.File)
	if err != nil {
		return err
	}
	if file.Script.Live {
		return exit.Errorf(exit.Usage, "%s has brain: live; there is no script to serve", c.File)
	}
	listener, err := listener.TCP(c.Listen)
	if err != nil {
		return exit.Errorf(exit.Usage, "%w; name another address with --listen 127.0.0.1:0", err)
	}
	for i := range c.models {
		c.models[i].NoTools = c.models[i].NoTools || file.AsText
	}
	brain := &mockBrain{next: playing(file, c.Repeat)}
	if c.Delays {
		brain.speed = c.Speed
	}
	web := &http.Server{
		Handler: mock.New(mock.Options{
			Models: c.models, EmbedDims: c.Embed, NumCtx: c.NumCtx, Limits: true, Brain: brain, Machine: c.machine(file),
			Log: func(r mock.Served) { fmt.Fprintln(t.Err, told(r)) },
		}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	fmt.Fprintf(t.Out, "serving %q as %s on http://%s (OLLAMA_HOST=%s)\n", file.Name, c.names(), listener.Addr(), listener.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, func() { _ = web.Close() })
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// told describes a request in one line, for the person who watches the server.
func told(r mock.Served) string {
	status := "unanswered" // its client has left, or the script ends the connection
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	line := fmt.Sprintf("%s %s %s %s", r.Method, wording.Word(r.Path), status, r.Took.Round(time.Millisecond))
	if r.Model != "" {
		line += fmt.Sprintf(" model=%s tools=%d prompt=%d", r.Model, r.Tools, r.Prompt)
	}
	return line
}

// machine returns what the models run on; nil if nothing takes time (SIM-20).
func (c *mockCmd) machine(file *scenario.File) *server.Config {
	switch laptop := server.Laptop(); c.Server {
	case "none":
		return nil
	case "laptop":
		return &laptop
	}
	return file.Server.Config()
}

// names returns the names of the models.
func (c *mockCmd) names() string {
	var names []string
	for _, m := range c.models {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// busyFor is how long a client is asked to wait where the script has the server busy.
const busyFor = time.Second

// mockBrain serves a script to any client. One that is not shelly sends neither purpose nor
// session; its calls count as answers.
type mockBrain struct {
	speed float64 // how many times as fast as the script's times; 0: no delays
	next  func(fsm.AskBrain) (script.Line, error)
}

// playing serves the lines of a script in order over all requests of a session, or with repeat
// from the first line for each request.
func playing(file *scenario.File, repeat bool) func(fsm.AskBrain) (script.Line, error) {
	var mu sync.Mutex
	player := file.Player(repeat)
	return func(ask fsm.AskBrain) (script.Line, error) {
		mu.Lock()
		defer mu.Unlock()
		line, err := player.Answer(ask)
		if over, ok := errors.AsType[*script.Exhausted](err); ok && over.Lines > 0 {
			err = fmt.Errorf("%w; add a line, or serve it with --repeat to start over for each request", err)
		}
		return line, err
	}
}

// Answer implements [mock.Brain].
func (b *mockBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	ask := fsm.AskBrain{
		Session: q.Session, Purpose: fsm.Purpose(q.Purpose), System: q.System, Conversation: fsm.Conversation{Messages: q.Messages},
	}
	line, err := b.next(ask)
	if err != nil {
		return mock.Answer{}, err
	}
	a := lockstep.Spoken(ask, line)
	if a.Status == http.StatusServiceUnavailable {
		a.RetryAfter = busyFor
	}
	a.Delay = b.pause(line.Takes)
	if line.Stream != nil {
		a.Every = b.pause(line.Stream.Every)
	}
	return a, nil
}

// pause returns how long a time of the script takes at this speed.
func (b *mockBrain) pause(d fsm.Millis) time.Duration {
	if b.speed == 0 {
		return 0
	}
	return time.Duration(float64(d) / b.speed * float64(time.Millisecond))
}
